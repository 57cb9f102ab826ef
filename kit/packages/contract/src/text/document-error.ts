/**
 * Escapes a key for a JSON pointer (RFC 6901 section 3).
 *
 * @example toPointerKey('/books') // '~1books'
 */
export function toPointerKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * Undoes toPointerKey.
 *
 * @example fromPointerKey('~1books') // '/books'
 */
export function fromPointerKey(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

/**
 * An error in a contract, or a part of it that the kit cannot enforce.
 *
 * @example throw new DocumentError(document.info, 'the version is missing', 'version')
 */
export class DocumentError extends Error {
  readonly code = 'INVALID_CONTRACT';
  readonly node: object;
  readonly key: string | number | undefined;
  /** The affected operations, such as `GET /books`. Empty if the error affects every operation that needs the node. */
  readonly users = new Set<string>();

  /** @param message says what is wrong, and what to write instead */
  constructor(node: object, message: string, key?: string | number) {
    super(message);
    this.node = node;
    this.key = key;
  }
}

/**
 * Collects errors, so that they are reported together.
 *
 * @example const operation = errors.attempt(() => readOperation(node))
 */
export class DocumentErrors {
  readonly all: DocumentError[] = [];
  private readonly isInvalidDocument: boolean;

  /** @param isInvalidDocument whether the document is known to be invalid, so that reading it can fail anywhere */
  constructor(isInvalidDocument = false) {
    this.isInvalidDocument = isInvalidDocument;
  }

  /**
   * Collects a DocumentError that `work` throws, and returns undefined. Any other error is ignored if the document is
   * invalid. Otherwise it is reported at `node`, or rethrown if there is no node.
   */
  attempt<T>(work: () => T, node?: object): T | undefined {
    try {
      return work();
    } catch (error) {
      if (error instanceof DocumentError) this.add(error);
      else if (!this.isInvalidDocument) {
        if (!node) throw error;
        const isDeep = error instanceof RangeError;
        this.add(
          new DocumentError(
            node,
            isDeep ? 'refers to schemas that are nested too deeply to be read' : `cannot be read: ${String(error)}`,
          ),
        );
      }
      return undefined;
    }
  }

  /** Collects the errors of one operation. Other operations that use the same nodes might not have them. */
  attemptFor<T>(user: string, work: (errors: DocumentErrors) => T, node: object): T | undefined {
    const own = new DocumentErrors(this.isInvalidDocument);
    const result = own.attempt(() => work(own), node);
    for (const error of own.all) this.add(error, user);
    return result;
  }

  add(error: DocumentError, user?: string): void {
    const { node, key, message } = error;
    const isSame = (other: DocumentError): boolean =>
      other.node === node && other.key === key && other.message === message;
    const existingError = this.all.find(isSame);
    if (!existingError) this.all.push(error);
    if (user !== undefined && existingError?.users.size !== 0) (existingError ?? error).users.add(user);
  }
}

/**
 * Creates a function that returns the location of an error as a JSON pointer in a fragment (RFC 6901 section 6). It searches
 * the document and its copies only once, when it is first called.
 *
 * @example errors.map(createToPointer([document])) // ['#/info', '#/paths/~1books']
 */
export function createToPointer(documents: readonly object[]): (error: Pick<DocumentError, 'node' | 'key'>) => string {
  let parents: ReadonlyMap<object, Parent> | undefined;
  return ({ node, key }) => {
    parents ??= findParents(documents);
    const keys = key === undefined ? [] : [String(key)];
    for (let parent = parents.get(node); parent; parent = parents.get(parent.node)) keys.unshift(parent.key);
    return ['#', ...keys.map(toPointerKey)].join('/');
  };
}

/** Describes each distinct message in one line, with the location of its first error and the number of errors. */
export function describeErrors(file: string, documents: readonly object[], errors: readonly DocumentError[]): string {
  const toPointer = createToPointer(documents);
  const byMessage = Map.groupBy(errors, ({ message }) => message);
  const lines = [...byMessage].map(([message, errorsOfMessage]) => {
    const [firstPointer] = errorsOfMessage.map(toPointer);
    const count = errorsOfMessage.length === 1 ? '' : ` (${String(errorsOfMessage.length)} times)`;
    return `${file}${String(firstPointer)} ${message}${count}`;
  });
  return lines.join('\n');
}

type Parent = Readonly<{ node: object; key: string }>;

// Searches breadth-first to find the shortest path to each object.
function findParents(documents: readonly object[]): ReadonlyMap<object, Parent> {
  const parents = new Map<object, Parent>();
  const queue = [...documents];
  for (const node of queue) {
    for (const [key, child] of Object.entries(node) as [string, unknown][]) {
      if (typeof child !== 'object' || child === null || documents.includes(child) || parents.has(child)) continue;
      parents.set(child, { node, key });
      queue.push(child);
    }
  }
  return parents;
}

/**
 * Thrown at startup and by scripts if the contract cannot be served. The message says where and why.
 *
 * @example if (error instanceof ContractError) console.error(error.message)
 */
export class ContractError extends Error {
  readonly code = 'INVALID_CONTRACT';
}
