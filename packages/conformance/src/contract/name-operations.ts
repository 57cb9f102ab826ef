// Names operations in the same way as a service that the kit generated.
import { createHash } from 'node:crypto';

/** An operation as far as its name depends on it. */
interface Named {
  /** The operationId, if it has one. */
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
}

const RESERVED = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function if implements import in instanceof interface let new null package private protected ' +
    'public return static super switch this throw true try typeof undefined var void while with yield exports require ' +
    'module __filename __dirname __proto__ Handler Handlers handlers notBuilt index'
  ).split(' '),
);
const MAX_FILE_NAME = 200;
const MAX_MADE = 100;

/**
 * Names operations as a generated service does, so that "not built yet" in a reply can be matched: by the operationId
 * if it is a valid identifier and its file name is unique, or else by method and path.
 */
export function nameOperations<T extends Named>(operations: readonly T[]): T[] {
  const files = countNamesByFile(operations.map(({ id }) => id).filter(isUsable));
  const isKept = ({ id }: Named): boolean => isUsable(id) && files.get(toFile(id)) === 1;
  const named = operations.map((one) => (isKept(one) ? one : { ...one, id: makeName(one) }));
  const all = countNamesByFile(named.map(({ id }) => id));
  return named.map((one, index) => {
    const isMade = one !== operations[index];
    return isMade && all.get(toFile(one.id)) !== 1 ? { ...one, id: one.id + digestOf(one) } : one;
  });
}

// Whether a handler's constant and file can have this name.
function isUsable(id: string): boolean {
  const file = toFile(id);
  return (
    /^[$_\p{ID_Start}][$\p{ID_Continue}]*$/u.test(id) &&
    !RESERVED.has(id) &&
    file !== 'index' &&
    Buffer.byteLength(file) + '.ts'.length <= MAX_FILE_NAME
  );
}

function countNamesByFile(names: readonly string[]): Map<string, number> {
  const groups = Map.groupBy(names, toFile);
  return new Map([...groups].map(([file, all]) => [file, all.length]));
}

function toFile(name: string): string {
  return splitWords(name).join('-').toLowerCase() || name;
}

// Splits before a capital after a small letter or digit, before the last of several capitals, and at special
// characters.
function splitWords(name: string): string[] {
  const apart = name.replace(/(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ');
  return apart.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 0);
}

function makeName({ method, path }: Named): string {
  const words = path.split(/(?=\{[^{}]*\})|(?<=\{[^{}]*\})/).flatMap((part) => {
    const own = (part.match(/[A-Za-z0-9]+/g) ?? []).flatMap(splitWords);
    return /^\{[^{}]*\}/.test(part) ? ['by', ...own] : own;
  });
  const name = [method, ...(words.length === 0 ? ['root'] : words)].map((word, index) => {
    const small = word.toLowerCase();
    return index === 0 ? small : small.charAt(0).toUpperCase() + small.slice(1);
  });
  return name.join('').slice(0, MAX_MADE);
}

function digestOf({ method, path }: Named): string {
  return createHash('sha256').update(`${method} ${path}`).digest('hex').slice(0, 6);
}
