import { readFileSync } from 'node:fs';

const { config } = JSON.parse(readFileSync('package.json', 'utf8')) as { config: { source: string } };

/** Arguments of Node that let it run a script of this repository as it is written. */
export const FROM_SOURCE: readonly string[] = config.source.split(' ');
