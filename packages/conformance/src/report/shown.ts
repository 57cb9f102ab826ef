import { redact, type Secrets } from '../wire/secret';

/** One line without secrets, and without signs that steer a terminal or a CI system, for text that a server chose. */
export function toSafeLine(text: string, secrets: Secrets, most = 300): string {
  // First the secrets: a part of one would not be known any more.
  const line = redact(text, secrets).replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return line.length > most ? `${line.slice(0, most)}...` : line;
}
