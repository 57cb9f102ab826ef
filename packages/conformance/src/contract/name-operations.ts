// Names operations as a generated service does, so that its reply `listBooks is not built yet` can be recognized.
import { createHash } from 'node:crypto';

interface Named {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
}

// Words that no handler can be named: keywords of JavaScript, and names that a generated service uses itself.
const RESERVED_WORDS = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function if implements import in instanceof interface let new null package private protected ' +
    'public return static super switch this throw true try typeof undefined var void while with yield exports require ' +
    'module __filename __dirname __proto__ Handler Handlers handlers notBuilt index'
  ).split(' '),
);
// Windows keeps no file by such a name.
const DEVICE_NAMES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
// In bytes. Linux allows 255, and generated files add endings such as .test.ts.
const MAX_FILE_NAME = 200;
// In characters, for a name made of a path of any length.
const MAX_MADE_NAME = 100;

/** Keeps an operationId that is a valid identifier with a unique file name; else makes a name of method and path. */
export function nameOperations<T extends Named>(operations: readonly T[]): T[] {
  const idsOfFile = countByFile(operations.map(({ id }) => id).filter(isUsableId));
  const keepsId = ({ id }: Named): boolean => isUsableId(id) && idsOfFile.get(toFileName(id)) === 1;
  const named = operations.map((operation) =>
    keepsId(operation) ? operation : { ...operation, id: makeName(operation) },
  );
  const namesOfFile = countByFile(named.map(({ id }) => id));
  // A made name whose file name is taken gets a digest as its suffix.
  return named.map((operation, index) => {
    const isMade = operation !== operations[index];
    const isTaken = namesOfFile.get(toFileName(operation.id)) !== 1;
    return isMade && isTaken ? { ...operation, id: operation.id + digestOf(operation) } : operation;
  });
}

// Whether an operationId can be the name of a constant and, as `create-book.ts` for `createBook`, of a file.
function isUsableId(id: string): boolean {
  const file = toFileName(id);
  const isIdentifier = /^[$_\p{ID_Start}][$\p{ID_Continue}]*$/u.test(id) && !RESERVED_WORDS.has(id);
  // index.ts holds the table of all handlers.
  return (
    isIdentifier &&
    file !== 'index' &&
    !DEVICE_NAMES.test(file) &&
    Buffer.byteLength(file) + '.ts'.length <= MAX_FILE_NAME
  );
}

// How many of the names lead to each file name; `getBook` and `get_book` both lead to `get-book`.
function countByFile(names: readonly string[]): Map<string, number> {
  const groups = Map.groupBy(names, toFileName);
  return new Map([...groups].map(([file, sharing]) => [file, sharing.length]));
}

function toFileName(name: string): string {
  return splitWords(name).join('-').toLowerCase() || name;
}

// Splits a name such as `parseJSONBody` into parse, JSON and Body.
function splitWords(name: string): string[] {
  const spaced = name.replace(/(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ');
  return spaced.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 0);
}

// Makes a name of method and path: `getBooksByIdPages` for GET /books/{id}/pages, and `getRoot` for GET /.
function makeName({ method, path }: Named): string {
  const pathWords = path.split(/(?=\{[^{}]*\})|(?<=\{[^{}]*\})/).flatMap((part) => {
    const words = (part.match(/[A-Za-z0-9]+/g) ?? []).flatMap(splitWords);
    const isParameter = /^\{[^{}]*\}/.test(part);
    return isParameter ? ['by', ...words] : words;
  });
  const camelCased = [method, ...(pathWords.length === 0 ? ['root'] : pathWords)].map((word, index) => {
    const small = word.toLowerCase();
    return index === 0 ? small : small.charAt(0).toUpperCase() + small.slice(1);
  });
  return camelCased.join('').slice(0, MAX_MADE_NAME);
}

function digestOf({ method, path }: Named): string {
  return createHash('sha256').update(`${method} ${path}`).digest('hex').slice(0, 6);
}
