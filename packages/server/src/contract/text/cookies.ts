/** The pairs of a `Cookie` header, not decoded (RFC 6265 section 4.2): without quotes, and without parts that have no `=`. */
export function parseCookies(header = ''): [name: string, text: string][] {
  return header.split(';').flatMap((part): [string, string][] => {
    const separator = part.indexOf('=');
    if (separator === -1) return [];
    const name = part.slice(0, separator).trim();
    const text = part.slice(separator + 1).trim();
    const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
    return [[name, isQuoted ? text.slice(1, -1) : text]];
  });
}
