import { resolve } from 'node:path';

/** Arguments of Node that let it run a script of this repository as it is written, in any folder. */
export const FROM_SOURCE: readonly string[] = ['--conditions=source', '--require', resolve('scripts/register.cjs')];
