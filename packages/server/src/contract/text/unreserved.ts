// Writes the characters of a path in one way.

const PERCENT_ENCODED = /%[0-9A-Fa-f]{2}/g;
// RFC 3986 section 2.3: they mean the same encoded or not.
const UNRESERVED = /[A-Za-z0-9._~-]/;

/**
 * RFC 3986 section 6.2.2. All other characters stay encoded, in upper case, and are decoded once, where their meaning is
 * known.
 */
export function decodeUnreserved(path: string): string {
  if (!path.includes('%')) return path;
  return path.replace(PERCENT_ENCODED, (encoded) => {
    const character = String.fromCharCode(parseInt(encoded.slice(1), 16));
    return UNRESERVED.test(character) ? character : encoded.toUpperCase();
  });
}

// RFC 3986 sections 3.3 and 2.1: what a path has only percent-encoded, such as é. A question mark or # ends a path.
const NOT_OF_PATH = /[^\w.~!$&'()*+,;=:@%/{}?#-]+/gu;

/** The path of a contract as requests have it: `/caf%C3%A9` for `/café`. */
export function toRequestPath(path: string): string {
  return decodeUnreserved(
    path.replace(NOT_OF_PATH, (text) => Buffer.from(text).toString('hex').toUpperCase().replace(/../g, '%$&')),
  );
}
