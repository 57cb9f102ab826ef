import type { Attack } from '../attack';
import { aliasBomb } from './alias-bomb';
import { costlyJson } from './costly-json';
import { fewDescriptors } from './few-descriptors';
import { fileRemoved } from './file-removed';
import { fileReplaced } from './file-replaced';
import { fileTruncated } from './file-truncated';
import { halfWrittenTokens } from './half-written-tokens';
import { logRemoved } from './log-removed';
import { manyListedTokens } from './many-listed-tokens';
import { permanentReader } from './permanent-reader';
import { slowHeaders } from './slow-headers';
import { tableLock } from './table-lock';
import { unfinishedBodies } from './unfinished-bodies';
import { unknownKeys } from './unknown-keys';

/** All of them, in the order in which they are tried. */
export const attacks: readonly Attack[] = [
  slowHeaders,
  fewDescriptors,
  unfinishedBodies,
  ...costlyJson,
  manyListedTokens,
  halfWrittenTokens,
  unknownKeys,
  fileRemoved,
  fileReplaced,
  fileTruncated,
  logRemoved,
  permanentReader,
  tableLock,
  aliasBomb,
];
