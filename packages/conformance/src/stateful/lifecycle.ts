// Finds which operations make up the life of an instance, from POST to DELETE.
import type { Operation } from '../contract/model';
import type { LinkedOperation } from './link-operation';
import type { Links } from './links';
import { isSamePath } from './path-template';
import { writableOf, type Writable } from './representation';
import type { List, Resource } from './resources';

/** The operations that clients can call on an instance of a resource; undefined where the contract has none. */
export interface Lifecycle {
  readonly resource: Resource;
  readonly create: Operation;
  readonly read: LinkedOperation | undefined;
  readonly replace: LinkedOperation | undefined;
  readonly patch: LinkedOperation | undefined;
  readonly remove: LinkedOperation | undefined;
  readonly list: List | undefined;
  readonly writable: Writable;
}

/** Only of resources that a client can create. */
export function findLifecycles(
  { resources, linkedOperations }: Links,
  isWanted: (operation: Operation) => boolean,
): Lifecycle[] {
  return resources.flatMap((resource) => {
    const { create } = resource;
    if (!create || !isWanted(create)) return [];
    const find = (method: string): LinkedOperation | undefined =>
      linkedOperations.find(
        ({ operation }) =>
          operation.method === method && isSamePath(operation.path, resource.path) && isWanted(operation),
      );
    const [read, replace, patch, remove] = [find('GET'), find('PUT'), find('PATCH'), find('DELETE')];
    const list = resource.list && isWanted(resource.list.operation) ? resource.list : undefined;
    const writable = mergeWritable([create, replace?.operation, patch?.operation]);
    return [{ resource, create, read, replace, patch, remove, list, writable }];
  });
}

function mergeWritable(operations: readonly (Operation | undefined)[]): Writable {
  const contents = operations.flatMap((operation) => operation?.body?.contents ?? []);
  const jsonContents = contents.filter(({ kind }) => kind === 'json');
  return new Map(jsonContents.flatMap(({ schema }) => [...writableOf(schema)]));
}
