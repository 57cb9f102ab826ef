// Decodes the percent-encoded characters of URIs, queries and forms.

const PERCENT_ENCODED = /%[0-9A-Fa-f]{2}/g;
// RFC 3986 section 2.3: encoding these does not change the meaning of a URI.
const UNRESERVED = /[A-Za-z0-9._~-]/;

/**
 * Normalizes percent-encoding (RFC 3986 section 6.2.2). Reserved characters stay encoded, in upper case, because decoding them
 * could change the meaning of the path.
 *
 * @example decodeUnreserved('/%61%2f') // '/a%2F'
 */
export function decodeUnreserved(path: string): string {
  if (!path.includes('%')) return path;
  return path.replace(PERCENT_ENCODED, (encoded) => {
    const character = String.fromCharCode(parseInt(encoded.slice(1), 16));
    return UNRESERVED.test(character) ? character : encoded.toUpperCase();
  });
}

// RFC 3986 sections 3.3 and 2.1: characters such as é, which a path may contain only percent-encoded.
const NOT_ALLOWED_IN_PATH = /[^\w.~!$&'()*+,;=:@%/{}?#-]+/gu;

/** Percent-encodes a contract path the way it appears in a request. @example toRequestPath('/café') // '/caf%C3%A9' */
export function toRequestPath(path: string): string {
  return decodeUnreserved(
    path.replace(NOT_ALLOWED_IN_PATH, (text) => Buffer.from(text).toString('hex').toUpperCase().replace(/../g, '%$&')),
  );
}

/** A pair that is not decoded yet. */
type Pair = readonly [name: string, text: string];

/** Splits a query (RFC 3986 section 3.4) or an HTML form into pairs. @example splitPairs('a=1&&b') // [['a', '1'], ['b', '']] */
export function splitPairs(text: string): Pair[] {
  const pairs = text.split('&').filter((pair) => pair !== '');
  return pairs.map((pair): Pair => {
    const [name = ''] = pair.split('=', 1);
    return [name, pair.slice(name.length + 1)];
  });
}

/** Decodes percent-encoded UTF-8 (RFC 3986 section 2.1); undefined if it is malformed. @example tryDecode('%C3%A9+') // 'é+' */
export function tryDecode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Decodes percent-encoded UTF-8 in which + is a space, as HTML forms write it; undefined if it is malformed.
 *
 * @example tryDecodeForm('%C3%A9+') // 'é '
 */
export function tryDecodeForm(text: string): string | undefined {
  return tryDecode(text.replaceAll('+', ' '));
}
