import type { Attack } from '../attack';
import { costlyJson } from './costly-json';
import { halfWrittenTokens } from './half-written-tokens';
import { manyListedTokens } from './many-listed-tokens';
import { slowHeaders } from './slow-headers';
import { unfinishedBodies } from './unfinished-bodies';
import { unknownKeys } from './unknown-keys';

/** All of them, in the order in which they are tried. */
export const attacks: readonly Attack[] = [
  slowHeaders,
  manyListedTokens,
  halfWrittenTokens,
  unknownKeys,
  unfinishedBodies,
  ...costlyJson,
];
