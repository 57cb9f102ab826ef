import { parseInt64 } from './int64';

/** Gives equal values one key, and only them (JSON Schema, Core, section 4.2.2). `token` has the digits of int64s as text. */
export type Identify = (value: unknown, token?: unknown) => string;

/**
 * Creates the function for the values of one message. It looks at each object and list once, also where a list in a list in a
 * list has to be unique.
 */
export function createIdentify(): Identify {
  const keys = new Map<object, string>();
  // By what a value has in it, in which the key of an object or list stands for it.
  const keyByContent = new Map<string, string>();

  return identify;

  function identify(value: unknown, token?: unknown): string {
    // A number that is no int64 is compared by its double.
    if (typeof value === 'number' && typeof token === 'string') return String(parseInt64(token) ?? value);
    if (typeof value === 'number' || typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const known = keys.get(value);
    if (known !== undefined) return known;
    const content = Array.isArray(value)
      ? `[${value.map((item, index) => identify(item, memberOf(token, String(index)))).join()}]`
      : // Sorted, as their order does not count.
        `{${listMembers(value, token).sort().join()}}`;
    // No other value has a # in front.
    const key = keyByContent.get(content) ?? `#${String(keyByContent.size)}`;
    keyByContent.set(content, key);
    keys.set(value, key);
    return key;
  }

  function listMembers(value: object, token: unknown): string[] {
    const members = Object.entries(value) as [name: string, member: unknown][];
    return members.map(([name, member]) => `${JSON.stringify(name)}:${identify(member, memberOf(token, name))}`);
  }
}

/** Whether no two items are equal: by all digits of int64s, which `tokens` has as text. `identify` is that of the message. */
export function areUnique(items: readonly unknown[], identify: Identify, tokens?: unknown): boolean {
  return new Set(items.map((item, index) => identify(item, memberOf(tokens, String(index))))).size === items.length;
}

function memberOf(tokens: unknown, name: string): unknown {
  return (tokens as Readonly<Record<string, unknown>> | undefined)?.[name];
}
