const ENCODED = /%[0-9A-Fa-f]{2}/g;
const UNRESERVED = /[A-Za-z0-9._~-]/;

/**
 * A path whose unreserved characters stand for themselves (RFC 3986 section 6.2.2.2). All others stay as they are: each
 * is decoded once, where its meaning is known.
 *
 * @example decodeUnreserved('/%74hings%2F') // '/things%2F'
 */
export function decodeUnreserved(path: string): string {
  if (!path.includes('%')) return path;
  return path.replace(ENCODED, (encoded) => {
    const character = String.fromCharCode(parseInt(encoded.slice(1), 16));
    return UNRESERVED.test(character) ? character : encoded;
  });
}
