// Links operations to the resources that they act on, and their parameters to the ids that they need.
import type { Model, Operation, Parameter } from '../contract/model';
import { findDeclaredLinks, findResources, type DeclaredLink, type Resource, type ListOperation } from './resources';
import type { Json } from '../wire/json';
import { nounOf } from './find-id';
import { normalizeName } from '../contract/paging';
import { collectionOf, isSamePath, normalizePath, parametersOf } from '../contract/path-template';
import { writableOf, type WritableProperties } from './representation';

export interface Links {
  readonly resources: readonly Resource[];
  readonly linkedOperations: readonly LinkedOperation[];
}

/** Leaves out operations that need no id, or whose ids no operation provides. */
export function findLinks(model: Model): Links {
  const resources = findResources(model);
  const linkedOperations = model.operations.flatMap((operation) => {
    const linkedOperation = linkOperation(model, resources, operation);
    return linkedOperation ? [linkedOperation] : [];
  });
  const links = { resources, linkedOperations };
  return {
    resources,
    linkedOperations: linkedOperations.filter((linkedOperation) => !isCircular(links, linkedOperation)),
  };
}

// An operation that needs an instance of the resource that it creates or lists can never get the first one.
function isCircular({ resources, linkedOperations }: Links, { operation, origins }: LinkedOperation): boolean {
  const ownResources = resources.filter(({ create, list }) => [create, list?.operation].includes(operation));
  const visitedResources = new Set<Resource>();
  const pendingResources = resourcesOf(origins);
  for (let resource = pendingResources.pop(); resource; resource = pendingResources.pop()) {
    // A creating PUT needs no existing instance, since the client chooses the id.
    if (ownResources.includes(resource) && operation.method !== 'PUT') return true;
    if (visitedResources.has(resource)) continue;
    visitedResources.add(resource);
    const sources = [resource.create, resource.list?.operation];
    const linkedSources = linkedOperations.filter((linkedOperation) => sources.includes(linkedOperation.operation));
    pendingResources.push(...linkedSources.flatMap((giver) => resourcesOf(giver.origins)));
  }
  return false;
}

function resourcesOf(origins: LinkedOperation['origins']): Resource[] {
  return [...origins.values()].flatMap((origin) => ('resource' in origin ? [origin.resource] : []));
}

/** Returns undefined when the operation needs no id, or when its ids are unknown. */
export function findLinkedOperation({ linkedOperations }: Links, operation: Operation): LinkedOperation | undefined {
  return linkedOperations.find((linkedOperation) => linkedOperation.operation === operation);
}

/** Whether a run can call the operation with an id for each path parameter. */
export function isLinked(links: Links, operation: Operation): boolean {
  return !operation.path.includes('{') || findLinkedOperation(links, operation) !== undefined;
}

type Origin = { readonly resource: Resource } | { readonly expression: Json };

export interface LinkedOperation {
  readonly operation: Operation;
  readonly resource: Resource;
  readonly origins: ReadonlyMap<Parameter, Origin>;
}

function linkOperation(
  model: Model,
  resources: readonly Resource[],
  operation: Operation,
): LinkedOperation | undefined {
  const declaredLink = findLinkTo(model, resources, operation);
  const origins = new Map<Parameter, Origin>();
  for (const parameter of operation.parameters) {
    // Prefers the value from a declared link. Otherwise, the path and the name show which resource the id belongs to.
    const expression = declaredLink?.link.parameters.get(parameter.name);
    const resource = findResourceOf(resources, operation, parameter);
    if (expression !== undefined) origins.set(parameter, { expression });
    else if (resource) origins.set(parameter, { resource });
    else if (parameter.in === 'path') return undefined;
  }
  const pathResources = parametersOf(operation.path)
    .flatMap((name) => [...origins].filter(([parameter]) => parameter.in === 'path' && parameter.name === name))
    .map(([, origin]) => ('resource' in origin ? origin.resource : declaredLink?.resource));
  // The last path parameter names the instance itself; earlier ones name its parents.
  const resource = pathResources.at(-1) ?? declaredLink?.resource;
  return resource && { operation, resource, origins };
}

function findLinkTo(
  model: Model,
  resources: readonly Resource[],
  operation: Operation,
): { readonly resource: Resource; readonly link: DeclaredLink } | undefined {
  const linksOfResources = resources.flatMap((resource) =>
    (resource.create ? findDeclaredLinks(model, resource.create) : []).map((link) => ({ resource, link })),
  );
  return linksOfResources.find(({ link }) => link.target === operation);
}

function findResourceOf(
  resources: readonly Resource[],
  { path }: Operation,
  parameter: Parameter,
): Resource | undefined {
  const { name, in: location } = parameter;
  if (location !== 'path' && location !== 'query') return undefined;
  const namedResource = resources.find((resource) => parameterNamesFor(resource).has(normalizeName(name)));
  if (location === 'query') return namedResource;
  const placeholder = `{${name}}`;
  const pathToParameter = path.slice(0, path.indexOf(placeholder) + placeholder.length);
  return resources.find((resource) => isSamePath(resource.path, pathToParameter)) ?? namedResource;
}

/** Finds POST operations on an instance that do not create anything, such as `/books/{id}/borrow`. */
export function findActions(
  links: Links,
  resource: Resource,
  isAllowed: (operation: Operation) => boolean,
): LinkedOperation[] {
  const isCreating = (operation: Operation): boolean => links.resources.some(({ create }) => create === operation);
  return findBelow(links, resource, isAllowed).filter(
    ({ operation }) => operation.method === 'POST' && !isCreating(operation),
  );
}

/** Finds operations on paths below an instance, such as `/books/{id}/photo`. */
export function findBelow(
  { linkedOperations }: Links,
  resource: Resource,
  isAllowed: (operation: Operation) => boolean,
): LinkedOperation[] {
  return linkedOperations.filter(
    ({ operation, resource: linkedResource }) =>
      linkedResource === resource &&
      normalizePath(operation.path).startsWith(`${normalizePath(resource.path)}/`) &&
      isAllowed(operation),
  );
}

/** Finds the resource that a property such as `shelfId` or `shelf_ids` refers to. */
export function findReferencedResource({ resources }: Links, name: string): Resource | undefined {
  const words = normalizeName(name).replace(/ ids$/, ' id');
  const isNamed = (phrase: string): boolean => words === phrase || words.endsWith(` ${phrase}`);
  return resources.find(
    // If clients choose the id in a POST, the property may be that id itself.
    (resource) =>
      (!resource.isIdChosenByClient || resource.create?.method === 'PUT') &&
      [...parameterNamesFor(resource)].some(isNamed),
  );
}

// Returns `book id` and `book number` for `/books/{bookNumber}`. A bare `id` could belong to any resource.
function parameterNamesFor({ path, idParameter }: Resource): ReadonlySet<string> {
  const noun = nounOf(collectionOf(path));
  const ownName = normalizeName(idParameter);
  const isSpecific = ownName.includes(' ');
  return new Set([`${noun} id`, `${noun} ${ownName}`, ...(isSpecific ? [ownName] : [])]);
}

/** A resource's operations; undefined where the contract has none. */
export interface Lifecycle {
  readonly resource: Resource;
  readonly create: Operation;
  readonly read: LinkedOperation | undefined;
  readonly replace: LinkedOperation | undefined;
  readonly patch: LinkedOperation | undefined;
  readonly remove: LinkedOperation | undefined;
  readonly list: ListOperation | undefined;
  readonly writable: WritableProperties;
}

/** Leaves out resources that clients cannot create. */
export function findLifecycles(
  { resources, linkedOperations }: Links,
  isWanted: (operation: Operation) => boolean,
): Lifecycle[] {
  return resources.flatMap((resource) => {
    const { create, path } = resource;
    if (!create || !isWanted(create)) return [];
    const list = resource.list && isWanted(resource.list.operation) ? resource.list : undefined;
    const operationsOnPath = linkedOperations.filter(
      ({ operation: candidate }) => isSamePath(candidate.path, path) && isWanted(candidate),
    );
    return [{ resource, create, ...findOperationsByMethod(create, operationsOnPath), list }];
  });
}

/** Finds resources without an id that clients replace or patch, such as `/settings` and `/books/{id}/cover`. */
export function findSingletons(
  { operations }: Model,
  { resources, linkedOperations }: Links,
  isWanted: (operation: Operation) => boolean,
): Lifecycle[] {
  const resourcePaths = resources.flatMap(({ path, list }) => [path, list?.operation.path ?? path]);
  const readOperations = operations.filter(
    ({ method, path }) => method === 'GET' && !resourcePaths.some((resourcePath) => isSamePath(resourcePath, path)),
  );
  return readOperations.flatMap(({ path }) => {
    const resource = { path, idParameter: '', idExpressions: [], isIdChosenByClient: false };
    const operationsOnPath = operations.flatMap((operation) => {
      if (!isSamePath(operation.path, path) || !isWanted(operation)) return [];
      const linkedOperation = linkedOperations.find((candidate) => candidate.operation === operation);
      return linkedOperation ?? (path.includes('{') ? [] : { operation, resource, origins: new Map() });
    });
    const operationsByMethod = findOperationsByMethod(undefined, operationsOnPath);
    const create = (operationsByMethod.replace ?? operationsByMethod.patch)?.operation;
    return create && operationsByMethod.read
      ? [{ ...operationsByMethod, resource, create, remove: undefined, list: undefined }]
      : [];
  });
}

function findOperationsByMethod(
  create: Operation | undefined,
  operationsOnPath: readonly LinkedOperation[],
): Omit<Lifecycle, 'resource' | 'create' | 'list'> {
  const find = (method: string): LinkedOperation | undefined =>
    operationsOnPath.find(({ operation }) => operation.method === method);
  const [read, replace, patch, remove] = [find('GET'), find('PUT'), find('PATCH'), find('DELETE')];
  return { read, replace, patch, remove, writable: mergeWritable([create, replace?.operation, patch?.operation]) };
}

function mergeWritable(operations: readonly (Operation | undefined)[]): WritableProperties {
  const contents = operations.flatMap((operation) => operation?.body?.contents ?? []);
  const objectContents = contents.filter(({ kind }) => ['json', 'form', 'multipart'].includes(kind));
  return new Map(
    objectContents.flatMap(({ schema, parts }) =>
      [...writableOf(schema)].filter(([name]) => parts.get(name)?.kind !== 'file'),
    ),
  );
}
