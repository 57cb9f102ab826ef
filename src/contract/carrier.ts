import type { IncomingHttpHeaders } from 'node:http';

/** The credentials of a security scheme. */
export interface Credentials extends Reading {
  /** The scheme's name in the contract. */
  readonly scheme: string;
}

/** How credentials of a kind are read. */
export interface Reading {
  /** What a 401 asks for (RFC 9110 section 11.6.1). */
  readonly challenge: 'Bearer' | 'Basic' | 'ApiKey';
  /** The query parameter that they are in. */
  readonly parameter?: string | undefined;
  /** Whether there are any, of whatever form. */
  readonly isThere: (carrier: Carrier) => boolean;
  /** A token, a key, or user:password; undefined where they are not there or malformed. */
  readonly read: (carrier: Carrier) => string | undefined;
}

/** What of a request may carry credentials. */
export interface Carrier {
  readonly headers: IncomingHttpHeaders;
  /** Without the question mark. */
  readonly queryText: string;
}
