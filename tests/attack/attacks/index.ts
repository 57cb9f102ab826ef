import type { Attack } from '../attack';
import { pipelining, pipeliningUnread } from './pipelining';
import { sigtermUnderLoad } from './sigterm-under-load';
import { slowHeaders } from './slow-headers';
import { unreadLog } from './unread-log';
import { unreadReplies, unreadRepliesAtTheEnd } from './unread-replies';

/** All of them, in the order in which they are tried. */
export const attacks: readonly Attack[] = [
  slowHeaders,
  pipelining,
  pipeliningUnread,
  unreadReplies,
  unreadRepliesAtTheEnd,
  sigtermUnderLoad,
  unreadLog,
];
