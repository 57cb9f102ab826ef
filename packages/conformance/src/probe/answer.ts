// The first requests to a server and its replies, before any case is sent.
import type { Case } from '../case';
import type { Operation } from '../contract/model';
import type { WireReply } from '../wire/reply';

/** An operation, and a valid request for it. */
export interface Question {
  readonly operation: Operation;
  readonly validCase: Case;
}

/** A question, and the reply of the server to its request. */
export interface Answer extends Question {
  readonly reply: WireReply;
}

/** Whether a reply refuses the credentials or the caller. */
export function isRefusal({ status }: WireReply): boolean {
  return status === 401 || status === 403;
}

/** Whether an operation can be called without credentials. */
export function isPublic({ alternatives }: Operation): boolean {
  return alternatives.some((schemes) => schemes.length === 0);
}

/** The names of the security schemes that a valid request uses (the first alternative), such as `oauth and apiKey`. */
export function schemesOf({ alternatives: [schemes = []] }: Operation): string {
  return schemes.map(({ name }) => name).join(' and ');
}

export function hasPathParameter({ parameters }: Operation): boolean {
  return parameters.some((parameter) => parameter.in === 'path');
}

/** The number of operations with an answer, for people. */
export function countOperations(answers: readonly Answer[]): string {
  return answers.length === 1 ? '1 operation' : `${String(answers.length)} operations`;
}

/** A request for a path that no contract has. */
export const UNKNOWN_PATH_REQUEST = { method: 'GET', target: '/no/such/path', headers: [] };
