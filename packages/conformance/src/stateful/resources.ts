import { findReply, type Model, type Operation, type Reply } from '../contract/model';
import { findJson } from '../contract/read-content';
import { extendPointer } from '../contract/pointer';
import { itemsOf, propertiesOf, sentProperties, type Schema } from '../contract/schema';
import { declaredLinks } from './declared-links';
import { shapeOf } from './path-template';
import { findProperty, findName, nounOf } from './names';

/** A kind of things with an id in their path, such as `/books/{bookId}`. */
export interface Resource {
  /** The path of one thing. */
  readonly path: string;
  /** The path parameter that holds its id. */
  readonly key: string;
  /** The operation that creates one. */
  readonly create?: Operation;
  /** The operation that lists them. */
  readonly list?: List;
  /** Runtime expressions for the id in the request or reply that created it, the best first. */
  readonly ids: readonly string[];
  /** Whether the client chooses the id: then it may already exist. */
  readonly isChosen: boolean;
}

/** An operation that lists things, and where its reply has them. */
export interface List {
  readonly operation: Operation;
  /** JSON pointer to the array in the body, such as `#/items`. */
  readonly items: string;
  readonly schema: Schema;
  /** The property of an item that holds its id. */
  readonly property: string | undefined;
}

/**
 * Finds the resources of a contract by its paths, its links, and the names and schemas of its replies.
 *
 * @example findResources(suite.model).map(({ path, create }) => [path, create?.id])
 */
export function findResources(model: Model): Resource[] {
  // Cut each path after each of its parameters: `/books/{id}` may exist only as a part of `/books/{id}/photo`.
  const paths = model.operations.flatMap(({ path }) =>
    [...path.matchAll(/\/\{([^{}]*)\}(?=\/|$)/g)].map((match) => {
      const [parameter, key = ''] = match;
      return { path: path.slice(0, match.index + parameter.length), key };
    }),
  );
  const unique = new Map(paths.toReversed().map((one) => [shapeOf(one.path), one]));
  return [...unique.values()].toReversed().flatMap(({ path, key }) => createResource(model, path, key));
}

function createResource(model: Model, path: string, key: string): Resource[] {
  const collection = path.slice(0, path.lastIndexOf(`/{${key}}`));
  const noun = nounOf(collection);
  const isAt = (method: string, { method: own, path: at }: Operation): boolean =>
    own === method && shapeOf(at) === shapeOf(collection);
  const { operations } = model;
  const create = operations.find((operation) => isAt('POST', operation)) ?? findCreateElsewhere(model, path);
  const list = operations
    .filter((operation) => isAt('GET', operation))
    .flatMap((operation) => findLists(operation, key, noun))[0];
  if (!create && !list) return [];
  const replySchemas = create ? successesOf(create).flatMap(({ contents }) => jsonSchemasOf(contents)) : [];
  const inReply = replySchemas.flatMap((schema) => findProperty(schema, propertiesOf, key, noun));
  const requestSchemas = create?.body ? jsonSchemasOf(create.body.contents) : [];
  const inRequest = requestSchemas.flatMap((schema) => findProperty(schema, sentProperties, key, noun));
  return [
    {
      path,
      key,
      ...(create && { create }),
      ...(list && { list }),
      ids: [
        ...inReply.map((fragment) => `$response.body${fragment}`),
        ...inRequest.map((fragment) => `$request.body${fragment}`),
      ],
      isChosen: inRequest.length > 0,
    },
  ];
}

/**
 * Finds a POST at another path that creates the resource: it has a link to it, or its 201 has the same component
 * schema.
 */
function findCreateElsewhere(model: Model, path: string): Operation | undefined {
  const { operations } = model;
  const posts = operations.filter(({ method }) => method === 'POST');
  const isPathOf = (one: Operation | undefined): boolean => one !== undefined && shapeOf(one.path) === shapeOf(path);
  const linking = posts.find((operation) =>
    declaredLinks(model, operation).some(({ target, parameters }) => isPathOf(target) && parameters.size > 0),
  );
  if (linking) return linking;
  const read = operations.find((operation) => operation.method === 'GET' && isPathOf(operation));
  const [shown] = (read ? successesOf(read) : []).flatMap(({ contents }) => jsonSchemasOf(contents));
  const place = shown?.places[0]?.pointer;
  // Only components: inline schemas are never shared.
  if (place?.startsWith('#/components/') !== true) return undefined;
  return posts.find((operation) => {
    const made = operation.replies.get('201')?.contents ?? [];
    const isBelow = shapeOf(operation.path).startsWith(`${shapeOf(path)}/`);
    return !isBelow && jsonSchemasOf(made).some(({ places }) => places[0]?.pointer === place);
  });
}

function findLists(operation: Operation, key: string, noun: string): List[] {
  const content = findJson(findReply(operation, 200)?.contents ?? []);
  if (!content) return [];
  const within: [fragment: string, schema: Schema][] = [
    ['', content.schema],
    ...[...propertiesOf(content.schema)].map(([name, schema]): [string, Schema] => [extendPointer('#', name), schema]),
  ];
  return within.flatMap(([items, array]) => {
    const schema = itemsOf(array);
    if (!schema) return [];
    const property = findName([...propertiesOf(schema).keys()], key, noun);
    return [{ operation, items, schema, property }];
  });
}

/** The success replies, or else `default`. */
function successesOf({ replies }: Operation): Reply[] {
  const listed = [...replies].filter(([status]) => status.startsWith('2'));
  return (listed.length > 0 ? listed : [...replies].filter(([status]) => status === 'default')).map(
    ([, reply]) => reply,
  );
}

/** The schemas of JSON bodies. */
function jsonSchemasOf(contents: Reply['contents']): Schema[] {
  return contents.flatMap(({ kind, schema }) => (kind === 'json' ? [schema] : []));
}
