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
  ...atLevel('contract', {
    'no-response': ['RFC 9110 3.4', 'a request has a reply'],
    'connection-closed': ['RFC 9110 3.4', 'the connection of a request is not closed without a reply'],
    'message-framing': ['RFC 9112 2.1, 6.3', 'the head and the length of the reply are HTTP'],
    'server-alive': ['RFC 9110 15.6', 'the server answers after the request'],
    'server-error': ['RFC 9110 15.6', 'no request leads to a 5xx'],
    'valid-refused': ['OpenAPI Operation Object', 'a valid request has a success'],
    'invalid-accepted': ['OpenAPI Operation Object', 'an invalid request is refused'],
    'malformed-accepted': [
      'RFC 9112 3, 5, 6, RFC 8259 2, 8.1',
      'a message that is not HTTP, or not what its media type says, is refused',
    ],
    'unauthorized-accepted': [
      'OpenAPI Security Requirement Object',
      'a request without the required credentials is refused',
    ],
    'success-undeclared': ['OpenAPI Responses Object', 'the status of a success is declared'],
    'www-authenticate': ['RFC 9110 15.5.2, 11.6.1', 'a 401 has a well-formed challenge'],
    'www-authenticate-parameters': ['RFC 6750 3, RFC 7617 2', 'a challenge has what its scheme requires'],
    'allow-header': ['RFC 9110 15.5.6', 'a 405 has Allow'],
    'content-type': ['OpenAPI Response Object (content)', 'the media type is a declared one'],
    'body-malformed': ['RFC 8259 2, 8.1', 'the body is what its media type says'],
    schema: ['OpenAPI Media Type Object (schema)', 'the body is what its schema says'],
    'declared-header': ['OpenAPI Header Object', 'declared headers are there, and as declared'],
    'header-repeated': ['RFC 9110 5.3', 'a header that has one value is there once'],
    'if-match-ignored': ['RFC 9110 13.1.1, 13.2.1', 'nothing is changed while If-Match does not match'],
    'location-target': ['RFC 9110 15.3.2', 'the Location of a 201 leads to what was created'],
    'merge-patch': ['RFC 7396 2', 'what a merge patch does not name stays as it is'],
  }),
  ...atLevel('robust', {
    'wrong-resource': ['RFC 9110 9.3.1, 15.3.2', 'an id leads to the resource that was created with it'],
    'update-not-saved': ['RFC 9110 9.3.4', 'a completed change can be read'],
    'deleted-readable': ['RFC 9110 9.3.5', 'a deleted resource cannot be read, where that has a declared status'],
    'created-not-listed': [
      'OpenAPI Operation Object',
      'what was created is in the list, as other resources of its kind are',
    ],
    'created-property-lost': ['RFC 9110 15.3.2', 'a property that the reply to a creation shows can be read'],
    'put-merged': ['RFC 9110 9.3.4', 'a property that PUT does not name is not what it was'],
    'action-property-lost': ['plain reason', 'a POST on a resource keeps the properties that it does not name'],
    'lost-update': ['plain reason', 'of two changes at once of other properties, both can be read'],
    'duplicate-created': ['plain reason', 'what is a conflict one after the other is one at once, too'],
    'id-reused': ['plain reason', 'a resource does not have the id that a deleted one had'],
    'object-authorization': [
      'OpenAPI Responses Object (403)',
      "another caller has no success with the first caller's resource, where 403 is declared",
    ],
    'pagination-missing': ['plain reason', 'pages of each size have the same resources'],
    'pagination-duplicate': ['plain reason', 'the pages of a list have no resource twice'],
    'pagination-limit': ['plain reason', 'a page has no more resources than its limit'],
    'filter-ignored': ['plain reason', 'a parameter with the name and values of a property lists what has the value'],
  }),
  ...atLevel('strict', {
    'unusual-http': ['house rule', 'a reply is HTTP/1.1, without trailers and extensions'],
    'response-length': ['house rule', 'a reply has a Content-Length or chunks'],
    status: ['house rule', 'the status says why the request was refused'],
    'status-undeclared': ['house rule', 'the status of a refusal is declared, but for 408 and 431'],
    'www-authenticate-error': ['RFC 6750 3.1 (SHOULD)', 'a challenge says what was wrong'],
    'allow-methods': ['house rule', 'Allow lists what the contract has'],
    'content-type-spelling': ['house rule', 'the media type is written as it is declared'],
    'header-split': ['house rule', 'a header is one line'],
    'header-undeclared': ['house rule', 'a header is declared, or HTTP has it'],
    'body-undeclared': ['house rule', 'there is no body where none is declared'],
    'duplicate-member': ['RFC 8259 4 (SHOULD)', 'no object of the body has a name twice'],
    'property-undeclared': ['house rule', 'the schema names each property'],
    'error-number': ['x-error-catalogue', 'an error has a number of its status'],
    'round-trip': ['house rule', 'a success shows the properties as they were sent'],
    'if-match-not-required': ['RFC 6585 3', 'where 428 is declared, a change needs If-Match'],
    'deleted-twice': ['house rule', 'a deleted resource is not deleted again with success'],
    'list-complete': ['house rule', 'the pages of a list have each resource once'],
    persisted: ['house rule', 'a created or changed resource is kept, and can be read'],
    'handler-input': ['house rule', 'a handler gets the values that were sent'],
    'information-leak': ['house rule', 'the reply has no secret, stack trace or path of the server'],
  }),
};

function atLevel<Name extends string>(
  level: Level,
  rows: Readonly<Record<Name, readonly [source: string, about: string]>>,
): Readonly<Record<Name, Check>> {
  const entries = Object.entries<readonly [string, string]>(rows);
  return Object.fromEntries(entries.map(([name, [source, about]]) => [name, { level, source, about }])) as Record<
    Name,
    Check
  >;
}

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
