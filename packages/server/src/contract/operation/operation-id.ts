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

// Words that TypeScript keeps for itself, and names that a file of handlers has in its scope already.
const TAKEN = new Set(
  [
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends',
    'false finally for function if implements import in instanceof interface let new null package private protected',
    'public return static super switch this throw true try typeof undefined var void while with yield',
    'exports require module __filename __dirname __proto__ Handler Handlers handlers notBuilt index',
  ].flatMap((line) => line.split(' ')),
);
const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

// Linux takes 255, and the name of a file gets endings.
const MAX_FILE_BYTES = 200;
const MAX_DERIVED = 100;

/**
 * The name of each operation, in their order: its operationId where that can name a constant and a file of its own, and
 * otherwise a name made of its method and path. So the name of an operation does not depend on where in the contract it
 * stands, nor on most others: only two that would have the same name both get a digest of method and path.
 *
 * @example nameOperations([{ method: 'GET', path: '/pets/{petId}', written: undefined }]) // ['getPetsByPetId']
 */
export function nameOperations(operations: readonly Unnamed[]): string[] {
  const candidates = operations.map(({ written }) => (isHandlerName(written) ? written : undefined));
  const isWritten = isOnce(candidates);
  const derived = operations.map((operation, index) =>
    isWritten(candidates[index]) ? undefined : deriveName(operation),
  );
  const isDerived = isOnce([...derived, ...candidates.filter(isWritten)]);
  return operations.map((operation, index) => {
    const [candidate, name] = [candidates[index], derived[index]];
    if (name === undefined) return String(candidate);
    return isDerived(name) ? name : name + digestOf(operation);
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
 * The file of a handler, without its ending.
 *
 * @example toFileName('listBooks') // 'list-books'
 */
export function toFileName(name: string): string {
  return toWords(name).join('-').toLowerCase() || name;
}

function isHandlerName(id: unknown): id is string {
  if (typeof id !== 'string' || !NAME.test(id) || TAKEN.has(id)) return false;
  const file = toFileName(id);
  return file !== 'index' && Buffer.byteLength(`${file}.ts`) <= MAX_FILE_BYTES;
}

/** Whether a name has a file of its own among others. */
function isOnce(names: readonly (string | undefined)[]): (name: string | undefined) => boolean {
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
