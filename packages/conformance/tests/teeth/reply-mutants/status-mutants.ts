import { STATUS_CODES } from 'node:http';
import type { Exchange, ReplyMutant } from './exchange';

/** Every other final status that HTTP knows. */
export function statusMutants({ reply }: Exchange): ReplyMutant[] {
  return Object.keys(STATUS_CODES)
    .map(Number)
    .filter((status) => status >= 200 && status !== reply.status)
    .map((status) => ({ kind: 'another status', name: String(status), reply: { ...reply, status } }));
}
