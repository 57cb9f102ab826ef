import type { Carrier, Reading } from './carrier';
import { parseCookies } from './cookies';
import type { SecurityScheme } from './document';
import { Mistake } from './mistake';
import { splitPairs, tryDecodeForm } from './pairs';

/** @throws Mistake when it does not say where the key is */
export function toKeyReading(scheme: SecurityScheme): Reading {
  const { name, in: place } = scheme;
  if (name === undefined) throw new Mistake(scheme, 'an apiKey needs a name');
  const read = readerOf(scheme, name, place);
  return {
    challenge: 'ApiKey',
    parameter: place === 'query' ? name : undefined,
    isThere: (carrier) => read(carrier).length > 0,
    read: (carrier) => {
      const [key, another] = read(carrier);
      return another === undefined && key !== '' ? key : undefined;
    },
  };
}

function readerOf(scheme: SecurityScheme, name: string, place: string | undefined): (carrier: Carrier) => string[] {
  switch (place) {
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
