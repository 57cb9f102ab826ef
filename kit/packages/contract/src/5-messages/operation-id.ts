// Names the operations of a contract.
import { createHash } from 'node:crypto';

export interface Unnamed {
  readonly method: string;
  readonly path: string;
  readonly operationId: unknown;
}

// Reserved words of TypeScript, and names that are already in scope in a handler's file.
const RESERVED = new Set(
  [
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends',
    'false finally for function if implements import in instanceof interface let new null package private protected',
    'public return static super switch this throw true try typeof undefined var void while with yield',
    'exports require module __filename __dirname __proto__ Handler Handlers handlers notBuilt index',
  ].flatMap((line) => line.split(' ')),
);
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
// On Windows, these names are devices in every folder.
const DEVICE = /^(?:aux|con|nul|prn|(?:com|lpt)\d)$/;

// Linux allows 255 bytes, including endings such as .test.ts.
const MAX_FILE_BYTES = 200;
const MAX_DERIVED_LENGTH = 100;

/**
 * Names each operation by its operationId if that is unique and valid as the name of a constant and a file, or else in camel
 * case, such as `createPlaylist` for `create-playlist`, or else by method and path. Operations with the same derived name
 * all get a digest, so that no name depends on the order of the contract.
 */
export function nameOperations(operations: readonly Unnamed[]): string[] {
  const validIds = operations.map(({ operationId }) => (isHandlerName(operationId) ? operationId : undefined));
  const isUniqueId = createUniqueCheck(validIds);
  const camelCaseIds = operations.map(({ operationId }, index) =>
    isUniqueId(validIds[index]) ? validIds[index] : toCamelCase(operationId),
  );
  const isUniqueCamelCase = createUniqueCheck(camelCaseIds);
  const keptIds = camelCaseIds.map((id, index) => (id === validIds[index] || isUniqueCamelCase(id) ? id : undefined));
  const derivedNames = operations.map((operation, index) =>
    keptIds[index] === undefined ? deriveName(operation) : undefined,
  );
  // A derived name may equal another operationId.
  const isUniqueName = createUniqueCheck([...keptIds, ...derivedNames]);
  return operations.map((operation, index) => {
    const derivedName = derivedNames[index];
    if (derivedName === undefined) return String(keptIds[index]);
    return isUniqueName(derivedName) ? derivedName : derivedName + digestOf(operation);
  });
}

function toWords(name: string): string[] {
  return (
    name
      // listBooks: list-Books
      .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1-$2')
      // HTTPStatus: HTTP-Status
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1-$2')
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== '')
  );
}

// Returns undefined if the operationId is already an identifier, or cannot become a valid one.
function toCamelCase(operationId: unknown): string | undefined {
  if (typeof operationId !== 'string' || IDENTIFIER.test(operationId)) return undefined;
  const [first = '', ...rest] = toWords(operationId);
  const name = [first.toLowerCase(), ...rest.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))].join('');
  return isHandlerName(name) ? name : undefined;
}

/**
 * The name of an operation's file, without its extension.
 *
 * @example toFileName('listBooks') // 'list-books'
 */
export function toFileName(name: string): string {
  return toWords(name).join('-').toLowerCase() || name;
}

function isHandlerName(id: unknown): id is string {
  if (typeof id !== 'string' || !IDENTIFIER.test(id) || RESERVED.has(id)) return false;
  const file = toFileName(id);
  // index.ts is the table of all handlers.
  return file !== 'index' && !DEVICE.test(file) && Buffer.byteLength(`${file}.ts`) <= MAX_FILE_BYTES;
}

// Names are compared by their files: `getA` and `get_a` would share get-a.ts.
function createUniqueCheck(names: readonly (string | undefined)[]): (name: string | undefined) => boolean {
  const files = names.flatMap((name) => (name === undefined ? [] : [toFileName(name)]));
  const sameFiles = Map.groupBy(files, (file) => file);
  return (name) => name !== undefined && sameFiles.get(toFileName(name))?.length === 1;
}

/** Derives a name from method and path, such as `getPetsByPetId` from `GET /pets/{petId}`, or `getRoot` from `GET /`. */
function deriveName({ method, path }: Unnamed): string {
  const pieces = path.split(/(\{[^{}]*\})/);
  const words = pieces.flatMap((piece) => {
    const wordsOfPiece = piece.match(/[A-Za-z0-9]+/g)?.flatMap(toWords) ?? [];
    return piece.startsWith('{') ? ['by', ...wordsOfPiece] : wordsOfPiece;
  });
  const [first, ...rest] = [...method.split('-'), ...(words.length > 0 ? words : ['root'])] as [string, ...string[]];
  const capitalized = rest.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase());
  return [first.toLowerCase(), ...capitalized].join('').slice(0, MAX_DERIVED_LENGTH);
}

function digestOf({ method, path }: Unnamed): string {
  return createHash('sha256').update(`${method} ${path}`).digest('hex').slice(0, 6);
}
