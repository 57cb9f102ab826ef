import type { IncomingHttpHeaders } from 'node:http';

/** The credentials of a security scheme. */
export interface Credentials extends CredentialsReader {
  /** The scheme's name in the contract. */
  readonly scheme: string;
}

/** How credentials of a kind are read. */
export interface CredentialsReader {
  /** What a 401 asks for (RFC 9110 section 11.6.1). */
  readonly challenge: 'Bearer' | 'Basic' | 'ApiKey';
  /** The query parameter that they are in. */
  readonly parameter?: string | undefined;
  /** Whether there are any, of whatever form. */
  readonly isThere: (carrier: CredentialsCarrier) => boolean;
  /** A token, a key, or user:password; undefined where they are not there or malformed. */
  readonly read: (carrier: CredentialsCarrier) => string | undefined;
}

/** What of a request may carry credentials. */
export interface CredentialsCarrier {
  readonly headers: IncomingHttpHeaders;
  /** Without the question mark. */
  readonly queryText: string;
}
