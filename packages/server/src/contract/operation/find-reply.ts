import type { DeclaredReply, ReplyKey } from './bodies-and-replies';

/** Finds the declared reply of a status: its own, else that of its range, else the default (OpenAPI, Responses Object). */
export function findReply(
  { replies }: { readonly replies: ReadonlyMap<ReplyKey, DeclaredReply> },
  status: number,
): DeclaredReply | undefined {
  const declared = replies.get(status);
  if (declared) return declared;
  // A handler may name any number; a range or the default covers real statuses only.
  if (!Number.isInteger(status) || status < 200 || status > 599) return undefined;
  return replies.get(`${String(status).slice(0, 1)}XX` as ReplyKey) ?? replies.get('default');
}

/** Whether the declaration covers statuses from 400 to 599. */
export function mayDeclareErrors(key: ReplyKey): boolean {
  return /^(?:[45]|default)/.test(String(key));
}

type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';

/** The statuses that begin with a digit: for `'4'`, from 400 to 499. */
export type StatusesOf<First extends string> = `${First}${Digit}${Digit}` extends infer Text
  ? Text extends `${infer Status extends number}`
    ? Status
    : never
  : never;
