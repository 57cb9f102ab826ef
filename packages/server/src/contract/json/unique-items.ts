import { parseInt64 } from './int64';

/**
 * Whether no two items are equal (JSON Schema, Core, section 4.2.2): by all digits of int64s, which `tokens` has as text. It
 * takes time in proportion to the items, whatever they are.
 */
export function areUnique(items: readonly unknown[], tokens?: unknown): boolean {
  const texts = new Set<string>();
  for (const [index, item] of items.entries()) {
    const text = toComparable(item, memberOf(tokens, String(index)));
    if (texts.has(text)) return false;
    texts.add(text);
  }
  return true;
}

// A text that is the same for equal values, and only for them: members are sorted, as their order does not count. It is put
// together by `+` alone, which copies nothing: joining would copy each text once for each level above it.
function toComparable(value: unknown, token: unknown): string {
  // A number that is no int64 is compared by its double.
  if (typeof value === 'number' && typeof token === 'string') return String(parseInt64(token) ?? value);
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    let text = '[';
    for (const [index, item] of value.entries()) text += `${toComparable(item, memberOf(token, String(index)))},`;
    return text + ']';
  }
  const members = value as Readonly<Record<string, unknown>>;
  let text = '{';
  for (const name of Object.keys(members).sort()) {
    text += `${JSON.stringify(name)}:`;
    text += toComparable(members[name], memberOf(token, name)) + ',';
  }
  return text + '}';
}

function memberOf(tokens: unknown, name: string): unknown {
  return (tokens as Readonly<Record<string, unknown>> | undefined)?.[name];
}
