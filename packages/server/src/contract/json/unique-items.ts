import { parseInt64 } from './int64';

/**
 * Whether no two items are equal (JSON Schema, Core, section 4.2.2): by the digits of their int64s.
 *
 * @param tokens of the items (see readInt64Tokens); undefined if the doubles are exact
 */
export function areUnique(items: readonly unknown[], tokens?: unknown): boolean {
  const texts = items.map((item, index) => toText(item, memberOf(tokens, String(index))));
  return new Set(texts).size === texts.length;
}

// Equal values have the same text.
function toText(value: unknown, token: unknown): string {
  if (typeof value === 'number' && typeof token === 'string') return String(parseInt64(token) ?? value);
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${value.map((item, index) => toText(item, memberOf(token, String(index)))).join()}]`;
  const members = Object.entries(value).map(([name, member]) => {
    return `${JSON.stringify(name)}:${toText(member, memberOf(token, name))}`;
  });
  return `{${members.sort().join()}}`;
}

function memberOf(tokens: unknown, name: string): unknown {
  return (tokens as Readonly<Record<string, unknown>> | undefined)?.[name];
}
