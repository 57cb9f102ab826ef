// The checks of a response, and what is needed to judge one.
import type { Level } from '../contract/standards';
import type { Case } from '../generators/case';
import type { WireReply } from '../wire/reply';
import type { Model } from '../contract/model';
import type { Validate } from '../validation/validator';
import type { Secrets } from '../wire/secret';

/** What a check demands, the lowest level at which it counts, and the standard behind it. */
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
    'no-response': ['RFC 9110 3.4', 'the server answers each request'],
    'connection-closed': ['RFC 9110 3.4', 'the server does not close the connection without a response'],
    'message-framing': ['RFC 9112 2.1, 6.3', 'the response is a well-formed HTTP message'],
    'server-alive': ['RFC 9110 15.6', 'the server still answers after the request'],
    'server-error': ['RFC 9110 15.6', 'the server does not answer with a 5xx'],
    'valid-refused': ['OpenAPI Operation Object', 'the server accepts a valid request'],
    'invalid-accepted': ['OpenAPI Operation Object', 'the server refuses an invalid request'],
    'malformed-accepted': [
      'RFC 9112 3, 5, 6, RFC 8259 2, 8.1',
      'the server refuses malformed HTTP, and a body that is malformed for its media type',
    ],
    'unauthorized-accepted': [
      'OpenAPI Security Requirement Object',
      'the server refuses a request without the required credentials',
    ],
    'success-undeclared': ['OpenAPI Responses Object', 'the contract declares the status of a success'],
    'www-authenticate': ['RFC 9110 15.5.2, 11.6.1', 'a 401 has a well-formed WWW-Authenticate header'],
    'www-authenticate-parameters': [
      'RFC 6750 3, RFC 7617 2',
      'WWW-Authenticate has the parameters that its scheme requires',
    ],
    'allow-header': ['RFC 9110 15.5.6', 'a 405 has an Allow header'],
    'content-type': ['OpenAPI Response Object (content)', 'the contract declares the Content-Type of the response'],
    'body-malformed': [
      'RFC 8259 2, 8.1, RFC 7464 2, NDJSON 3.1, HTML 9.2.5',
      'the body is well-formed for its media type',
    ],
    schema: ['OpenAPI Media Type Object (schema)', 'the body is valid against its schema'],
    'declared-header': ['OpenAPI Header Object', 'the response has the declared headers, with valid values'],
    'header-syntax': [
      'RFC 9110 5.6.7, 8.8, 10.2.3, 14.4',
      'ETag, Last-Modified, Retry-After and Content-Range are well-formed',
    ],
    'header-repeated': ['RFC 9110 5.3', 'a header that allows only one value occurs once'],
    'if-match-ignored': ['RFC 9110 13.1.1, 13.2.1', 'the server refuses a change whose If-Match does not match'],
    'if-none-match-ignored': ['RFC 9110 13.1.2', 'a current If-None-Match gets 304 for a GET, and * refuses a change'],
    'not-modified': ['RFC 9110 13.1.2, 13.1.3', 'a GET gets 304 only for the representation that its client has'],
    range: ['RFC 9110 13.1.5, 14.2, 14.4, 15.3.7', 'a 206 has the bytes of Content-Range, of what the client has'],
    'etag-unchanged': ['RFC 9110 8.8.1', 'a strong entity tag changes with the representation'],
    'head-length': ['RFC 9110 8.6', 'HEAD has the Content-Length of GET, or none'],
    'head-status': ['RFC 9110 9.3.2', 'HEAD does not find what GET does not'],
    'put-status': ['RFC 9110 9.3.4', 'PUT answers 201 if it creates the resource, and 200 or 204 if it changes it'],
    'location-target': ['RFC 9110 15.3.2', 'the Location of a 201 leads to the created resource'],
    'merge-patch': ['RFC 7396 2', 'a merge patch changes only the properties that it names'],
  }),
  ...atLevel('robust', {
    'refusal-status': [
      'RFC 9110 11.4, RFC 6750 3.1 (SHOULD)',
      'a request without valid credentials gets 401, and one with a token without scopes 403',
    ],
    'www-authenticate-error': ['RFC 6750 3.1 (SHOULD)', 'WWW-Authenticate has the right error code'],
    'allow-methods': ['RFC 9110 15.5.6', 'Allow lists the methods that the contract declares'],
    'response-length': ['RFC 9112 6.3 (SHOULD)', 'a successful response has a Content-Length or is chunked'],
    'duplicate-member': ['RFC 8259 4 (SHOULD)', 'no JSON object in the body has the same name twice'],
    'write-only-returned': ['JSON Schema Validation 9.4', 'no property of the body is writeOnly'],
    'handler-input': ['OpenAPI Parameter Object, Media Type Object', 'the handler receives the values that were sent'],
    'wrong-resource': ['RFC 9110 9.3.1, 15.3.2', 'an id leads to the resource that was created with it'],
    'update-not-saved': ['RFC 9110 9.3.4', 'a successful change shows in the next read'],
    'head-fields': ['RFC 9110 9.3.2 (SHOULD)', 'a field in the reply to HEAD has the value that it has for GET'],
    'etag-given': ['RFC 9110 9.3.4, 15.3.2', 'the next GET has the ETag of the reply to a creation or PUT'],
    'if-match-not-required': [
      'RFC 6585 3',
      'the server refuses a change without If-Match, where the contract declares 428',
    ],
    'if-match-race': ['RFC 9110 13.1.1', 'of two concurrent changes with the same If-Match at most one succeeds'],
    'wrong-parent': ['common expectation', 'a resource is found only below its own parent'],
    'accepted-lost': ['RFC 9110 15.3.3', 'the Location of a 202 leads to something'],
    'idempotency-key': [
      'Parameter Object (description)',
      'a second request with the same Idempotency-Key creates nothing',
    ],
    'resource-lost': ['RFC 9110 15.3.2', 'a created resource can be read until it is deleted'],
    'other-changed': ['RFC 9110 9.3.4', 'a request changes no other resource than its own'],
    'default-not-applied': ['OpenAPI Schema Object (default)', 'a property that was not sent gets its default'],
    'read-only-stored': ['JSON Schema Validation 9.4', 'the server does not store a readOnly property that it is sent'],
    'value-changed': ['RFC 9110 9.3.4', 'what a client stored is read as it was sent'],
    'deleted-readable': ['RFC 9110 9.3.5', 'a deleted resource cannot be read, where the contract declares 404 or 410'],
    'created-not-listed': ['OpenAPI Operation Object', 'a created resource is in the list, as others of its kind are'],
    'deleted-listed': ['RFC 9110 9.3.5', 'a list has no resource that is deleted and cannot be read any more'],
    'listed-twice': ['common expectation', 'a resource whose id its client chose is in the list once'],
    'unexpected-item': [
      'RFC 9110 9.3.4, 15.5.1',
      'neither a change of another resource nor a refused request adds an item to the list',
    ],
    'put-merged': [
      'RFC 9110 9.3.4',
      'PUT replaces the whole resource: it does not keep the properties that it leaves out',
    ],
    'action-property-lost': ['common expectation', 'a POST action keeps the properties that it does not name'],
    'lost-update': ['common expectation', 'two concurrent changes of different properties are both kept'],
    'duplicate-created': ['common expectation', 'a duplicate is a conflict even when both are created concurrently'],
    'object-authorization': [
      'OpenAPI Responses Object (403)',
      "another caller cannot use the first caller's resource, where the contract declares 403",
    ],
    'stream-not-freed': ['common expectation', 'streams that clients left take no room from others'],
    'pagination-missing': ['common expectation', 'the list has the same items, whatever the page size'],
    'pagination-duplicate': ['common expectation', 'no item is on two pages of a list, or twice on one'],
    'pagination-limit': ['common expectation', 'a page has at most as many items as the request asks for'],
    'filter-ignored': [
      'common expectation',
      'a query parameter with the name and enum of a property lists only the items with its value',
    ],
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

/** A response that breaks a check. */
export interface Finding {
  readonly check: CheckName;
  /** What is wrong, in words. */
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
}

/** The result of a case. */
export interface CaseResult {
  readonly case: Case;
  readonly replies: readonly WireReply[];
  /** Empty when the case passed. */
  readonly findings: readonly Finding[];
}
