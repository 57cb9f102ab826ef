// Problem details (RFC 9457), the body of errors where a contract declares nothing else.
import { STATUS_CODES } from 'node:http';
import type { Shape } from '../contract/int64/shape';
import type { Media } from '../contract/operation/content';
import type { Message } from '../contract/operation/message';

export const PROBLEM_TYPE = 'application/problem+json';

// The names of RFC 9110, where node:http has those of earlier documents.
const TITLES: Readonly<Partial<Record<number, string>>> = { 413: 'Content Too Large', 422: 'Unprocessable Content' };

/** Whether a declared body is problem details (RFC 9457): by its media type, or as JSON with their members. */
export function isProblem({ type, kind, shape }: Media & Message): boolean {
  // The shape is that of the whole reply: its headers and body.
  const properties = shape.properties.get('body')?.properties;
  return type === PROBLEM_TYPE || (kind === 'json' && ['title', 'status'].every((name) => properties?.has(name)));
}

/** `about:blank`, titled by the status (RFC 9457 section 4.2.1). `shape`, that of the declared body, decides the members. */
export function toProblem(status: number, detail?: string, shape?: Shape): Readonly<Record<string, unknown>> {
  const members = {
    type: 'about:blank',
    title: TITLES[status] ?? STATUS_CODES[status] ?? 'Error',
    // The contract may declare the status as an int64, which a reply has as a bigint.
    status: shape?.properties.get('status')?.isInt64 ? BigInt(status) : status,
    detail,
  };
  if (!shape || shape.keepsUndeclared) return members;
  return Object.fromEntries(Object.entries(members).filter(([name]) => shape.properties.has(name)));
}
