// Names the operations of a contract.
import { createHash } from 'node:crypto';

export interface UnnamedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: unknown;
}

// TypeScript's reserved words, and names that are already in scope in handler files.
const RESERVED_NAMES = new Set(
  [
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends',
    'false finally for function if implements import in instanceof interface let new null package private protected',
    'public return static super switch this throw true try typeof undefined var void while with yield',
    'exports require module __filename __dirname __proto__ Handler Handlers handlers notBuilt index',
  ].flatMap((line) => line.split(' ')),
);
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
// Windows reserves these file names in every folder.
const DEVICE_NAME = /^(?:aux|con|nul|prn|(?:com|lpt)\d)$/;

// The maximum length of a handler's file name. Linux allows 255 bytes, including longer extensions such as .test.ts.
const MAX_FILE_BYTES = 200;
const MAX_DERIVED_LENGTH = 100;

/**
 * Names each operation after its operationId if that is unique and can name a constant and a file. Otherwise it tries camel
 * case, such as `createPlaylist` for `create-playlist`, and then the method and path. If several operations derive the same
 * name, a digest is appended to each, so that names do not depend on the order of the contract.
 */
export function nameOperations(operations: readonly UnnamedOperation[]): string[] {
  const validIds = operations.map(({ operationId }) => (isHandlerName(operationId) ? operationId : undefined));
  const isUniqueId = createUniqueCheck(validIds);
  const camelCaseIds = operations.map(({ operationId }, index) =>
    isUniqueId(validIds[index]) ? validIds[index] : toCamelCase(operationId),
  );
  const isUniqueCamelCase = createUniqueCheck(camelCaseIds);
  const finalIds = camelCaseIds.map((id, index) => (id === validIds[index] || isUniqueCamelCase(id) ? id : undefined));
  const derivedNames = operations.map((operation, index) =>
    finalIds[index] === undefined ? deriveName(operation) : undefined,
  );
  // A derived name can equal another operation's operationId.
  const isUniqueName = createUniqueCheck([...finalIds, ...derivedNames]);
  return operations.map((operation, index) => {
    const derivedName = derivedNames[index];
    if (derivedName === undefined) return String(finalIds[index]);
    return isUniqueName(derivedName) ? derivedName : derivedName + digestOf(operation);
  });
}

function toWords(name: string): string[] {
  return (
    name
      // listBooks -> list-Books
      .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1-$2')
      // HTTPStatus -> HTTP-Status
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1-$2')
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== '')
  );
}

// Returns undefined if the operationId is already an identifier, or cannot be converted to a valid name.
function toCamelCase(operationId: unknown): string | undefined {
  if (typeof operationId !== 'string' || IDENTIFIER.test(operationId)) return undefined;
  const [first = '', ...rest] = toWords(operationId);
  const name = [first.toLowerCase(), ...rest.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))].join('');
  return isHandlerName(name) ? name : undefined;
}

/**
 * Returns the file name of an operation's handler, without extension.
 *
 * @example toFileName('listBooks') // 'list-books'
 */
export function toFileName(name: string): string {
  return toWords(name).join('-').toLowerCase() || name;
}

function isHandlerName(id: unknown): id is string {
  if (typeof id !== 'string' || !IDENTIFIER.test(id) || RESERVED_NAMES.has(id)) return false;
  const file = toFileName(id);
  // index.ts is taken by the table of handlers.
  return file !== 'index' && !DEVICE_NAME.test(file) && Buffer.byteLength(`${file}.ts`) <= MAX_FILE_BYTES;
}

// Creates a check that no other name has the same file name, because `getA` and `get_a` would share get-a.ts.
function createUniqueCheck(names: readonly (string | undefined)[]): (name: string | undefined) => boolean {
  const files = names.flatMap((name) => (name === undefined ? [] : [toFileName(name)]));
  const namesByFile = Map.groupBy(files, (file) => file);
  return (name) => name !== undefined && namesByFile.get(toFileName(name))?.length === 1;
}

/** Derives names such as `getPetsByPetId` from `GET /pets/{petId}`, and `getRoot` from `GET /`. */
function deriveName({ method, path }: UnnamedOperation): string {
  const segments = path.split(/(\{[^{}]*\})/);
  const words = segments.flatMap((segment) => {
    const wordsOfSegment = segment.match(/[A-Za-z0-9]+/g)?.flatMap(toWords) ?? [];
    return segment.startsWith('{') ? ['by', ...wordsOfSegment] : wordsOfSegment;
  });
  const [first, ...rest] = [...method.split('-'), ...(words.length > 0 ? words : ['root'])] as [string, ...string[]];
  const capitalized = rest.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase());
  return [first.toLowerCase(), ...capitalized].join('').slice(0, MAX_DERIVED_LENGTH);
}

function digestOf({ method, path }: UnnamedOperation): string {
  return createHash('sha256').update(`${method} ${path}`).digest('hex').slice(0, 6);
}
