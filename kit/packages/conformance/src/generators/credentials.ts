// Credentials contain placeholders, which are replaced by the secrets when the request is sent.
import type { Scheme } from '../contract/model';
import type { Header } from '../wire/request';
import { secretOf, type SecretChange } from '../wire/secret';

export interface Credentials {
  readonly headers?: readonly Header[];
  /** Encoded `key=secret` pairs. */
  readonly query?: readonly string[];
  readonly cookies?: readonly string[];
}

export const NO_CREDENTIALS: Credentials = {};

export function validCredentials(schemes: readonly Scheme[]): Required<Credentials> {
  return joinCredentials(schemes.map((scheme) => credentialsWithSecret(scheme)));
}

export function joinCredentials(credentialsList: readonly Credentials[]): Required<Credentials> {
  return {
    headers: credentialsList.flatMap(({ headers = [] }) => headers),
    query: credentialsList.flatMap(({ query = [] }) => query),
    cookies: credentialsList.flatMap(({ cookies = [] }) => cookies),
  };
}

/** @param change makes the secret wrong, such as `with one character more` */
export function credentialsWithSecret(scheme: Scheme, change?: SecretChange): Credentials {
  return credentialsWithText(scheme, secretOf(scheme.name, secretEncodingOf(scheme), change));
}

export function secretEncodingOf(scheme: Scheme): 'plain' | 'base64' | 'uri' {
  if (scheme.kind === 'basic') return 'base64';
  return scheme.in === 'query' ? 'uri' : 'plain';
}

/** Sends `text` where the scheme expects its secret. */
export function credentialsWithText(scheme: Scheme, text: string): Credentials {
  const keyName = scheme.parameter ?? '';
  if (scheme.kind === 'bearer') return { headers: [['Authorization', `Bearer ${text}`]] };
  if (scheme.kind === 'basic') return { headers: [['Authorization', `Basic ${text}`]] };
  if (scheme.in === 'query') return { query: [`${encodeURIComponent(keyName)}=${text}`] };
  if (scheme.in === 'cookie') return { cookies: [`${keyName}=${text}`] };
  return { headers: [[keyName, text]] };
}
