// Placeholders for secrets, which are replaced only when a request is sent.

/** The credentials for each security scheme: a token, `user:password`, or a key. */
export type Secrets = Readonly<Record<string, string>>;

/**
 * Returns the key in `Secrets` for a scheme's credentials without scopes.
 *
 * @example const secrets = { oauth: 'a-token', [unscopedNameOf('oauth')]: 'another' };
 */
export function unscopedNameOf(scheme: string): string {
  return `${scheme}, without scopes`;
}

/** Returns the key in `Secrets` for another caller's credentials. */
export function otherNameOf(scheme: string): string {
  return `${scheme}, of another caller`;
}

// `apply` makes a secret wrong, and `bash` writes an expression that does the same to an environment variable.
const SECRET_CHANGES = {
  'without its last character': {
    apply: (text: string) => text.slice(0, -1),
    bash: (name: string) => `"\${${name}%?}"`,
  },
  'with one character more': { apply: (text: string) => `${text}x`, bash: (name: string) => `"\${${name}}x"` },
  'with a wrong password': {
    apply: (text: string) => `${text.slice(0, text.indexOf(':') + 1)}wrong`,
    bash: (name: string) => `"\${${name}%%:*}:wrong"`,
  },
} as const;

export type SecretChange = keyof typeof SECRET_CHANGES;

type Encoding = 'plain' | 'base64' | 'uri';

const BASH_ENCODERS: Readonly<Record<Encoding, (value: string) => string>> = {
  plain: (value) => value,
  base64: (value) => `"$(printf %s ${value} | base64 -w0)"`,
  uri: (value) => `"$(printf %s ${value} | od -An -v -tx1 | tr -d '\\n' | tr ' ' %)"`,
};

// Uses private-use characters, which occur nowhere else in a request.
const PLACEHOLDER = /\ue000([^\ue001]*)\ue001([^\ue001]*)\ue001(plain|base64|uri)\ue002/g;

export function secretOf(scheme: string, encoding: Encoding, change?: SecretChange): string {
  return `\ue000${scheme}\ue001${change ?? ''}\ue001${encoding}\ue002`;
}

/** Replaces the first caller's placeholders with another caller's. */
export function toOtherCaller(text: string): string {
  return text.replace(PLACEHOLDER, (_all, scheme: string, change: SecretChange | '', encoding: Encoding) =>
    secretOf(otherNameOf(scheme), encoding, change === '' ? undefined : change),
  );
}

/**
 * Replaces placeholders with the secrets, changed and encoded as each placeholder requires.
 *
 * @throws Error when a secret is not known
 * @example revealSecrets(target, { bearerAuth: 'a-token' })
 */
export function revealSecrets(text: string, secrets: Secrets): string {
  return text.replace(PLACEHOLDER, (_all, scheme: string, change: SecretChange | '', encoding: Encoding) => {
    const secret = secrets[scheme];
    if (secret === undefined) throw new Error(`no credentials are given for the security scheme ${scheme}`);
    return encodeSecret(change === '' ? secret : SECRET_CHANGES[change].apply(secret), encoding);
  });
}

/** Returns a shell word such as `'Bearer '"${TOKEN}"`, which reads secrets from environment variables. */
export function toBashWord(
  text: string,
  variables: Readonly<Record<string, string>>,
  quote: (plain: string) => string,
): string {
  let word = '';
  let writtenTo = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [placeholder, scheme, change, encoding] = match as unknown as [string, string, SecretChange | '', Encoding];
    const variable = variables[scheme] ?? 'SECRET';
    const secret = change === '' ? `"\${${variable}}"` : SECRET_CHANGES[change].bash(variable);
    word += quote(text.slice(writtenTo, match.index)) + BASH_ENCODERS[encoding](secret);
    writtenTo = match.index + placeholder.length;
  }
  return word + quote(text.slice(writtenTo));
}

/** Replaces placeholders with descriptions for people, such as `<TOKEN, with one character more, as base64>`. */
export function describePlaceholders(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(PLACEHOLDER, (_all, scheme: string, change: SecretChange | '', encoding: Encoding) => {
    const words = [variables[scheme] ?? scheme, change, encoding === 'plain' ? '' : `as ${encoding}`];
    return `<${words.filter((word) => word !== '').join(', ')}>`;
  });
}

/** Replaces every secret with `***`, in every form that was sent or may come back. */
export function redact(text: string, secrets: Secrets): string {
  const forms = Object.values(secrets).flatMap(secretFormsOf);
  // Longer forms come first, since they may contain shorter ones.
  const sortedForms = forms.toSorted((left, right) => right.length - left.length);
  return sortedForms.reduce((redacted, form) => redacted.replaceAll(form, '***'), text);
}

// Shorter forms are not redacted, since they may occur in a reply by chance.
const MIN_SECRET_LENGTH = 4;

// Includes the password alone and wrong secrets that the suite sends, in other letter cases, escapes and encodings.
function secretFormsOf(secret: string): string[] {
  // A wrong password reveals nothing.
  const changes = Object.entries(SECRET_CHANGES).filter(([name]) => name !== 'with a wrong password');
  const changedSecrets = changes.map(([, { apply }]) => apply(secret));
  // HTTP Basic credentials are `user:password`.
  const password = secret.includes(':') ? [secret.slice(secret.indexOf(':') + 1)] : [];
  const plainForms = [secret, ...changedSecrets, ...password];
  const spellings = plainForms.flatMap((text) => [
    text,
    text.toLowerCase(),
    text.toUpperCase(),
    JSON.stringify(text).slice(1, -1),
  ]);
  const encodedForms = plainForms.flatMap((text) => [
    encodeSecret(text, 'base64'),
    encodeSecret(text, 'uri'),
    encodeURIComponent(text),
  ]);
  return [...new Set([...spellings, ...encodedForms])].filter(({ length }) => length >= MIN_SECRET_LENGTH);
}

function encodeSecret(text: string, encoding: Encoding): string {
  if (encoding === 'base64') return Buffer.from(text).toString('base64');
  // Encodes every byte, as the shell commands in `BASH_ENCODERS` do (RFC 3986 section 2.1).
  return encoding === 'uri' ? Buffer.from(text).toString('hex').replace(/../g, '%$&') : text;
}
