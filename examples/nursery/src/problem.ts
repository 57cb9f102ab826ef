import { STATUS_CODES } from 'node:http';
import type { components } from '../generated/api';

/** The body of an error (RFC 9457). */
export type Problem = components['schemas']['Problem'];

/** @param detail for people, about this request */
export function toProblem(status: number, detail: string): Problem {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail };
}
