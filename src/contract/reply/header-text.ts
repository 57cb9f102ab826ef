import { toExactJson } from '../json/exact-json';
import type { Notation } from '../operation/parameter';

/** Writes the value of a header in its style (RFC 6570 section 3.2.2, without percent-encoding). */
export function toHeaderText({ style, form, explode }: Notation, value: unknown): string {
  if (style === 'json') return toExactJson(value);
  if (form === 'one') return String(value);
  if (form === 'list') return (value as unknown[]).map(String).join(',');
  const members = Object.entries(value as object).map(([name, member]) => [name, String(member)]);
  return members.map((pair) => pair.join(explode ? '=' : ',')).join(',');
}
