// Parses cookies, bearer tokens and values with parameters, such as Content-Disposition (RFC 2045 section 5.1, RFC 6266).

/** Headers keyed by lowercase name, as in node:http, which joins most repeated headers but not Set-Cookie. */
export interface HeaderFields {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
  readonly [name: string]: string | readonly string[] | undefined;
}

/** A parsed value such as `text/csv; charset=utf-8`. */
export interface HeaderValue {
  /** In lowercase, without the parameters. */
  readonly value: string;
  /** Keyed by lowercase name. */
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const VALUE = new RegExp(`^${TOKEN}(?:/${TOKEN})?`);
// RFC 9110 sections 5.6.4 and 5.6.6: quotes allow no control character except the tab, and a parameter can be empty.
const QUOTED = '"((?:[^"\\\\\\x00-\\x08\\n-\\x1f\\x7f]|\\\\[^\\x00-\\x08\\n-\\x1f\\x7f])*)"';
const PARAMETER = new RegExp(`[ \\t]*;[ \\t]*(?:(${TOKEN})=(?:${QUOTED}|(${TOKEN})))?`, 'gy');

// Matches a backslash in quotes, which stands for the character after it (RFC 9110 section 5.6.4).
const QUOTED_PAIR = /\\(.)/g;
/**
 * Matches the characters that browsers escape in Content-Disposition. Other backslashes, as in a path, are literal.
 *
 * @example parseHeaderValue('form-data; name="C:\\\\a"', BROWSER_PAIR)?.parameters.get('name') // C:\\a
 */
export const BROWSER_PAIR = /\\(["\\])/g;

/**
 * Parses a value with parameters; undefined if it is malformed or repeats a parameter.
 *
 * @example parseHeaderValue('form-data; name="a"')?.parameters.get('name') // a
 */
export function parseHeaderValue(text: string, quotedPair = QUOTED_PAIR): HeaderValue | undefined {
  const [value = ''] = VALUE.exec(text) ?? [];
  const parameters = new Map<string, string>();
  let rest = text.slice(value.length);
  for (const [match, name, quoted, token] of rest.matchAll(PARAMETER)) {
    rest = rest.slice(match.length);
    if (name === undefined) continue;
    const key = name.toLowerCase();
    if (parameters.has(key)) return undefined;
    parameters.set(key, quoted?.replace(quotedPair, '$1') ?? String(token));
  }
  return value === '' || /[^ \t]/.test(rest) ? undefined : { value: value.toLowerCase(), parameters };
}

/** Finds a header's values by its case-insensitive name. @example headerTexts({ accept: 'text/csv' }, 'Accept') // ['text/csv'] */
export function headerTexts(headers: HeaderFields, name: string): string[] {
  const key = name.toLowerCase();
  // A client can send a header named `constructor`.
  const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
  return value === undefined ? [] : [value].flat();
}

/**
 * Splits a `Cookie` header into pairs without decoding them (RFC 6265 section 4.2), and ignores parts without `=`. By
 * default it removes quotes around values, as other parsers do, although RFC 6265 section 4.1.1 includes them in the value.
 *
 * @example parseCookies('a=1; b="2"') // [['a', '1'], ['b', '2']]
 */
export function parseCookies(header = '', keepsQuotes = false): [name: string, text: string][] {
  return header.split(';').flatMap((pair): [string, string][] => {
    const separator = pair.indexOf('=');
    if (separator === -1) return [];
    const name = pair.slice(0, separator).trim();
    const text = pair.slice(separator + 1).trim();
    const isQuoted = !keepsQuotes && text.length > 1 && text.startsWith('"') && text.endsWith('"');
    return [[name, isQuoted ? text.slice(1, -1) : text]];
  });
}

// RFC 6750 section 2.1: the case-insensitive scheme, one or more spaces, and a token68.
const B64TOKEN = '[A-Za-z0-9._~+/-]+=*';
const BEARER_TOKEN = new RegExp(`^${B64TOKEN}$`);
const CREDENTIALS = new RegExp(`^Bearer +(${B64TOKEN})$`, 'i');

/** Whether a string has the syntax of a bearer token (RFC 6750 section 2.1). @example isBearerToken('a b') // false */
export function isBearerToken(text: string): boolean {
  return BEARER_TOKEN.test(text);
}

/** Returns the token of an Authorization header; undefined if the header is not a single well-formed bearer token. */
export function parseBearer(authorization: string): string | undefined {
  return CREDENTIALS.exec(authorization)?.[1];
}
