// The model of a contract: the operations and schemas that cases are derived from.
import { objectOrEmpty, type Json } from '../wire/json';
import { extendPointer } from './pointer';
import { readContract, resolve, type Contract, type ReadOptions } from './read-contract';
import { METHODS, readOperation, type Operation, type Reply } from './read-operation';
import { propertiesOf, rulesOf, type Schema } from './schema';
import { createHash } from 'node:crypto';

export type { Content, Example } from './read-content';
export type { Part } from './read-content';
export type { Body, Operation, Reply, ReplyHeader } from './read-operation';
export type { Parameter, Text } from './read-operation';
export type { Scheme } from './read-operation';

/** The contract as the suite reads it. */
export interface Model {
  readonly contract: Contract;
  readonly operations: readonly Operation[];
  /** The methods of each path. */
  readonly paths: ReadonlyMap<string, readonly string[]>;
  /** The error catalogue (`x-error-catalogue`), if the contract has one. */
  readonly errors: readonly ErrorEntry[];
}

export interface ErrorEntry {
  readonly name: string;
  readonly number: Json;
  readonly status: Json;
  readonly pointer: string;
}

/**
 * Reads a contract in YAML or JSON. Parts that no cases can be made for are left out, and listed in `contract.untried`.
 *
 * @throws Error when the text is no contract
 */
export function readModel(text: string, options?: ReadOptions): Model {
  const contract = readContract(text, options);
  const operations = readOperations(contract);
  const paths = Object.keys(objectOrEmpty(contract.root['paths']));
  const methodsOf = (path: string): string[] =>
    operations.filter((operation) => operation.path === path).map(({ method }) => method);
  const replies = operations.flatMap((operation) => [...operation.replies.values()]);
  const replySchemas = replies.flatMap(({ contents }) => contents.map(({ schema }) => schema));
  return {
    contract,
    operations: nameOperations(operations),
    paths: new Map(paths.map((path) => [path, methodsOf(path)])),
    // Many replies refer to one error schema.
    errors: uniqueByPointer(replySchemas.flatMap(readErrorCatalogue)),
  };
}

// `untried.attempt` lists an unreadable part as untried, and returns its second argument instead.
function readOperations(contract: Contract): Operation[] {
  const paths = Object.keys(objectOrEmpty(contract.root['paths'])).filter((path) => path.startsWith('/'));
  return paths.flatMap((path) => {
    const pathItem = contract.untried.attempt(() => resolve(contract, extendPointer('#', 'paths', path)), undefined);
    if (!pathItem) return [];
    const methods = METHODS.filter((method) => method in pathItem.value);
    return methods.flatMap((method) =>
      contract.untried.attempt(() => [readOperation(contract, pathItem.pointer, path, method)], []),
    );
  });
}

/** @throws Error when the contract has no operation of that id */
export function operationOf({ operations }: Model, { operation }: { readonly operation: string }): Operation {
  const found = operations.find(({ id }) => id === operation);
  if (!found) throw new Error(`the contract has no operation ${operation}`);
  return found;
}

/** Whether an operation needs no credentials. */
export function isPublic({ alternatives }: Operation): boolean {
  return alternatives.some((schemes) => schemes.length === 0);
}

/** The declared reply of a status: its own, its range such as 4XX, or default (OpenAPI, Responses Object). */
export function findReply({ replies }: Operation, status: number): Reply | undefined {
  return replies.get(String(status)) ?? replies.get(`${String(status)[0] ?? ''}XX`) ?? replies.get('default');
}

// Reads `x-error-catalogue`, an extension on the property that holds the error number, such as
// `BODY_REQUIRED: { number: 40003, status: 400 }`.
function readErrorCatalogue(schema: Schema): ErrorEntry[] {
  const catalogues = [...propertiesOf(schema).values()].flatMap((property) => rulesOf(property, 'x-error-catalogue'));
  return catalogues.flatMap(({ value, place }) =>
    Object.entries(objectOrEmpty(value)).map(([name, entry]) => ({
      name,
      number: objectOrEmpty(entry)['number'] ?? null,
      status: objectOrEmpty(entry)['status'] ?? null,
      pointer: extendPointer(place.pointer, 'x-error-catalogue', name),
    })),
  );
}

function uniqueByPointer(entries: readonly ErrorEntry[]): ErrorEntry[] {
  return [...new Map(entries.map((entry) => [entry.pointer, entry])).values()];
}

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
