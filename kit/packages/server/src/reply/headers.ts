// Creates the headers that an error's status requires, and Cache-Control for replies that are meant for one caller.
import type { CredentialsCarrier, Operation } from '@contract-kit/contract';
import { ScopeRefusal, type Refusal } from '../errors/refusal';
import type { ServerResponse } from 'node:http';

interface RefusedTarget {
  /** Undefined if the path is unknown, or does not support the method. */
  readonly operation: Operation | undefined;
  readonly methods: readonly string[];
}

type ToRefusalHeaders = (refusal: Refusal, status: number, target: RefusedTarget) => Readonly<Record<string, string>>;

// Marks the replies of `notBuilt`, so that the conformance suite recognizes them whatever the contract declares, even for HEAD.
const NOT_BUILT_HEADER = 'X-Contract-Kit-Not-Built';

/** @param title the contract's title, which becomes the authentication realm */
export function createRefusalHeaders(title: string): ToRefusalHeaders {
  // RFC 9110 section 11.5: a realm is a quoted string.
  const realm = title.replace(/[^ -~]|["\\]/g, '');

  return function toRefusalHeaders(refusal, status, { operation, methods }) {
    if (!operation) return methods.length > 0 ? { Allow: methods.join(', ') } : {};
    if (status === 401) return { 'WWW-Authenticate': toChallenge(operation, realm, refusal) };
    const challenge = toScopeChallenge(realm, refusal);
    if (challenge !== undefined) return { 'WWW-Authenticate': challenge };
    return {
      ...(status === 503 && { 'Retry-After': '1' }),
      ...(refusal.kind === 'NOT_BUILT' && { [NOT_BUILT_HEADER]: 'true' }),
      ...(status === 415 && toAccepted(operation, refusal)),
    };
  };
}

// Lists the content coding (RFC 9110 section 12.5.3) or media types (section 12.5.1, RFC 5789 section 2.2) allowed in a body.
function toAccepted({ method, body }: Operation, { kind }: Refusal): Readonly<Record<string, string>> {
  if (kind === 'UNSUPPORTED_CONTENT_ENCODING') return { 'Accept-Encoding': 'identity' };
  // The parameters of a media type can contain characters that are not allowed in a header.
  const types = [...(body?.media.keys() ?? [])].filter((type) => !/[^ -~]/.test(type));
  return kind === 'UNSUPPORTED_MEDIA_TYPE'
    ? { [method === 'PATCH' ? 'Accept-Patch' : 'Accept']: types.join(', ') }
    : {};
}

// Returns WWW-Authenticate for a 401 (RFC 9110 section 11.6.1, RFC 6750 section 3). No registered scheme covers API keys.
function toChallenge({ security }: Operation, realm: string, { kind }: Refusal): string {
  const challenges = new Set(security.flat().map(({ challenge }) => challenge));
  const headers = [...challenges].map((challenge) => {
    // RFC 6750 section 3.1: no error parameter for a request without a token.
    const isBearerInvalid = challenge === 'Bearer' && kind === 'CREDENTIALS_INVALID';
    return `${challenge} realm="${realm}"${isBearerInvalid ? ', error="invalid_token"' : ''}`;
  });
  return headers.join(', ');
}

// Returns WWW-Authenticate for a bearer token that lacks scopes (RFC 6750 section 3.1); undefined for other refusals.
function toScopeChallenge(realm: string, refusal: Refusal): string | undefined {
  if (!(refusal instanceof ScopeRefusal) || refusal.bearerScopes === undefined) return undefined;
  // Leaves out scopes with characters that OAuth does not allow (RFC 6749 section 3.3).
  const scopes = refusal.bearerScopes.split(' ').filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  return `Bearer realm="${realm}", error="insufficient_scope", scope="${scopes.join(' ')}"`;
}

export type MarkPrivate = (carrier: CredentialsCarrier, res: ServerResponse) => void;

const CACHE_CONTROL = 'Cache-Control';

/**
 * Keeps replies to requests with an API key out of shared caches, which RFC 9111 section 3.5 requires only for Authorization. Does
 * not replace a Cache-Control set by middleware, or add one if the operation declares the header.
 */
export function createMarkPrivate({ security, replies }: Pick<Operation, 'security' | 'replies'>): MarkPrivate {
  const names = [...replies.values()].flatMap(({ headers }) => headers.map(({ name }) => name.toLowerCase()));
  const isDeclared = names.includes(CACHE_CONTROL.toLowerCase());
  const apiKeys = isDeclared ? [] : security.flat().filter(({ challenge }) => challenge === 'ApiKey');
  return (carrier, res) => {
    if (!apiKeys.some(({ isPresent }) => isPresent(carrier)) || res.hasHeader(CACHE_CONTROL)) return;
    res.setHeader(CACHE_CONTROL, 'private');
  };
}
