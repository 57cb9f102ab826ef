// Names the operations of a contract.
import { createHash } from 'node:crypto';

/** An operation that needs a name. */
export interface Unnamed {
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  /** The operationId that the contract gives it. */
  readonly written: unknown;
}

// Reserved words of TypeScript, and names that are in the scope of a file of handlers already.
const RESERVED = new Set(
  [
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends',
    'false finally for function if implements import in instanceof interface let new null package private protected',
    'public return static super switch this throw true try typeof undefined var void while with yield',
    'exports require module __filename __dirname __proto__ Handler Handlers handlers notBuilt index',
  ].flatMap((line) => line.split(' ')),
);
const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

// Linux allows 255, and generated files add endings such as .test.ts.
const MAX_FILE_BYTES = 200;
const MAX_DERIVED = 100;

/**
 * Names each operation: by its operationId if that is unique, and valid as a constant and a file; otherwise by method and
 * path. Of operations with the same derived name, each gets a digest of method and path, so that no name depends on the
 * order of the contract.
 *
 * @example nameOperations([{ method: 'GET', path: '/pets/{petId}', written: undefined }]) // ['getPetsByPetId']
 */
export function nameOperations(operations: readonly Unnamed[]): string[] {
  const candidates = operations.map(({ written }) => (isHandlerName(written) ? written : undefined));
  const isUnique = createUniqueCheck(candidates);
  const derived = operations.map((operation, index) =>
    isUnique(candidates[index]) ? undefined : deriveName(operation),
  );
  const isUniqueOfAll = createUniqueCheck([...derived, ...candidates.filter(isUnique)]);
  return operations.map((operation, index) => {
    const [candidate, name] = [candidates[index], derived[index]];
    if (name === undefined) return String(candidate);
    return isUniqueOfAll(name) ? name : name + digestOf(operation);
  });
}

/**
 * The words of a name, such as `list` and `books` of listBooks.
 *
 * @example toWords('listBooks') // ['list', 'Books']
 */
export function toWords(name: string): string[] {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1-$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1-$2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/**
 * The name of a handler's file, without `.ts`.
 *
 * @example toFileName('listBooks') // 'list-books'
 */
export function toFileName(name: string): string {
  return toWords(name).join('-').toLowerCase() || name;
}

function isHandlerName(id: unknown): id is string {
  if (typeof id !== 'string' || !NAME.test(id) || RESERVED.has(id)) return false;
  const file = toFileName(id);
  return file !== 'index' && Buffer.byteLength(`${file}.ts`) <= MAX_FILE_BYTES;
}

/** The function tells whether exactly one of these names has the same file as a name. */
function createUniqueCheck(names: readonly (string | undefined)[]): (name: string | undefined) => boolean {
  const counts = new Map<string, number>();
  for (const name of names) {
    if (name !== undefined) counts.set(toFileName(name), (counts.get(toFileName(name)) ?? 0) + 1);
  }
  return (name) => name !== undefined && counts.get(toFileName(name)) === 1;
}

function deriveName({ method, path }: Unnamed): string {
  const parts = path.split(/(\{[^{}]*\})/).flatMap((part) => {
    const words = part.match(/[A-Za-z0-9]+/g)?.flatMap(toWords) ?? [];
    return part.startsWith('{') ? ['by', ...words] : words;
  });
  const words = (parts.length > 0 ? parts : ['root']).map(
    (word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase(),
  );
  return [method.toLowerCase(), ...words].join('').slice(0, MAX_DERIVED);
}

function digestOf({ method, path }: Unnamed): string {
  return createHash('sha256').update(`${method} ${path}`).digest('hex').slice(0, 6);
}
