// Parses a header of a value with parameters, such as Content-Disposition (RFC 2045 section 5.1, RFC 6266).

export interface HeaderValue {
  /** In lower case. */
  readonly value: string;
  /** By their names in lower case; the first of a name counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const VALUE = new RegExp(`^${TOKEN}(?:/${TOKEN})?`);
const PARAMETER = new RegExp(`[ \\t]*;[ \\t]*(${TOKEN})=(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN}))`, 'gy');

/**
 * Undefined for what is malformed.
 *
 * @example parseHeaderValue('form-data; name="a"')?.parameters.get('name') // a
 */
export function parseHeaderValue(text: string): HeaderValue | undefined {
  const [value = ''] = VALUE.exec(text) ?? [];
  const parameters = new Map<string, string>();
  let rest = text.slice(value.length);
  for (const [all, name, quoted, token] of rest.matchAll(PARAMETER)) {
    const key = String(name).toLowerCase();
    // Browsers write a backslash as it is: it escapes only a quotation mark and itself.
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(["\\])/g, '$1') ?? String(token));
    rest = rest.slice(all.length);
  }
  return value === '' || rest.trim() !== '' ? undefined : { value: value.toLowerCase(), parameters };
}
