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
  'no-response': { level: 'contract', source: 'RFC 9110 3.4', about: 'a request has a reply' },
  'connection-closed': {
    level: 'contract',
    source: 'RFC 9110 3.4',
    about: 'the connection of a request is not closed without a reply',
  },
  'message-framing': {
    level: 'contract',
    source: 'RFC 9112 2.1, 6.3',
    about: 'the head and the length of the reply are HTTP',
  },
  'message-form': {
    level: 'strict',
    source: 'house rule',
    about: 'a reply is HTTP/1.1, without trailers and extensions',
  },
  'response-length': { level: 'strict', source: 'house rule', about: 'a reply has a Content-Length or chunks' },
  'server-alive': { level: 'contract', source: 'RFC 9110 15.6', about: 'the server answers after the request' },
  'server-error': { level: 'contract', source: 'RFC 9110 15.6', about: 'no request leads to a 5xx' },
  'valid-refused': { level: 'contract', source: 'OpenAPI Operation Object', about: 'a valid request has a success' },
  'invalid-accepted': { level: 'contract', source: 'OpenAPI Operation Object', about: 'an invalid request is refused' },
  'malformed-accepted': {
    level: 'contract',
    source: 'RFC 9112 3, 5, 6, RFC 8259 2, 8.1',
    about: 'a message that is not HTTP, or not what its media type says, is refused',
  },
  'unauthorized-accepted': {
    level: 'contract',
    source: 'OpenAPI Security Requirement Object',
    about: 'a request without the required credentials is refused',
  },
  'success-undeclared': {
    level: 'contract',
    source: 'OpenAPI Responses Object',
    about: 'the status of a success is declared',
  },
  status: { level: 'strict', source: 'house rule', about: 'the status says why the request was refused' },
  'status-undeclared': {
    level: 'strict',
    source: 'house rule',
    about: 'the status of a refusal is declared, but for 408 and 431',
  },
  challenge: { level: 'contract', source: 'RFC 9110 15.5.2, 11.6.1', about: 'a 401 has a well-formed challenge' },
  'challenge-parameters': {
    level: 'contract',
    source: 'RFC 6750 3, RFC 7617 2',
    about: 'a challenge has what its scheme requires',
  },
  'challenge-error': { level: 'strict', source: 'RFC 6750 3.1 (SHOULD)', about: 'a challenge says what was wrong' },
  'allow-header': { level: 'contract', source: 'RFC 9110 15.5.6', about: 'a 405 has Allow' },
  'allow-methods': { level: 'strict', source: 'house rule', about: 'Allow lists what the contract has' },
  'media-type': {
    level: 'contract',
    source: 'OpenAPI Response Object (content)',
    about: 'the media type is a declared one',
  },
  'media-type-spelling': {
    level: 'strict',
    source: 'house rule',
    about: 'the media type is written as it is declared',
  },
  'body-malformed': { level: 'contract', source: 'RFC 8259 2, 8.1', about: 'the body is what its media type says' },
  schema: {
    level: 'contract',
    source: 'OpenAPI Media Type Object (schema)',
    about: 'the body is what its schema says',
  },
  'declared-header': {
    level: 'contract',
    source: 'OpenAPI Header Object',
    about: 'declared headers are there, and as declared',
  },
  'header-repeated': { level: 'contract', source: 'RFC 9110 5.3', about: 'a header that has one value is there once' },
  'header-lines': { level: 'strict', source: 'house rule', about: 'a header is one line' },
  'header-undeclared': { level: 'strict', source: 'house rule', about: 'a header is declared, or HTTP has it' },
  'body-undeclared': { level: 'strict', source: 'house rule', about: 'there is no body where none is declared' },
  'duplicate-member': {
    level: 'strict',
    source: 'RFC 8259 4 (SHOULD)',
    about: 'no object of the body has a name twice',
  },
  'property-undeclared': { level: 'strict', source: 'house rule', about: 'the schema names each property' },
  'error-number': { level: 'strict', source: 'x-error-catalogue', about: 'an error has a number of its status' },
  'returned-as-sent': {
    level: 'strict',
    source: 'house rule',
    about: 'a success shows the properties as they were sent',
  },
  'stale-accepted': {
    level: 'contract',
    source: 'RFC 9110 13.1.1, 13.2.1',
    about: 'nothing is changed while If-Match does not match',
  },
  'location-target': {
    level: 'contract',
    source: 'RFC 9110 15.3.2',
    about: 'the Location of a 201 leads to what was created',
  },
  'merge-patch': { level: 'contract', source: 'RFC 7396 2', about: 'what a merge patch does not name stays as it is' },
  'wrong-resource': {
    level: 'robust',
    source: 'RFC 9110 9.3.1, 15.3.2',
    about: 'an id leads to the resource that was created with it',
  },
  'change-lost': { level: 'robust', source: 'RFC 9110 9.3.4', about: 'a completed change can be read' },
  'deleted-readable': {
    level: 'robust',
    source: 'RFC 9110 9.3.5',
    about: 'a deleted resource cannot be read, where that has a declared status',
  },
  'created-unlisted': {
    level: 'robust',
    source: 'OpenAPI Operation Object',
    about: 'what was created is in the list, as other resources of its kind are',
  },
  'created-dropped': {
    level: 'robust',
    source: 'RFC 9110 15.3.2',
    about: 'a property that the reply to a creation shows can be read',
  },
  'put-merged': {
    level: 'robust',
    source: 'RFC 9110 9.3.4',
    about: 'a property that PUT does not name is not what it was',
  },
  'action-dropped': {
    level: 'robust',
    source: 'plain reason',
    about: 'a POST on a resource keeps the properties that it does not name',
  },
  'update-lost': {
    level: 'robust',
    source: 'plain reason',
    about: 'of two changes at once of other properties, both can be read',
  },
  'duplicate-created': {
    level: 'robust',
    source: 'plain reason',
    about: 'what is a conflict one after the other is one at once, too',
  },
  'id-reused': {
    level: 'robust',
    source: 'plain reason',
    about: 'a resource does not have the id that a deleted one had',
  },
  'foreign-accepted': {
    level: 'robust',
    source: 'OpenAPI Responses Object (403)',
    about: "another caller has no success with the first caller's resource, where 403 is declared",
  },
  'page-lost': { level: 'robust', source: 'plain reason', about: 'pages of each size have the same resources' },
  'page-doubled': { level: 'robust', source: 'plain reason', about: 'the pages of a list have no resource twice' },
  'page-size': { level: 'robust', source: 'plain reason', about: 'a page has no more resources than its limit' },
  'filter-ignored': {
    level: 'robust',
    source: 'plain reason',
    about: 'a parameter with the name and values of a property lists what has the value',
  },
  'unconditional-accepted': {
    level: 'strict',
    source: 'RFC 6585 3',
    about: 'where 428 is declared, a change needs If-Match',
  },
  'deleted-twice': {
    level: 'strict',
    source: 'house rule',
    about: 'a deleted resource is not deleted again with success',
  },
  'list-complete': { level: 'strict', source: 'house rule', about: 'the pages of a list have each resource once' },
  persisted: { level: 'strict', source: 'house rule', about: 'a created or changed resource is kept, and can be read' },
  'received-as-sent': { level: 'strict', source: 'house rule', about: 'a handler gets the values that were sent' },
  'information-leak': {
    level: 'strict',
    source: 'house rule',
    about: 'the reply has no secret, stack trace or path of the server',
  },
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
