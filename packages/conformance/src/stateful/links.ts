import type { Model, Operation, Parameter } from '../contract/model';
import type { Json } from '../wire/json';
import { declaredLinks } from './declared-links';
import { parametersOf, shapeOf } from './path-template';
import { nounOf, toName } from './names';
import { findResources, type Resource } from './resources';

/** Where a parameter of an operation has its value from: the id of a resource, or what a declared link says. */
export type Origin = { readonly resource: Resource } | { readonly expression: Json };

/** An operation on a resource, and the parameters that get their values from what was made. */
export interface Link {
  readonly operation: Operation;
  /** The innermost one whose id the operation is given. */
  readonly resource: Resource;
  readonly origins: ReadonlyMap<Parameter, Origin>;
}

/** How the operations of a contract belong together. */
export interface Links {
  readonly resources: readonly Resource[];
  /** One at most for each operation. */
  readonly links: readonly Link[];
}

/**
 * Which operations get which ids.
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

/** Whether an operation makes what it takes to make what it is given. */
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
  const resource = pathResources.at(-1) ?? declaredLink?.resource;
  return resource && { operation, resource, origins };
}

function findSource(resources: readonly Resource[], { path }: Operation, parameter: Parameter): Resource | undefined {
  const { name, in: place } = parameter;
  if (place !== 'path' && place !== 'query') return undefined;
  const end = path.indexOf(`{${name}}`) + name.length + 2;
  const atPath = resources.find((resource) => shapeOf(resource.path) === shapeOf(path.slice(0, end)));
  const named = resources.find((resource) => foreignNamesOf(resource).has(toName(name)));
  return place === 'path' ? (atPath ?? named) : named;
}

/** By which names a resource is meant elsewhere, such as `book id`; `id` alone may mean any. */
function foreignNamesOf({ path, key }: Resource): ReadonlySet<string> {
  const noun = nounOf(path.slice(0, path.lastIndexOf('/{')));
  const own = toName(key);
  return new Set([`${noun} id`, `${noun} ${own}`, ...(own.includes(' ') ? [own] : [])]);
}

/** What an operation gets from what was made; undefined where it gets nothing, or nobody can tell. */
export function linkOf({ links }: Links, operation: Operation): Link | undefined {
  return links.find((link) => link.operation === operation);
}

/**
 * Whether ids of what a run made are enough for each parameter in the path of an operation.
 *
 * @example model.operations.filter((operation) => !isLinked(links, operation))
 */
export function isLinked(links: Links, operation: Operation): boolean {
  return !operation.path.includes('{') || linkOf(links, operation) !== undefined;
}
