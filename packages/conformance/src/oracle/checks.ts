// What can be wrong with a reply, and what is needed to judge one.
import type { Level } from '../contract/standards';
import type { Case } from '../generators/case';
import type { WireReply } from '../wire/reply';
import type { Model } from '../contract/model';
import type { Validate } from '../validation/validator';
import type { Secrets } from '../wire/secret';

/** What a check is about, the lowest level at which it counts, and the standard behind it. */
export interface Check {
  readonly level: Level;
  readonly source: string;
  readonly about: string;
}

/**
 * Every check of a reply, by its name.
 *
 * @example const { level, source } = CHECKS[finding.check]
 */
export const CHECKS = {
  'no reply': { level: 'contract', source: 'RFC 9110 3.4', about: 'a request has a reply' },
  closed: {
    level: 'contract',
    source: 'RFC 9110 3.4',
    about: 'the connection of a request is not closed without a reply',
  },
  framing: { level: 'contract', source: 'RFC 9112 2.1, 6.3', about: 'the head and the length of the reply are HTTP' },
  'message form': {
    level: 'strict',
    source: 'house rule',
    about: 'a reply is HTTP/1.1, without trailers and extensions',
  },
  'no length': { level: 'strict', source: 'house rule', about: 'a reply has a Content-Length or chunks' },
  alive: { level: 'contract', source: 'RFC 9110 15.6', about: 'the server answers after the request' },
  'server error': { level: 'contract', source: 'RFC 9110 15.6', about: 'no request brings about a 5xx' },
  'right refused': { level: 'contract', source: 'OpenAPI Operation Object', about: 'a right request has a success' },
  'wrong accepted': { level: 'contract', source: 'OpenAPI Operation Object', about: 'a wrong request is refused' },
  'malformed accepted': {
    level: 'contract',
    source: 'RFC 9112 3, 5, 6, RFC 8259 2, 8.1',
    about: 'what is no HTTP, or not what its media type says, is refused',
  },
  'nobody accepted': {
    level: 'contract',
    source: 'OpenAPI Security Requirement Object',
    about: 'who may not call is refused',
  },
  'success undeclared': {
    level: 'contract',
    source: 'OpenAPI Responses Object',
    about: 'the status of a success is declared',
  },
  status: { level: 'strict', source: 'house rule', about: 'the status is the one that says what was wrong' },
  'status undeclared': {
    level: 'strict',
    source: 'house rule',
    about: 'the status of a refusal is declared, but for 408 and 431',
  },
  challenge: { level: 'contract', source: 'RFC 9110 15.5.2, 11.6.1', about: 'a 401 has a well-formed challenge' },
  'challenge parameters': {
    level: 'contract',
    source: 'RFC 6750 3, RFC 7617 2',
    about: 'a challenge has what its scheme requires',
  },
  'challenge error': { level: 'strict', source: 'RFC 6750 3.1 (SHOULD)', about: 'a challenge says what was wrong' },
  allow: { level: 'contract', source: 'RFC 9110 15.5.6', about: 'a 405 has Allow' },
  'allow exact': { level: 'strict', source: 'house rule', about: 'Allow lists what the contract has' },
  'media type': {
    level: 'contract',
    source: 'OpenAPI Response Object (content)',
    about: 'the media type is a declared one',
  },
  'media type exact': { level: 'strict', source: 'house rule', about: 'the media type is written as it is declared' },
  'body unread': { level: 'contract', source: 'RFC 8259 2, 8.1', about: 'the body is what its media type says' },
  schema: {
    level: 'contract',
    source: 'OpenAPI Media Type Object (schema)',
    about: 'the body is what its schema says',
  },
  header: { level: 'contract', source: 'OpenAPI Header Object', about: 'declared headers are there, and as declared' },
  'header repeated': { level: 'contract', source: 'RFC 9110 5.3', about: 'a header that has one value is there once' },
  'header twice': { level: 'strict', source: 'house rule', about: 'a header is one line' },
  'header undeclared': { level: 'strict', source: 'house rule', about: 'a header is declared, or HTTP has it' },
  'body undeclared': { level: 'strict', source: 'house rule', about: 'there is no body where none is declared' },
  'names twice': { level: 'strict', source: 'RFC 8259 4 (SHOULD)', about: 'no object of the body has a name twice' },
  'property undeclared': { level: 'strict', source: 'house rule', about: 'the schema names each property' },
  'error number': { level: 'strict', source: 'x-error-catalogue', about: 'an error has a number of its status' },
  echo: { level: 'strict', source: 'house rule', about: 'a reply repeats what was sent' },
  'same reply': { level: 'strict', source: 'house rule', about: 'the same request has the same reply' },
  'stale accepted': {
    level: 'contract',
    source: 'RFC 9110 13.1.1, 13.2.1',
    about: 'nothing is changed while If-Match does not match',
  },
  location: { level: 'contract', source: 'RFC 9110 15.3.2', about: 'the Location of a 201 leads to what was created' },
  'merge patch': { level: 'contract', source: 'RFC 7396 2', about: 'what a merge patch does not name stays as it is' },
  another: {
    level: 'robust',
    source: 'RFC 9110 9.3.1, 15.3.2',
    about: 'what has an id is the one that was made with it',
  },
  changed: { level: 'robust', source: 'RFC 9110 9.3.4', about: 'once a change was answered, it can be read' },
  gone: {
    level: 'robust',
    source: 'RFC 9110 9.3.5',
    about: 'what was deleted cannot be read, where that has a status',
  },
  unconditional: { level: 'strict', source: 'RFC 6585 3', about: 'where 428 is declared, a change needs If-Match' },
  'deleted twice': { level: 'strict', source: 'house rule', about: 'what is not there is not deleted with success' },
  listed: { level: 'strict', source: 'house rule', about: 'the pages of a list have each that is there, once' },
  kept: { level: 'strict', source: 'house rule', about: 'what was created or changed is kept, and can be read' },
  handed: { level: 'strict', source: 'house rule', about: 'a handler gets what was sent' },
  leak: { level: 'strict', source: 'house rule', about: 'the reply tells nothing of the inside of the server' },
} as const satisfies Readonly<Record<string, Check>>;

/** The name of a check. */
export type CheckName = keyof typeof CHECKS;

/** Something that is wrong with a reply. */
export interface Finding {
  readonly check: CheckName;
  /** What it is, for people. */
  readonly text: string;
  /** The JSON pointer of the declared reply; unset when the contract is not the source of the check. */
  readonly pointer?: string;
}

export function toFindings(check: CheckName, texts: readonly string[]): Finding[] {
  return texts.map((text) => ({ check, text }));
}

/** What is needed to judge a reply. */
export interface Oracle {
  readonly model: Model;
  readonly validate: Validate;
  readonly secrets: Secrets;
  readonly level: Level;
  /** Names of headers that middleware adds to replies, in lower case. */
  readonly headers: ReadonlySet<string>;
}

/** The result of a case. */
export interface CaseResult {
  readonly case: Case;
  readonly replies: readonly WireReply[];
  /** Everything that is wrong; empty when the case passed. */
  readonly findings: readonly Finding[];
}
