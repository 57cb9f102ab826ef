import { redact, type Secrets } from '../wire/secret';

/**
 * Makes text that a server chose safe to print: without secrets, line breaks and control characters, and not too long.
 */
export function toSafeLine(text: string, secrets: Secrets, most = 300): string {
  // Redact first: a truncated or escaped secret would not be recognized.
  const line = redact(text, secrets).replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return line.length > most ? `${line.slice(0, most)}...` : line;
}
