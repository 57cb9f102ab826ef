// Decodes the unreserved characters of a path.

const PERCENT_ENCODED = /%[0-9A-Fa-f]{2}/g;
// RFC 3986 section 2.3: they mean the same encoded or not.
const UNRESERVED = /[A-Za-z0-9._~-]/;

/** RFC 3986 section 6.2.2.2. All other characters stay encoded, and are decoded once, where their meaning is known. */
export function decodeUnreserved(path: string): string {
  if (!path.includes('%')) return path;
  return path.replace(PERCENT_ENCODED, (encoded) => {
    const character = String.fromCharCode(parseInt(encoded.slice(1), 16));
    return UNRESERVED.test(character) ? character : encoded;
  });
}
