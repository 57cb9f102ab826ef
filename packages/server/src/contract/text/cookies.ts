/** The pairs of a `Cookie` header, not decoded (RFC 6265 section 4.2). */
export function parseCookies(header = ''): [name: string, text: string][] {
  return header.split(';').flatMap((part): [string, string][] => {
    const separator = part.indexOf('=');
    if (separator === -1) return [];
    const text = part.slice(separator + 1).trim();
    const isQuoted = text.length > 1 && text.startsWith('"') && text.endsWith('"');
    return [[part.slice(0, separator).trim(), isQuoted ? text.slice(1, -1) : text]];
  });
}
