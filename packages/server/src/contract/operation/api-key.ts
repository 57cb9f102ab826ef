// Reads the keys of an apiKey scheme.
import type { CredentialsCarrier, CredentialsReader } from './credential-types';
import { parseCookies } from '../text/cookies';
import type { SecurityScheme } from '../document/document';
import { Mistake } from '../document/mistake';
import { splitPairs, tryDecodeForm } from '../text/form-pairs';

/**
 * Creates the reader of an apiKey scheme's credentials.
 *
 * @throws Mistake when the scheme has no name, or an unknown location
 */
export function createKeyReader(scheme: SecurityScheme): CredentialsReader {
  const { name, in: location } = scheme;
  if (name === undefined) throw new Mistake(scheme, 'an apiKey needs a name');
  const findKeys = createKeyFinder(scheme, name, location);
  return {
    challenge: 'ApiKey',
    parameter: location === 'query' ? name : undefined,
    isPresent: (carrier) => findKeys(carrier).length > 0,
    read: (carrier) => {
      const [key, another] = findKeys(carrier);
      return another === undefined && key !== '' ? key : undefined;
    },
  };
}

/** The function returns every key that a request has at the scheme's location. */
function createKeyFinder(
  scheme: SecurityScheme,
  name: string,
  location: string | undefined,
): (carrier: CredentialsCarrier) => string[] {
  switch (location) {
    case 'header':
      return ({ headers }) => [headers[name.toLowerCase()] ?? []].flat();
    case 'query':
      return ({ queryText }) =>
        splitPairs(queryText).flatMap(([key, text]) =>
          tryDecodeForm(key) === name ? (tryDecodeForm(text) ?? '') : [],
        );
    case 'cookie':
      return ({ headers }) => parseCookies(headers.cookie).flatMap(([key, text]) => (key === name ? text : []));
    default:
      throw new Mistake(scheme, 'an apiKey is in header, query or cookie', 'in');
  }
}
