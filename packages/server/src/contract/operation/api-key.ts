// Reads the keys of an apiKey scheme.
import type { CredentialsCarrier, CredentialsReader } from './credential-types';
import { parseCookies } from '../text/cookies';
import type { SecurityScheme } from '../document/document';
import { Mistake } from '../document/mistake';
import { headerTexts } from '../text/header-texts';
import { splitPairs, tryDecodeForm } from '../text/form-pairs';

/** @throws Mistake when the scheme has no name, or an unknown location */
export function createKeyReader(scheme: SecurityScheme): CredentialsReader {
  const { name, in: location } = scheme;
  if (name === undefined) throw new Mistake(scheme, 'an apiKey needs a name');
  const listKeys = createKeyLister(scheme, name, location);
  return {
    // What WWW-Authenticate names when the key is missing.
    challenge: 'ApiKey',
    // A query has no other parameters than the declared ones and this.
    parameter: location === 'query' ? name : undefined,
    isPresent: (request) => listKeys(request).length > 0,
    // Of several keys, none counts: nothing tells which one the client means.
    read: (request) => {
      const [key, another] = listKeys(request);
      return another === undefined && key !== '' ? key : undefined;
    },
  };
}

function createKeyLister(
  scheme: SecurityScheme,
  name: string,
  location: string | undefined,
): (request: CredentialsCarrier) => string[] {
  switch (location) {
    case 'header':
      return ({ headers }) => headerTexts(headers, name);
    case 'query':
      return ({ queryText }) => {
        const pairs = splitPairs(queryText).filter(([encodedName]) => tryDecodeForm(encodedName) === name);
        // A key with a malformed encoding is present, but no valid key.
        return pairs.map(([, text]) => tryDecodeForm(text) ?? '');
      };
    case 'cookie':
      return ({ headers }) => parseCookies(headers.cookie).flatMap(([cookie, text]) => (cookie === name ? text : []));
    default:
      throw new Mistake(scheme, 'an apiKey is in header, query or cookie', 'in');
  }
}
