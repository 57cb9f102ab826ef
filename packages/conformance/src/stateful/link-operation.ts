// Links an operation to the resource that it acts on, and its parameters to the ids that they need.
import type { Model, Operation, Parameter } from '../contract/model';
import { declaredLinks, type DeclaredLink } from './declared-links';
import type { Json } from '../wire/json';
import { nounOf, toName } from './names';
import { collectionOf, isSamePath, parametersOf } from './path-template';
import type { Resource } from './resources';

/** Where a parameter takes its value from: the id of an instance, or the runtime expression of a declared link. */
export type Origin = { readonly resource: Resource } | { readonly expression: Json };

/** An operation on an instance of a resource, and where its parameters take their values from. */
export interface LinkedOperation {
  readonly operation: Operation;
  readonly resource: Resource;
  /** Only of the parameters that need an id. */
  readonly origins: ReadonlyMap<Parameter, Origin>;
}

/** Undefined when the operation acts on no instance, or the value of a path parameter is unknown. */
export function linkOperation(
  model: Model,
  resources: readonly Resource[],
  operation: Operation,
): LinkedOperation | undefined {
  const declared = findLinkTo(model, resources, operation);
  const origins = new Map<Parameter, Origin>();
  for (const parameter of operation.parameters) {
    // A declared link says which value a parameter takes; of others, paths and names tell whose id it is.
    const expression = declared?.link.parameters.get(parameter.name);
    const resource = findResourceOf(resources, operation, parameter);
    if (expression !== undefined) origins.set(parameter, { expression });
    else if (resource) origins.set(parameter, { resource });
    else if (parameter.in === 'path') return undefined;
  }
  const pathResources = parametersOf(operation.path)
    .flatMap((name) => [...origins].filter(([parameter]) => parameter.in === 'path' && parameter.name === name))
    .map(([, origin]) => ('resource' in origin ? origin.resource : declared?.resource));
  // The last path parameter names the instance itself; earlier ones name its parents.
  const resource = pathResources.at(-1) ?? declared?.resource;
  return resource && { operation, resource, origins };
}

// The first link to the operation, and the resource whose creation has it.
function findLinkTo(
  model: Model,
  resources: readonly Resource[],
  operation: Operation,
): { readonly resource: Resource; readonly link: DeclaredLink } | undefined {
  const declared = resources.flatMap((resource) =>
    (resource.create ? declaredLinks(model, resource.create) : []).map((link) => ({ resource, link })),
  );
  return declared.find(({ link }) => link.target === operation);
}

// By the path up to the parameter, or by the parameter's name.
function findResourceOf(
  resources: readonly Resource[],
  { path }: Operation,
  parameter: Parameter,
): Resource | undefined {
  const { name, in: location } = parameter;
  if (location !== 'path' && location !== 'query') return undefined;
  const byName = resources.find((resource) => parameterNamesFor(resource).has(toName(name)));
  if (location === 'query') return byName;
  const placeholder = `{${name}}`;
  const pathToParameter = path.slice(0, path.indexOf(placeholder) + placeholder.length);
  return resources.find((resource) => isSamePath(resource.path, pathToParameter)) ?? byName;
}

// The names of parameters elsewhere: `book id`, for `/books/{bookNumber}` also `book number`. A bare `id` may be of any
// resource.
function parameterNamesFor({ path, idParameter }: Resource): ReadonlySet<string> {
  const noun = nounOf(collectionOf(path));
  const ownName = toName(idParameter);
  const isSpecific = ownName.includes(' ');
  return new Set([`${noun} id`, `${noun} ${ownName}`, ...(isSpecific ? [ownName] : [])]);
}
