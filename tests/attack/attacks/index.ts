import type { Attack } from '../attack';
import { aliasBomb } from './alias-bomb';
import { fewDescriptors } from './few-descriptors';
import { halfWrittenTokens } from './half-written-tokens';
import { manyListedTokens } from './many-listed-tokens';
import { slowHeaders } from './slow-headers';
import { unknownKeys } from './unknown-keys';

/** All of them, in the order in which they are tried. */
export const attacks: readonly Attack[] = [
  slowHeaders,
  fewDescriptors,
  manyListedTokens,
  halfWrittenTokens,
  unknownKeys,
  aliasBomb,
];
