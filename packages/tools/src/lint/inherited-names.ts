// Replaces names that every object inherits, such as `valueOf`, while a library works on a contract. Redocly and
// openapi-typescript look names up in plain objects, where they would find a method of Object.prototype.
import { INHERITED_NAMES } from '@contract-kit/contract';

// No inherited name contains one of these letters. A pattern that allows a name also allows its stand-in.
const LETTERS = 'jqxz';

export interface StandIns {
  /** Copies a document with stand-ins in its keys and strings. Returns a document without inherited names unchanged. */
  readonly hide: <Node>(node: Node) => Node;
  /** Puts the original names back into a text. */
  readonly show: (text: string) => string;
}

/** Creates stand-ins that no key or string in the documents contains. Each is as long as its name, because of `maxLength`. */
export function createStandIns(documents: Iterable<unknown>): StandIns {
  const texts = listTexts(documents);
  const names = INHERITED_NAMES.filter((name) => texts.some((text) => text.includes(name)));
  const standIns = new Map(names.map((name) => [name, findUnused(name, texts)]));
  const namesByStandIn = new Map(Array.from(standIns, ([name, standIn]) => [standIn, name]));
  // A node that several places share is copied once.
  const copies = new Map<object, object>();

  function hide(node: unknown): unknown {
    if (typeof node === 'string') return replaceAll(node, standIns);
    if (typeof node !== 'object' || node === null) return node;
    const copy = copies.get(node) ?? (Array.isArray(node) ? [] : {});
    if (copies.has(node)) return copy;
    copies.set(node, copy);
    for (const [key, value] of Object.entries(node)) Object.assign(copy, { [replaceAll(key, standIns)]: hide(value) });
    return copy;
  }

  return {
    hide: (node) => (names.length === 0 ? node : (hide(node) as typeof node)),
    show: (text) => replaceAll(text, namesByStandIn),
  };
}

function replaceAll(text: string, replacements: ReadonlyMap<string, string>): string {
  return Array.from(replacements).reduce((replaced, [from, to]) => replaced.replaceAll(from, to), text);
}

// Lists each key and string once, at any depth: the loop also visits the nodes that it adds.
function listTexts(documents: Iterable<unknown>): string[] {
  const nodes = new Set<unknown>(documents);
  for (const node of nodes) {
    if (typeof node !== 'object' || node === null) continue;
    for (const [key, value] of Object.entries(node)) nodes.add(key).add(value);
  }
  return [...nodes].filter((node) => typeof node === 'string');
}

// Such as `valueOj` or `valueqj`.
function findUnused(name: string, texts: readonly string[]): string {
  for (let number = 0; ; number++) {
    const letters = Array.from(number.toString(LETTERS.length), (digit) => LETTERS.charAt(Number(digit))).join('');
    const standIn = name.slice(0, -letters.length) + letters;
    if (!texts.some((text) => text.includes(standIn))) return standIn;
  }
}
