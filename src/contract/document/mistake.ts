/** A mistake at one place of a contract, or something there that the kit cannot enforce. */
export class Mistake extends Error {
  readonly node: object;
  readonly key: string | number | undefined;

  /**
   * @param node the object of the document that is wrong
   * @param message what is wrong, and what to write instead
   * @param key the key of `node` that it is about
   */
  constructor(node: object, message: string, key?: string | number) {
    super(message);
    this.node = node;
    this.key = key;
  }
}

/** Collects mistakes, so that all of them can be told at once. */
export class Mistakes {
  readonly all: Mistake[] = [];

  /** @returns what `work` does; undefined when it met a mistake, which is kept */
  attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Mistake)) throw error;
      const isKnown = this.all.some(({ node, key, message }) => {
        return node === error.node && key === error.key && message === error.message;
      });
      if (!isKnown) this.all.push(error);
      return undefined;
    }
  }
}

/** Where a mistake is: a JSON pointer into the document (RFC 6901), as a fragment. */
export function pointerOf(document: object, { node, key }: Mistake): string {
  const path = findPath(document, node) ?? [];
  const keys = key === undefined ? path : [...path, String(key)];
  return `#${keys.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`;
}

function findPath(root: object, target: object): string[] | undefined {
  const seen = new Set<object>();
  const open: [node: object, path: string[]][] = [[root, []]];
  for (const [node, path] of open) {
    if (node === target) return path;
    if (seen.has(node)) continue;
    seen.add(node);
    for (const [name, child] of Object.entries(node) as [string, unknown][]) {
      if (typeof child === 'object' && child !== null) open.push([child, [...path, name]]);
    }
  }
  return undefined;
}

/** The contract cannot be served; the message says where and why. Raised at start-up and by the scripts only. */
export class ContractError extends Error {}
