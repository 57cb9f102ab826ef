import type { Attack } from '../attack';
import { aliasBomb } from './alias-bomb';
import { costlyJson } from './costly-json';
import { costlySchemas } from './costly-schemas';
import { costlyMultipart } from './costly-multipart';
import {
  fewDescriptors,
  leftBehindHang,
  leftBehindStall,
  pipelining,
  pipeliningUnread,
  slowHeaders,
  unfinishedBodies,
  unreadReplies,
  unreadRepliesAtTheEnd,
} from './connections';
import { fileRemoved, fileReplaced, fileTruncated } from './database-file';
import { halfWrittenTokens } from './half-written-tokens';
import { hostileContract } from './hostile-contract';
import { logRemoved, unreadLog } from './unwritable-log';
import { manyListedTokens, unknownKeys } from './tokens';
import { permanentReader, tableLock } from './held-locks';
import { refusedMessages } from './refused-messages';
import { sigtermUnderLoad } from './sigterm-under-load';

/** All of them, in the order in which they are tried. */
export const attacks: readonly Attack[] = [
  slowHeaders,
  pipelining,
  pipeliningUnread,
  unreadReplies,
  unreadRepliesAtTheEnd,
  leftBehindHang,
  leftBehindStall,
  fewDescriptors,
  unfinishedBodies,
  ...costlyJson,
  ...costlySchemas,
  ...refusedMessages,
  costlyMultipart,
  manyListedTokens,
  halfWrittenTokens,
  unknownKeys,
  fileRemoved,
  fileReplaced,
  fileTruncated,
  logRemoved,
  permanentReader,
  tableLock,
  sigtermUnderLoad,
  unreadLog,
  aliasBomb,
  hostileContract,
];
