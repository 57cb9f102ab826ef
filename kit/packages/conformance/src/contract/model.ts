import { objectOrEmpty } from '../wire/json';
import { extendPointer } from './pointer';
import { readContract, resolve, type Contract, type ReadOptions } from './read-contract';
import { methodsOf, readOperation, type Operation, type Reply } from './read-operation';

export type { Content, Example, Part } from './read-content';
export type { Body, Operation, Parameter, Reply, ReplyHeader, Scheme, Serialization } from './read-operation';

/** The operations and schemas that cases are derived from. */
export interface Model {
  readonly contract: Contract;
  readonly operations: readonly Operation[];
  readonly paths: readonly string[];
}

/** @throws Error if the text is not an OpenAPI contract */
export function readModel(text: string, options?: ReadOptions): Model {
  const contract = readContract(text, options);
  const operations = readOperations(contract);
  return {
    contract,
    operations: withUniqueIds(operations),
    paths: Object.keys(objectOrEmpty(contract.root['paths'])),
  };
}

function readOperations(contract: Contract): Operation[] {
  const paths = Object.keys(objectOrEmpty(contract.root['paths'])).filter((path) => path.startsWith('/'));
  return paths.flatMap((path) => {
    const pathItem = contract.skipped.attempt(() => resolve(contract, extendPointer('#', 'paths', path)), undefined);
    if (!pathItem) return [];
    return methodsOf(pathItem).flatMap((method) =>
      contract.skipped.attempt(() => [readOperation(pathItem, path, method)], []),
    );
  });
}

export function operationOf({ operations }: Model, { operation }: { readonly operation: string }): Operation {
  const match = operations.find(({ id }) => id === operation);
  if (!match) throw new Error(`the contract has no operation ${operation}`);
  return match;
}

/** Whether requests need no credentials. */
export function isPublic({ securityRequirements }: Operation): boolean {
  return securityRequirements.some((schemes) => schemes.length === 0);
}

export function hasPathParameter({ parameters }: Operation): boolean {
  return parameters.some((parameter) => parameter.in === 'path');
}

/** Whether the method is safe (RFC 9110 section 9.2.1, RFC 10008 section 2). */
export function isSafeMethod({ method }: Pick<Operation, 'method'>): boolean {
  return ['GET', 'HEAD', 'OPTIONS', 'QUERY'].includes(method);
}

/** Prefers the exact status to a range such as 4XX, and a range to `default` (OpenAPI, Responses Object). */
export function findReply({ replies }: Operation, status: number): Reply | undefined {
  return replies.get(String(status)) ?? replies.get(`${String(status)[0] ?? ''}XX`) ?? replies.get('default');
}

// Results and titles identify operations by id, so a duplicate operationId is replaced by method and path.
function withUniqueIds(operations: readonly Operation[]): Operation[] {
  const byId = Map.groupBy(operations, ({ id }) => id);
  return operations.map((operation) =>
    byId.get(operation.id)?.length === 1 ? operation : { ...operation, id: `${operation.method} ${operation.path}` },
  );
}
