import { findReply, type Model, type Operation, type Reply } from '../contract/model';
import { findJsonContent } from '../contract/read-content';
import { extendPointer } from '../contract/pointer';
import { itemsOf, requestPropertiesOf, type Schema } from '../contract/schema';
import { allPropertiesOf } from '../contract/unions';
import { objectOrEmpty, type Json, type JsonObject } from '../wire/json';
import { findIdName, findIdPointers, nounOf, type ResourceWithId } from './find-id';
import { normalizeName } from '../contract/paging';
import { collectionOf, isSamePath, normalizePath } from '../contract/path-template';

/** A resource with an id in its path, such as `/books/{bookId}`; each book is an instance of it. */
export interface Resource extends ResourceWithId {
  readonly create?: Operation;
  readonly list?: ListOperation;
  /** If true, an instance with the chosen id may already exist. */
  readonly isIdChosenByClient: boolean;
}

export interface ListOperation {
  readonly operation: Operation;
  /** JSON pointer to the array in the body, such as `#/items`. */
  readonly itemsPointer: string;
  readonly itemSchema: Schema;
  readonly idProperty: string | undefined;
}

/** Finds resources from paths, links, and the property names and schemas in replies. */
export function findResources(model: Model): Resource[] {
  // Cuts each path after every parameter, since `/books/{id}` may appear only as part of `/books/{id}/photo`.
  const paths = model.operations.flatMap(({ path }) =>
    [...path.matchAll(/\/\{([^{}]*)\}(?=\/|$)/g)].map((match) => {
      const [segment, idParameter = ''] = match;
      return { path: path.slice(0, match.index + segment.length), idParameter };
    }),
  );
  // A Map keeps the last entry for a key, so reversing twice keeps the first spelling of a path.
  const uniquePaths = new Map(paths.toReversed().map((candidate) => [normalizePath(candidate.path), candidate]));
  return [...uniquePaths.values()].toReversed().flatMap(({ path, idParameter }) => {
    const resource = findResource(model, path, idParameter);
    return resource ? [resource] : [];
  });
}

function findResource(model: Model, path: string, idParameter: string): Resource | undefined {
  const collection = collectionOf(path);
  const noun = nounOf(collection);
  const operationsOnCollection = (method: string): Operation[] =>
    model.operations.filter((operation) => operation.method === method && isSamePath(operation.path, collection));
  const create =
    operationsOnCollection('POST')[0] ??
    findCreateElsewhere(model, path) ??
    findCreatingPut(model, path) ??
    findPostReturningId(model, path, idParameter);
  const [list = findListWithId(model, idParameter)] = operationsOnCollection('GET').flatMap((operation) =>
    findLists(operation, idParameter, noun),
  );
  if (!create && !list) return undefined;
  const replySchemas = create ? successRepliesOf(create).flatMap(({ contents }) => jsonSchemasOf(contents)) : [];
  const findIds = (find: typeof allPropertiesOf) => (schema: Schema) => findIdPointers(schema, find, idParameter, noun);
  const idPointersInReply = replySchemas.flatMap(findIds(allPropertiesOf));
  const requestSchemas = create?.body ? jsonSchemasOf(create.body.contents) : [];
  const sendablePropertiesOf = (schema: Schema) => requestPropertiesOf(schema, allPropertiesOf(schema));
  const idPointersInRequest = requestSchemas.flatMap(findIds(sendablePropertiesOf));
  return {
    path,
    idParameter,
    ...(create && { create }),
    ...(list && { list }),
    idExpressions: [
      ...idPointersInReply.map((pointer) => `$response.body${pointer}`),
      ...idPointersInRequest.map((pointer) => `$request.body${pointer}`),
      ...(create?.method === 'PUT' ? [`$request.path.${idParameter}`] : []),
    ],
    isIdChosenByClient: idPointersInRequest.length > 0 || create?.method === 'PUT',
  };
}

/** Finds a POST at another path that links to this path, or whose 201 has the same schema as the GET at this path. */
function findCreateElsewhere(model: Model, path: string): Operation | undefined {
  const posts = model.operations.filter(({ method }) => method === 'POST');
  const linkingPost = posts.find((operation) =>
    findDeclaredLinks(model, operation).some(
      // A link without parameters does not say which instance was created.
      ({ target, parameters }) => isSamePath(target.path, path) && parameters.size > 0,
    ),
  );
  return linkingPost ?? findPostOfSameSchema(model, posts, path);
}

/** Finds a POST at another path whose reply has an id with this parameter's name, such as `silenceID`. */
function findPostReturningId({ operations }: Model, path: string, idParameter: string): Operation | undefined {
  return operations.find((operation) => {
    const schemas = successRepliesOf(operation).flatMap(({ contents }) => jsonSchemasOf(contents));
    const names = schemas.flatMap((schema) => [...allPropertiesOf(schema).keys()]);
    const isBelowPath = normalizePath(operation.path).startsWith(normalizePath(path));
    // An id with another name, such as `projectId` in the reply to `POST /features`, is not that of the new instance.
    const isOwnId = normalizeName(idParameter).startsWith(`${nounOf(operation.path)} `);
    return operation.method === 'POST' && !isBelowPath && isOwnId && names.some((name) => isSameId(name, idParameter));
  });
}

/** Finds a list at another path whose items have an id with this parameter's name. */
function findListWithId({ operations }: Model, idParameter: string): ListOperation | undefined {
  return operations
    .filter(({ method, path }) => method === 'GET' && !path.includes('{'))
    .flatMap((operation) => findLists(operation, idParameter, ''))
    .find(({ idProperty }) => idProperty !== undefined && isSameId(idProperty, idParameter));
}

// A bare `id` could belong to anything.
function isSameId(name: string, idParameter: string): boolean {
  const words = normalizeName(idParameter);
  return normalizeName(name) === words && words.includes(' ');
}

/** A PUT that declares 201 creates the resource at its path (RFC 9110 section 9.3.4). */
function findCreatingPut({ operations }: Model, path: string): Operation | undefined {
  return operations.find(
    (operation) => operation.method === 'PUT' && isSamePath(operation.path, path) && operation.replies.has('201'),
  );
}

function findPostOfSameSchema({ operations }: Model, posts: readonly Operation[], path: string): Operation | undefined {
  const read = operations.find((operation) => operation.method === 'GET' && isSamePath(operation.path, path));
  const [readSchema] = (read ? successRepliesOf(read) : []).flatMap(({ contents }) => jsonSchemasOf(contents));
  const readPointer = readSchema && ownPointerOf(readSchema);
  // Only component schemas can be shared.
  if (readPointer?.startsWith('#/components/') !== true) return undefined;
  return posts.find((operation) => {
    const createdSchemas = jsonSchemasOf(operation.replies.get('201')?.contents ?? []);
    // A POST below the path, such as `/books/{bookId}/copies`, needs an instance, so it does not create one.
    const isBelowPath = normalizePath(operation.path).startsWith(`${normalizePath(path)}/`);
    return !isBelowPath && createdSchemas.some((schema) => ownPointerOf(schema) === readPointer);
  });
}

// The first schema object is the schema itself, or its target if it is a reference. The others come from its allOf.
function ownPointerOf({ schemaObjects }: Schema): string | undefined {
  return schemaObjects[0]?.pointer;
}

// Any array in the 200 reply may list instances, whether it is the body or a property of the body.
function findLists(operation: Operation, idParameter: string, noun: string): ListOperation[] {
  const content = findJsonContent(findReply(operation, 200)?.contents ?? []);
  if (!content) return [];
  const properties = [...allPropertiesOf(content.schema)];
  const candidates: readonly (readonly [pointer: string, schema: Schema])[] = [
    ['', content.schema],
    ...properties.map(([name, schema]) => [extendPointer('#', name), schema] as const),
  ];
  return candidates.flatMap(([itemsPointer, schema]) => {
    const itemSchema = itemsOf(schema);
    if (!itemSchema) return [];
    const idProperty = findIdName([...allPropertiesOf(itemSchema).keys()], idParameter, noun);
    return [{ operation, itemsPointer, itemSchema, idProperty }];
  });
}

function successRepliesOf({ replies }: Operation): Reply[] {
  const successReplies = [...replies].filter(([status]) => status.startsWith('2'));
  const defaultReplies = [...replies].filter(([status]) => status === 'default');
  return (successReplies.length > 0 ? successReplies : defaultReplies).map(([, reply]) => reply);
}

function jsonSchemasOf(contents: Reply['contents']): Schema[] {
  return contents.flatMap(({ kind, schema }) => (kind === 'json' ? [schema] : []));
}

/** A link that a success reply declares (OpenAPI, Link Object). */
export interface DeclaredLink {
  readonly target: Operation;
  /** Runtime expressions or constant values, keyed by the target's parameter names. */
  readonly parameters: ReadonlyMap<string, Json>;
}

/** Leaves out links to unknown operations. */
export function findDeclaredLinks(model: Model, from: Operation): DeclaredLink[] {
  const successes = [...from.replies].filter(([status]) => /^(?:2|default)/.test(status));
  return successes.flatMap(([, { links }]) => links.flatMap((link) => readLink(model, link)));
}

function readLink({ operations }: Model, link: JsonObject): DeclaredLink[] {
  const target = operations.find(({ id, pointer }) => id === link['operationId'] || pointer === link['operationRef']);
  const parameters = Object.entries(objectOrEmpty(link['parameters'])).map(([key, value]): [string, Json] => {
    // A parameter's location may precede its name, as in `path.id`.
    const name = key.replace(/^(?:path|query|header|cookie)\./, '');
    return [name, value];
  });
  return target ? [{ target, parameters: new Map(parameters) }] : [];
}
