import type { Level } from '../contract/standards';
import type { Case } from '../generators/case';
import type { WireReply } from '../wire/reply';
import type { Model } from '../contract/model';
import type { Validate } from '../validation/validator';
import type { Json } from '../wire/json';
import type { Secrets } from '../wire/secret';

/** The lowest level at which a check counts, and the standard behind it. */
export interface Check {
  readonly level: Level;
  readonly source: string;
}

/**
 * Every check, keyed by name.
 *
 * @example const { level, source } = CHECKS[finding.check]
 */
export const CHECKS = {
  ...atLevel('contract', {
    'no-response': 'RFC 9110 3.4',
    'connection-closed': 'RFC 9110 3.4',
    'message-framing': 'RFC 9112 2.1, 6.3',
    'server-alive': 'RFC 9110 15.6',
    'server-error': 'RFC 9110 15.6',
    'valid-refused': 'OpenAPI Operation Object',
    'invalid-accepted': 'OpenAPI Operation Object',
    'malformed-accepted': 'RFC 9112 3, 5, 6, RFC 8259 2, 8.1',
    'unauthorized-accepted': 'OpenAPI Security Requirement Object',
    'success-undeclared': 'OpenAPI Responses Object',
    'www-authenticate': 'RFC 9110 15.5.2, 11.6.1',
    'allow-header': 'RFC 9110 15.5.6',
    'content-type': 'OpenAPI Response Object (content)',
    'body-malformed': 'RFC 8259 2, 8.1, RFC 7464 2, NDJSON 3.1, HTML 9.2.5',
    schema: 'OpenAPI Media Type Object (schema)',
    'declared-header': 'OpenAPI Header Object',
    'header-syntax': 'RFC 9110 5.6.7, 8.8, 10.2.3, 14.4',
    'if-match-ignored': 'RFC 9110 13.1.1, 13.2.1',
    'if-none-match-ignored': 'RFC 9110 13.1.2',
    'not-modified': 'RFC 9110 13.1.2, 13.1.3',
    range: 'RFC 9110 13.1.5, 14.2, 14.4, 15.3.7',
    'etag-unchanged': 'RFC 9110 8.8.1',
    'head-length': 'RFC 9110 8.6',
    'head-status': 'RFC 9110 9.3.2',
    'put-status': 'RFC 9110 9.3.4',
    'location-target': 'RFC 9110 15.3.2',
    'merge-patch': 'RFC 7396 2',
  }),
  ...atLevel('robust', {
    'refusal-status': 'RFC 9110 11.4, RFC 6750 3.1 (SHOULD)',
    'www-authenticate-error': 'RFC 6750 3.1 (SHOULD)',
    'write-only-returned': 'JSON Schema Validation 9.4',
    'handler-input': 'OpenAPI Parameter Object, Media Type Object',
    'wrong-resource': 'RFC 9110 9.3.1, 15.3.2',
    'update-not-saved': 'RFC 9110 9.3.4',
    'head-fields': 'RFC 9110 9.3.2 (SHOULD)',
    'etag-given': 'RFC 9110 9.3.4, 15.3.2',
    'if-match-not-required': 'RFC 6585 3',
    'wrong-parent': 'common expectation',
    'accepted-lost': 'RFC 9110 15.3.3',
    'idempotency-key': 'draft-ietf-httpapi-idempotency-key-header 2',
    'resource-lost': 'RFC 9110 15.3.2',
    'other-changed': 'RFC 9110 9.3.4',
    'default-not-applied': 'OpenAPI Schema Object (default)',
    'read-only-stored': 'JSON Schema Validation 9.4',
    'value-changed': 'RFC 9110 9.3.4',
    'deleted-readable': 'RFC 9110 9.3.5',
    'created-not-listed': 'OpenAPI Operation Object',
    'deleted-listed': 'RFC 9110 9.3.5',
    'listed-twice': 'common expectation',
    'unexpected-item': 'RFC 9110 9.3.4, 15.5.1',
    'put-merged': 'RFC 9110 9.3.4',
    'action-property-lost': 'common expectation',
    'lost-update': 'common expectation',
    'duplicate-created': 'common expectation',
    'object-authorization': 'OpenAPI Responses Object (403)',
    'pagination-missing': 'common expectation',
    'pagination-duplicate': 'common expectation',
    'pagination-limit': 'common expectation',
    'filter-ignored': 'common expectation',
  }),
};

function atLevel<Name extends string>(level: Level, sources: Readonly<Record<Name, string>>): Record<Name, Check> {
  const checks = Object.entries<string>(sources).map(([name, source]) => [name, { level, source }]);
  return Object.fromEntries(checks) as Record<Name, Check>;
}

/** A key of `CHECKS`. */
export type CheckName = keyof typeof CHECKS;

/** A failed check. */
export interface Finding {
  readonly check: CheckName;
  readonly text: string;
  /** The JSON pointer of the declared reply. Missing if the check does not come from the contract. */
  readonly pointer?: string;
  /** The list item that shows the failure. */
  readonly item?: Json | undefined;
}

export function toFindings(check: CheckName, texts: readonly string[]): Finding[] {
  return texts.map((text) => ({ check, text }));
}

/** Everything needed to check a reply. */
export interface Oracle {
  readonly model: Model;
  readonly validate: Validate;
  readonly secrets: Secrets;
  readonly level: Level;
}

/** The replies to a case, and what is wrong with them. */
export interface CaseResult {
  readonly case: Case;
  readonly replies: readonly WireReply[];
  readonly findings: readonly Finding[];
  /** Why the case proves nothing, such as that it was not sent. */
  readonly unproven?: string;
  /** The baseline entries that match this result. */
  readonly known?: readonly string[];
}
