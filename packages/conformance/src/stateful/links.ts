import type { Model, Operation, Parameter } from '../contract/model';
import type { Json } from '../wire/json';
import { declaredLinks } from './declared-links';
import { parametersOf, shapeOf } from './path-template';
import { nounOf, toName } from './names';
import { findResources, type Resource } from './resources';

/**
 * Where a parameter takes its value from: the id of a created resource, or the runtime expression of a declared link.
 */
export type Origin = { readonly resource: Resource } | { readonly expression: Json };

/** An operation on a created resource, and where its parameters take their values from. */
export interface Link {
  readonly operation: Operation;
  /** The resource that the operation acts on. */
  readonly resource: Resource;
  readonly origins: ReadonlyMap<Parameter, Origin>;
}

/** The resources of a contract, and the operations that act on them. */
export interface Links {
  readonly resources: readonly Resource[];
  /** At most one for each operation. */
  readonly links: readonly Link[];
}

/**
 * Finds for each operation the resource that it acts on, and the ids that it needs.
 *
 * @example findLinks(suite.model).links.map(({ operation, resource }) => [operation.id, resource.path])
 */
export function findLinks(model: Model): Links {
  const resources = findResources(model);
  const links = model.operations.flatMap((operation) => {
    const link = createLink(model, resources, operation);
    return link ? [link] : [];
  });
  return { resources, links: links.filter((link) => !isCircular(resources, links, link)) };
}

/** Whether an operation creates or lists a resource that must exist before the operation can be called. */
function isCircular(resources: readonly Resource[], links: readonly Link[], { operation, origins }: Link): boolean {
  const created = resources.filter(({ create, list }) => [create, list?.operation].includes(operation));
  const seen = new Set<Resource>();
  const queue = resourcesOf(origins);
  for (let one = queue.pop(); one; one = queue.pop()) {
    if (created.includes(one)) return true;
    if (seen.has(one)) continue;
    seen.add(one);
    const makers = [one.create, one.list?.operation];
    queue.push(...links.filter((link) => makers.includes(link.operation)).flatMap((link) => resourcesOf(link.origins)));
  }
  return false;
}

function resourcesOf(origins: Link['origins']): Resource[] {
  return [...origins.values()].flatMap((origin) => ('resource' in origin ? [origin.resource] : []));
}

/** Finds the resource that an operation acts on, and where each parameter takes its value from. */
function createLink(model: Model, resources: readonly Resource[], operation: Operation): Link | undefined {
  const declaredLink = resources.flatMap((resource) =>
    (resource.create ? declaredLinks(model, resource.create) : [])
      .filter(({ target }) => target === operation)
      .map(({ parameters }) => ({ resource, parameters })),
  )[0];
  const origins = new Map<Parameter, Origin>();
  for (const parameter of operation.parameters) {
    const expression = declaredLink?.parameters.get(parameter.name);
    const source = findSource(resources, operation, parameter);
    if (expression !== undefined) origins.set(parameter, { expression });
    else if (source) origins.set(parameter, { resource: source });
    else if (parameter.in === 'path') return undefined;
  }
  const pathResources = parametersOf(operation.path)
    .flatMap((name) => [...origins].filter(([parameter]) => parameter.in === 'path' && parameter.name === name))
    .map(([, origin]) => ('resource' in origin ? origin.resource : declaredLink?.resource));
  // The last path parameter names the resource itself; earlier ones name its parents.
  const resource = pathResources.at(-1) ?? declaredLink?.resource;
  return resource && { operation, resource, origins };
}

/** Finds the resource whose id a parameter holds: by the path up to the parameter, or by the parameter's name. */
function findSource(resources: readonly Resource[], { path }: Operation, parameter: Parameter): Resource | undefined {
  const { name, in: place } = parameter;
  if (place !== 'path' && place !== 'query') return undefined;
  const end = path.indexOf(`{${name}}`) + name.length + 2;
  const atPath = resources.find((resource) => shapeOf(resource.path) === shapeOf(path.slice(0, end)));
  const named = resources.find((resource) => foreignNamesOf(resource).has(toName(name)));
  return place === 'path' ? (atPath ?? named) : named;
}

/**
 * The names that parameters of other paths have for the id of a resource, such as `book id`; a bare `id` may be any
 * resource's.
 */
function foreignNamesOf({ path, key }: Resource): ReadonlySet<string> {
  const noun = nounOf(path.slice(0, path.lastIndexOf('/{')));
  const own = toName(key);
  return new Set([`${noun} id`, `${noun} ${own}`, ...(own.includes(' ') ? [own] : [])]);
}

/** The link of an operation; undefined when it needs no id, or when its ids are unknown. */
export function linkOf({ links }: Links, operation: Operation): Link | undefined {
  return links.find((link) => link.operation === operation);
}

/**
 * Whether the ids of created resources are known for every path parameter of an operation.
 *
 * @example model.operations.filter((operation) => !isLinked(links, operation))
 */
export function isLinked(links: Links, operation: Operation): boolean {
  return !operation.path.includes('{') || linkOf(links, operation) !== undefined;
}
