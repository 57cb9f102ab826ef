import type { Operation } from '../contract/model';
import type { Links, Link } from './links';
import { shapeOf } from './path-template';
import { writableOf, type Writable } from './representation';
import type { List, Resource } from './resources';

/** The operations that clients can call on one thing of a resource. */
export interface Lifecycle {
  readonly resource: Resource;
  readonly create: Operation;
  readonly read: Link | undefined;
  readonly replace: Link | undefined;
  readonly change: Link | undefined;
  readonly remove: Link | undefined;
  readonly list: List | undefined;
  /** The properties that clients can send in any of these. */
  readonly writable: Writable;
}

/**
 * Finds the lifecycle of each resource that a client can create.
 *
 * @param isWanted whether an operation may be called
 */
export function findLifecycles({ resources, links }: Links, isWanted: (operation: Operation) => boolean): Lifecycle[] {
  return resources.flatMap((resource) => {
    const { create, list: own } = resource;
    if (!create || !isWanted(create)) return [];
    const findLink = (method: string): Link | undefined =>
      links.find(
        ({ operation }) =>
          operation.method === method && shapeOf(operation.path) === shapeOf(resource.path) && isWanted(operation),
      );
    const [read, replace, change, remove] = [findLink('GET'), findLink('PUT'), findLink('PATCH'), findLink('DELETE')];
    const list = own && isWanted(own.operation) ? own : undefined;
    const writableProperties = [create, replace?.operation, change?.operation].flatMap((operation) =>
      (operation?.body?.contents ?? []).filter(({ kind }) => kind === 'json').map(({ schema }) => writableOf(schema)),
    );
    const writable = new Map(writableProperties.flatMap((names) => [...names]));
    return [{ resource, create, read, replace, change, remove, list, writable }];
  });
}
