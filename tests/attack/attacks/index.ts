import type { Attack } from '../attack';
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
import { fileRemoved, fileReplaced, fileTruncated, logRemoved } from './database-file';
import { hostileContract } from './hostile-contract';
import { manyListedTokens, unknownKeys } from './tokens';
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
  unknownKeys,
  fileRemoved,
  fileReplaced,
  fileTruncated,
  logRemoved,
  sigtermUnderLoad,
  hostileContract,
];
