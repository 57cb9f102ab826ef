import type { Attack } from '../attack';
import { aliasBomb } from './alias-bomb';
import { costlyJson } from './costly-json';
import { costlySchemas } from './costly-schemas';
import { costlyMultipart } from './costly-multipart';
import { fewDescriptors } from './few-descriptors';
import { fileRemoved } from './file-removed';
import { fileReplaced } from './file-replaced';
import { fileTruncated } from './file-truncated';
import { halfWrittenTokens } from './half-written-tokens';
import { hostileContract } from './hostile-contract';
import { leftBehindHang, leftBehindStall } from './left-clients';
import { logRemoved } from './log-removed';
import { manyListedTokens } from './many-listed-tokens';
import { permanentReader } from './permanent-reader';
import { pipelining, pipeliningUnread } from './pipelining';
import { refusedMessages } from './refused-messages';
import { sigtermUnderLoad } from './sigterm-under-load';
import { slowHeaders } from './slow-headers';
import { tableLock } from './table-lock';
import { unfinishedBodies } from './unfinished-bodies';
import { unknownKeys } from './unknown-keys';
import { unreadLog } from './unread-log';
import { unreadReplies, unreadRepliesAtTheEnd } from './unread-replies';

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
