// The first requests to a server and its replies, before any case is sent.
import type { Case } from '../case';
import type { Operation } from '../contract/model';
import type { WireReply } from '../wire/reply';

export interface Question {
  readonly operation: Operation;
  readonly validCase: Case;
}

export interface Answer extends Question {
  readonly reply: WireReply;
}

export function isRefusal({ status }: WireReply): boolean {
  return status === 401 || status === 403;
}

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

export function countOperations(answers: readonly Answer[]): string {
  return answers.length === 1 ? '1 operation' : `${String(answers.length)} operations`;
}

export const UNKNOWN_PATH_REQUEST = { method: 'GET', target: '/no/such/path', headers: [] };
