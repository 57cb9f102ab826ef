// Decodes the unreserved characters of a path.

const ENCODED = /%[0-9A-Fa-f]{2}/g;
const UNRESERVED = /[A-Za-z0-9._~-]/;

/**
 * Decodes the unreserved characters of a path (RFC 3986 section 6.2.2.2). All other characters stay encoded, and are
 * decoded once, where their meaning is known.
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
