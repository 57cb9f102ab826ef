// Makes text of contracts and servers safe to be printed: it commands no terminal.

// Control characters, invisible format characters (Cf, such as U+202E, which reverses text), and line separators.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Escapes what could steer a terminal, such as `\u{1b}`, and line ends, too. */
export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Escapes the same in each line of a text. */
export function toSafeText(text: string): string {
  return text.split('\n').map(escapeUnprintable).join('\n');
}
