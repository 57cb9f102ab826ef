import type { Attack } from '../attack';
import { pipelining, pipeliningUnread } from './pipelining';
import { slowHeaders } from './slow-headers';

/** All of them, in the order in which they are tried. */
export const attacks: readonly Attack[] = [slowHeaders, pipelining, pipeliningUnread];
