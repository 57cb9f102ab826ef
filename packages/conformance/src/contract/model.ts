// The model of a contract: the operations and schemas that cases are derived from.
import { objectOrEmpty, type Json } from '../wire/json';
import { extendPointer } from './pointer';
import { readContract, resolve, type Contract, type ReadOptions } from './read-contract';
import { methodsOf, readOperation, type Operation, type Reply } from './read-operation';
import { propertiesOf, rulesOf, type Schema } from './schema';

export type { Content, Example, Part } from './read-content';
export type { Body, Operation, Parameter, Reply, ReplyHeader, Scheme, Text } from './read-operation';

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
  /** The property of a reply that has the number. */
  readonly property: string;
  readonly name: string;
  readonly number: Json;
  readonly status: Json;
  readonly pointer: string;
}

/**
 * Reads a contract in YAML or JSON. Parts that no cases can be made for are left out, and listed in `contract.skipped`.
 *
 * @throws Error when the text is not a contract
 */
export function readModel(text: string, options?: ReadOptions): Model {
  const contract = readContract(text, options);
  const operations = readOperations(contract);
  const paths = Object.keys(objectOrEmpty(contract.root['paths']));
  const methodsOfPath = (path: string): string[] =>
    operations.filter((operation) => operation.path === path).map(({ method }) => method);
  const replies = operations.flatMap((operation) => [...operation.replies.values()]);
  const replySchemas = replies.flatMap(({ contents }) => contents.map(({ schema }) => schema));
  return {
    contract,
    operations: withUniqueIds(operations),
    paths: new Map(paths.map((path) => [path, methodsOfPath(path)])),
    // Many replies refer to one error schema.
    errors: [...new Map(replySchemas.flatMap(readErrorCatalogue).map((entry) => [entry.pointer, entry])).values()],
  };
}

// `skipped.attempt` lists an unreadable part as skipped, and returns its second argument instead.
function readOperations(contract: Contract): Operation[] {
  const paths = Object.keys(objectOrEmpty(contract.root['paths'])).filter((path) => path.startsWith('/'));
  return paths.flatMap((path) => {
    const pathItem = contract.skipped.attempt(() => resolve(contract, extendPointer('#', 'paths', path)), undefined);
    if (!pathItem) return [];
    return methodsOf(contract, pathItem).flatMap((method) =>
      contract.skipped.attempt(() => [readOperation(contract, pathItem.pointer, path, method)], []),
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
export function isPublic({ securityRequirements }: Operation): boolean {
  return securityRequirements.some((schemes) => schemes.length === 0);
}

export function hasPathParameter({ parameters }: Operation): boolean {
  return parameters.some((parameter) => parameter.in === 'path');
}

/** Whether an operation changes nothing (RFC 9110 section 9.2.1, RFC 10008 section 2). */
export function isSafeMethod({ method }: Pick<Operation, 'method'>): boolean {
  return ['GET', 'HEAD', 'OPTIONS', 'QUERY'].includes(method);
}

/** The declared reply of a status: its own, its range such as 4XX, or default (OpenAPI, Responses Object). */
export function findReply({ replies }: Operation, status: number): Reply | undefined {
  return replies.get(String(status)) ?? replies.get(`${String(status)[0] ?? ''}XX`) ?? replies.get('default');
}

/** Reads `x-error-catalogue` of each property that holds an error number: `GONE: { number: 41001, status: 410 }`. */
export function readErrorCatalogue(schema: Schema): ErrorEntry[] {
  return [...propertiesOf(schema)].flatMap(([property, rules]) =>
    rulesOf(rules, 'x-error-catalogue').flatMap(({ value, schemaObject }) =>
      Object.entries(objectOrEmpty(value)).map(([name, entry]) => {
        const { number = null, status = null } = objectOrEmpty(entry);
        return {
          property,
          name,
          number,
          status,
          pointer: extendPointer(schemaObject.pointer, 'x-error-catalogue', name),
        };
      }),
    ),
  );
}

// Results and titles name an operation by its id, so a missing or repeated operationId gives way to method and path.
function withUniqueIds(operations: readonly Operation[]): Operation[] {
  const byId = Map.groupBy(operations, ({ id }) => id);
  return operations.map((operation) =>
    byId.get(operation.id)?.length === 1 ? operation : { ...operation, id: `${operation.method} ${operation.path}` },
  );
}
