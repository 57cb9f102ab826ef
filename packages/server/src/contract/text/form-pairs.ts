// Splits the text of a query or a form into pairs.

/** A pair as it was sent, not decoded. */
export type Pair = readonly [name: string, text: string];

/** The pairs of a query (RFC 3986 section 3.4) or an HTML form: a=1&&b has [['a', '1'], ['b', '']]. */
export function splitPairs(text: string): Pair[] {
  return text.split('&').flatMap((part): Pair[] => {
    if (part === '') return [];
    const separator = part.indexOf('=');
    const hasText = separator !== -1;
    return [hasText ? [part.slice(0, separator), part.slice(separator + 1)] : [part, '']];
  });
}

/** Decodes percent-encoded UTF-8 (RFC 3986 section 2.1); undefined if it is malformed. */
export function tryDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Decodes percent-encoded UTF-8 in which + is a space, as HTML forms write it; undefined if it is malformed. */
export function tryDecodeForm(text: string): string | undefined {
  return tryDecode(text.replaceAll('+', ' '));
}
