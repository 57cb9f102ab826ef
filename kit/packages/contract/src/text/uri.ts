// Decodes the percent-encoded characters of URIs, queries and forms.

const PERCENT_ENCODED = /%[0-9A-Fa-f]{2}/g;
// Matches an unreserved character, whose encoding does not change the meaning of a URI (RFC 3986 section 2.3).
const UNRESERVED = /[A-Za-z0-9._~-]/;

/**
 * Normalizes percent-encoding (RFC 3986 section 6.2.2). Reserved characters stay encoded, with uppercase digits, because
 * decoding them could change the meaning of the path.
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

// Matches characters that must be percent-encoded in a path, such as é (RFC 3986 sections 2.1 and 3.3).
const NOT_ALLOWED_IN_PATH = /[^\w.~!$&'()*+,;=:@%/{}?#-]+/gu;

/** Percent-encodes a path of the contract, as clients do. @example toRequestPath('/café') // '/caf%C3%A9' */
export function toRequestPath(path: string): string {
  return decodeUnreserved(
    path.replace(NOT_ALLOWED_IN_PATH, (text) => Buffer.from(text).toString('hex').toUpperCase().replace(/../g, '%$&')),
  );
}

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
 * Decodes percent-encoded UTF-8 in which + is a space, as in HTML forms; undefined if it is malformed.
 *
 * @example tryDecodeForm('%C3%A9+') // 'é '
 */
export function tryDecodeForm(text: string): string | undefined {
  return tryDecode(text.replaceAll('+', ' '));
}
