// Makes text that a server chose safe to print.
import { redact, type Secrets } from '../wire/secret';

// Control characters, invisible format characters (Cf, such as U+202E, which reverses text), and line separators.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Redacts secrets, and escapes characters that could steer a terminal (`\u{1b}`); text over `maxLength` is cut. */
export function toSafeLine(text: string, secrets: Secrets, maxLength = 300): string {
  // Redact first: a truncated or escaped secret would not be recognized.
  const line = redact(text, secrets).replace(
    UNPRINTABLE,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return line.length > maxLength ? `${line.slice(0, maxLength)}...` : line;
}
