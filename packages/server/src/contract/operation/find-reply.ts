import type { DeclaredReply, ReplyKey } from './bodies-and-replies';

/**
 * The declared reply of a status, the nearest first: its own, that of its range, the default (OpenAPI, Responses Object).
 *
 * @param status from 200 to 599; there is no reply of any other
 * @example findReply(operation, 404) // of `404`, `4XX` or `default`
 */
export function findReply(
  { replies }: { readonly replies: ReadonlyMap<ReplyKey, DeclaredReply> },
  status: number,
): DeclaredReply | undefined {
  const own = replies.get(status);
  if (own || !Number.isInteger(status) || status < 200 || status > 599) return own;
  return replies.get(`${String(status).slice(0, 1)}XX` as ReplyKey) ?? replies.get('default');
}

/** Whether a reply is declared for errors, beside others perhaps. */
export function isOfErrors(key: ReplyKey): boolean {
  return /^(?:[45]|default)/.test(String(key));
}

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';

/** The statuses that begin with a digit: for `'4'`, from 400 to 499. */
export type StatusesOf<First extends string> = `${First}${Digit}${Digit}` extends infer Text
  ? Text extends `${infer Status extends number}`
    ? Status
    : never
  : never;
