/**
 * A mistake in a contract, or a part of it that the kit cannot enforce.
 *
 * @example throw new Mistake(document.info, 'the version is missing', 'version')
 */
export class Mistake extends Error {
  readonly node: object;
  readonly key: string | number | undefined;

  /**
   * @param node the object of the document that is wrong
   * @param message what is wrong, and what to write instead
   * @param key the key of `node` that is wrong
   */
  constructor(node: object, message: string, key?: string | number) {
    super(message);
    this.node = node;
    this.key = key;
  }
}

/** Collects mistakes, so that all of them can be reported at once. */
export class Mistakes {
  readonly all: Mistake[] = [];

  /** @returns the result of `work`; undefined when it threw a mistake, which is collected */
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

/**
 * The location of a mistake: a JSON pointer into the document (RFC 6901), as a fragment.
 *
 * @example pointerOf(document, new Mistake(document.info, 'has no title')) // '#/info'
 */
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

/**
 * The contract cannot be served; the message names location and reason. Thrown at start-up and by the scripts only.
 *
 * @example if (error instanceof ContractError) console.error(error.message)
 */
export class ContractError extends Error {}
