// Links operations to the resources that they act on, and their parameters to the ids that they need.
import type { Model, Operation } from '../contract/model';
import { linkOperation, type LinkedOperation } from './link-operation';
import { findResources, type Resource } from './resources';

export interface Links {
  readonly resources: readonly Resource[];
  /** At most one for each operation. */
  readonly linkedOperations: readonly LinkedOperation[];
}

/** Operations that need no id, or whose ids no operation gives, are left out. */
export function findLinks(model: Model): Links {
  const resources = findResources(model);
  const linkedOperations = model.operations.flatMap((operation) => {
    const linked = linkOperation(model, resources, operation);
    return linked ? [linked] : [];
  });
  const links = { resources, linkedOperations };
  return { resources, linkedOperations: linkedOperations.filter((linked) => !isCircular(links, linked)) };
}

// Whether an operation creates or lists a resource of which it needs an instance: then there is no first instance.
function isCircular({ resources, linkedOperations }: Links, { operation, origins }: LinkedOperation): boolean {
  const givenByIt = resources.filter(({ create, list }) => [create, list?.operation].includes(operation));
  const visited = new Set<Resource>();
  const needed = resourcesOf(origins);
  for (let resource = needed.pop(); resource; resource = needed.pop()) {
    if (givenByIt.includes(resource)) return true;
    if (visited.has(resource)) continue;
    visited.add(resource);
    const givers = [resource.create, resource.list?.operation];
    const linkedGivers = linkedOperations.filter((linked) => givers.includes(linked.operation));
    needed.push(...linkedGivers.flatMap((giver) => resourcesOf(giver.origins)));
  }
  return false;
}

function resourcesOf(origins: LinkedOperation['origins']): Resource[] {
  return [...origins.values()].flatMap((origin) => ('resource' in origin ? [origin.resource] : []));
}

/** Undefined when the operation needs no id, or when its ids are unknown. */
export function findLinkedOperation({ linkedOperations }: Links, operation: Operation): LinkedOperation | undefined {
  return linkedOperations.find((linked) => linked.operation === operation);
}

/** Whether an operation can be called: it has no path parameters, or the run can know the ids for all of them. */
export function isLinked(links: Links, operation: Operation): boolean {
  return !operation.path.includes('{') || findLinkedOperation(links, operation) !== undefined;
}
