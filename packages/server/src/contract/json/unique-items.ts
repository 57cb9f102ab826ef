import { parseInt64 } from './int64';

/** Whether no two items are equal (JSON Schema, Core, section 4.2.2): by all digits of int64s, which `tokens` has as text. */
export function areUnique(items: readonly unknown[], tokens?: unknown): boolean {
  const texts = items.map((item, index) => toComparable(item, memberOf(tokens, String(index))));
  return new Set(texts).size === texts.length;
}

// A text that is the same for equal values, and only for them: members are sorted, as their order does not count.
function toComparable(value: unknown, token: unknown): string {
  // A number that is no int64 is compared by its double.
  if (typeof value === 'number' && typeof token === 'string') return String(parseInt64(token) ?? value);
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${value.map((item, index) => toComparable(item, memberOf(token, String(index)))).join()}]`;
  const members = Object.entries(value).map(([name, member]) => {
    return `${JSON.stringify(name)}:${toComparable(member, memberOf(token, name))}`;
  });
  return `{${members.sort().join()}}`;
}

function memberOf(tokens: unknown, name: string): unknown {
  return (tokens as Readonly<Record<string, unknown>> | undefined)?.[name];
}
