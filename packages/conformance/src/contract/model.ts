// The model of a contract: the operations and schemas that cases are derived from.
import { objectOrEmpty, type Json } from '../wire/json';
import { nameOperations } from './name-operations';
import { extendPointer } from './pointer';
import { readContract, resolve, type Contract, type ReadOptions } from './read-contract';
import { METHODS, readOperation, type Operation, type Reply } from './read-operation';
import { propertiesOf, rulesOf, type Schema } from './schema';

export type { Content, Example } from './read-content';
export type { Part } from './read-parts';
export type { Body, Operation, Reply, ReplyHeader } from './read-operation';
export type { Parameter, Text } from './read-parameter';
export type { Scheme } from './read-security';

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

/** @throws Error when the text is no contract; parts that no cases can be made for go to `contract.untried` */
export function readModel(text: string, options?: ReadOptions): Model {
  const contract = readContract(text, options);
  const paths = objectOrEmpty(contract.root['paths']);
  const operations = Object.keys(paths).flatMap((path) => {
    if (!path.startsWith('/')) return [];
    const at = extendPointer('#', 'paths', path);
    const item = contract.untried.attempt(() => resolve(contract, at), undefined);
    return METHODS.filter((method) => item !== undefined && method in item.value).flatMap((method) =>
      contract.untried.attempt(() => [readOperation(contract, item?.pointer ?? at, path, method)], []),
    );
  });
  const contents = operations.flatMap(({ replies }) => [...replies.values()].flatMap((reply) => reply.contents));
  return {
    contract,
    operations: nameOperations(operations),
    paths: new Map(
      Object.keys(paths).map((path) => [
        path,
        operations.filter((operation) => operation.path === path).map(({ method }) => method),
      ]),
    ),
    errors: uniqueByPointer(contents.flatMap(({ schema }) => catalogueEntries(schema))),
  };
}

/** @throws Error when the contract has no operation of that id */
export function operationOf({ operations }: Model, { operation }: { readonly operation: string }): Operation {
  const found = operations.find(({ id }) => id === operation);
  if (!found) throw new Error(`the contract has no operation ${operation}`);
  return found;
}

/**
 * The reply that the contract declares for a status: its own, its range such as 4XX, or default (OpenAPI, Responses
 * Object).
 */
export function findReply({ replies }: Operation, status: number): Reply | undefined {
  return replies.get(String(status)) ?? replies.get(`${String(status)[0] ?? ''}XX`) ?? replies.get('default');
}

/** Reads the error catalogue, an extension of the property that holds the error number. */
function catalogueEntries(schema: Schema): ErrorEntry[] {
  return [...propertiesOf(schema).values()].flatMap((property) =>
    rulesOf(property, 'x-error-catalogue').flatMap(({ value, place }) =>
      Object.entries(objectOrEmpty(value)).map(([name, entry]) => ({
        name,
        number: objectOrEmpty(entry)['number'] ?? null,
        status: objectOrEmpty(entry)['status'] ?? null,
        pointer: extendPointer(place.pointer, 'x-error-catalogue', name),
      })),
    ),
  );
}

function uniqueByPointer(entries: readonly ErrorEntry[]): ErrorEntry[] {
  return [...new Map(entries.map((entry) => [entry.pointer, entry])).values()];
}
