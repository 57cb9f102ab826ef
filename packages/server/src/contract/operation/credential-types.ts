// The kinds of credentials that security schemes ask for.
import type { IncomingHttpHeaders } from 'node:http';

export interface Credentials extends CredentialsReader {
  /** The scheme's name in the contract. */
  readonly scheme: string;
  /** The scopes, or the roles, that the operation asks for. */
  readonly scopes: readonly string[];
}

export interface CredentialsReader {
  /** The authentication scheme that a 401 names (RFC 9110 section 11.6.1). */
  readonly challenge: 'Bearer' | 'Basic' | 'ApiKey';
  /** The name of the query parameter that has the credentials; undefined if they are elsewhere. */
  readonly parameter?: string | undefined;
  /** Whether the request has credentials, well-formed or not. */
  readonly isPresent: (carrier: CredentialsCarrier) => boolean;
  /** A token, a key, or user:password; undefined if missing or malformed. */
  readonly read: (carrier: CredentialsCarrier) => string | undefined;
}

export interface CredentialsCarrier {
  readonly headers: IncomingHttpHeaders;
  /** Without the question mark. */
  readonly queryText: string;
}
