// Placeholders for secrets in requests: they are replaced only when a request is sent.

/** The value of each security scheme: a token, `user:password`, or a key. */
export type Secrets = Readonly<Record<string, string>>;

/**
 * The name, in `Secrets`, of the credentials of a scheme without any scope.
 *
 * @example const secrets = { oauth: 'a-token', [unscopedNameOf('oauth')]: 'another' };
 */
export function unscopedNameOf(scheme: string): string {
  return `${scheme}, without scopes`;
}

/** Changes that make a secret wrong, and the same change in bash. */
const CHANGES = {
  'without its last sign': { apply: (text: string) => text.slice(0, -1), bash: (name: string) => `"\${${name}%?}"` },
  'without its first sign': { apply: (text: string) => text.slice(1), bash: (name: string) => `"\${${name}#?}"` },
  'with a sign more': { apply: (text: string) => `${text}x`, bash: (name: string) => `"\${${name}}x"` },
  'in the other case': { apply: swapCase, bash: (name: string) => `"\${${name}~~}"` },
  'twice in a row': { apply: (text: string) => text + text, bash: (name: string) => `"\${${name}}\${${name}}"` },
  'with a wrong password': {
    apply: (text: string) => `${text.slice(0, text.indexOf(':') + 1)}wrong`,
    bash: (name: string) => `"\${${name}%%:*}:wrong"`,
  },
} as const;

export type Change = keyof typeof CHANGES;

/** How a secret is encoded. */
type Encoding = 'plain' | 'base64' | 'uri';

const BASH: Readonly<Record<Encoding, (value: string) => string>> = {
  plain: (value) => value,
  base64: (value) => `"$(printf %s ${value} | base64 -w0)"`,
  uri: (value) => `"$(printf %s ${value} | od -An -v -tx1 | tr -d '\\n' | tr ' ' %)"`,
};

// Delimiters from a private use area of Unicode, so that no other text of a request contains them.
const MARK = /\ue000([^\ue001]*)\ue001([^\ue001]*)\ue001(plain|base64|uri)\ue002/g;

/** The placeholder of a secret. */
export function secretOf(scheme: string, encoding: Encoding, change?: Change): string {
  return `\ue000${scheme}\ue001${change ?? ''}\ue001${encoding}\ue002`;
}

/** @throws Error when a secret is not known */
export function reveal(text: string, secrets: Secrets): string {
  return text.replace(MARK, (_all, scheme: string, change: Change | '', encoding: Encoding) => {
    const secret = secrets[scheme];
    if (secret === undefined) throw new Error(`no credentials are given for the security scheme ${scheme}`);
    return encode(change === '' ? secret : CHANGES[change].apply(secret), encoding);
  });
}

/** Turns a text with placeholders into a word of bash that reads environment variables. */
export function toBash(
  text: string,
  variables: Readonly<Record<string, string>>,
  quote: (plain: string) => string,
): string {
  let word = '';
  let at = 0;
  for (const match of text.matchAll(MARK)) {
    const [all, scheme, change, encoding] = match as unknown as [string, string, Change | '', Encoding];
    const name = variables[scheme] ?? 'SECRET';
    const value = change === '' ? `"\${${name}}"` : CHANGES[change].bash(name);
    const piece = BASH[encoding](value);
    word += `${quote(text.slice(at, match.index))}${piece}`;
    at = match.index + all.length;
  }
  return word + quote(text.slice(at));
}

/** Replaces placeholders by names for people, such as `<TOKEN, twice in a row>`. */
export function toNames(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(MARK, (_all, scheme: string, change: Change | '', encoding: Encoding) => {
    const words = [variables[scheme] ?? scheme, change, encoding === 'plain' ? '' : `as ${encoding}`];
    return `<${words.filter((word) => word !== '').join(', ')}>`;
  });
}

/** Removes every secret from a text, in all forms in which it was sent or may come back. */
export function redact(text: string, secrets: Secrets): string {
  const forms = Object.values(secrets).flatMap(allFormsOf);
  return forms
    .toSorted((one, other) => other.length - one.length)
    .reduce((rest, form) => rest.replaceAll(form, '***'), text);
}

// Cache: every reply is searched for the same few secrets.
const knownForms = new Map<string, readonly string[]>();

/** Whether a text contains a secret in any of its forms. */
export function holdsSecret(text: string, secrets: Secrets): boolean {
  return Object.values(secrets).some((secret) => {
    const forms = knownForms.get(secret) ?? allFormsOf(secret);
    knownForms.set(secret, forms);
    return forms.some((form) => text.includes(form));
  });
}

// Shorter strings occur by chance.
const MIN_LENGTH = 4;

// All texts that would reveal a secret: changed, in another case, escaped, and encoded.
function allFormsOf(secret: string): string[] {
  // A wrong password is no secret.
  const changes = Object.entries(CHANGES).filter(([name]) => name !== 'with a wrong password');
  const changed = changes.map(([, { apply }]) => apply(secret));
  const plain = [secret, ...changed, ...(secret.includes(':') ? [secret.slice(secret.indexOf(':') + 1)] : [])];
  const spellings = plain.flatMap((text) => [
    text,
    text.toLowerCase(),
    text.toUpperCase(),
    JSON.stringify(text).slice(1, -1),
  ]);
  const encoded = plain.flatMap((text) => [encode(text, 'base64'), encode(text, 'uri'), encodeURIComponent(text)]);
  return [...new Set([...spellings, ...encoded])].filter(({ length }) => length >= MIN_LENGTH);
}

function encode(text: string, encoding: Encoding): string {
  if (encoding === 'base64') return Buffer.from(text).toString('base64');
  // RFC 3986 section 2.1, each byte, which a shell can do as well.
  return encoding === 'uri' ? Buffer.from(text).toString('hex').replace(/../g, '%$&') : text;
}

function swapCase(text: string): string {
  const swapped = text.replace(/[a-z]/gi, (sign) =>
    sign === sign.toUpperCase() ? sign.toLowerCase() : sign.toUpperCase(),
  );
  // Without letters, append one.
  return swapped === text ? `${text}A` : swapped;
}
