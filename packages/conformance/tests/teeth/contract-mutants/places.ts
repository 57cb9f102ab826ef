import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../../src/wire/json';
import { at, objectAt, pathOfReference, type Path } from './edit';

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);
const NAMED = ['properties', 'patternProperties'];
const SINGLE = ['items', 'additionalProperties', 'not'];
const LISTED = ['allOf', 'anyOf', 'oneOf'];

/** A schema that stands in a document, and whether only replies are held against it. */
export interface SchemaPlace {
  readonly path: Path;
  readonly schema: JsonObject;
  readonly isReplyOnly: boolean;
}

export function operationPaths(root: JsonObject): Path[] {
  return Object.keys(objectAt(root, ['paths'])).flatMap((path) =>
    Object.keys(objectAt(root, ['paths', path]))
      .filter((key) => METHODS.has(key))
      .map((method) => ['paths', path, method]),
  );
}

/** Where the replies of operations stand, each once, references followed. */
export function replyPaths(root: JsonObject): Path[] {
  const all = operationPaths(root).flatMap((operation) =>
    Object.keys(objectAt(root, [...operation, 'responses'])).map((status) =>
      follow(root, [...operation, 'responses', status]),
    ),
  );
  return unique(all);
}

export function bodyPaths(root: JsonObject): Path[] {
  return unique(
    operationPaths(root)
      .map((path) => [...path, 'requestBody'])
      .filter((path) => at(root, path) !== undefined)
      .map((path) => follow(root, path)),
  );
}

/** Every schema of the document that is no reference, and the references too where they are asked for. */
export function schemaPlaces(root: JsonObject): SchemaPlace[] {
  const asked = reachedFrom(
    root,
    operationPaths(root).flatMap((path) => [
      [...path, 'requestBody'],
      [...path, 'parameters'],
    ]),
  );
  const components = Object.keys(objectAt(root, ['components', 'schemas'])).map((name) => [
    'components',
    'schemas',
    name,
  ]);
  const inline = everyPath(root, []).filter((path) => path.at(-1) === 'schema');
  return [...components, ...inline]
    .flatMap((path) => withChildren(root, path))
    .map((path) => ({ path, schema: objectAt(root, path), isReplyOnly: !asked.has(keyOf(path)) }));
}

/** Where a place really is, when a reference stands at it. */
export function follow(root: JsonObject, path: Path): Path {
  const { $ref } = objectAt(root, path);
  return typeof $ref === 'string' ? follow(root, pathOfReference($ref)) : path;
}

function withChildren(root: JsonObject, path: Path): Path[] {
  const schema = objectAt(root, path);
  const children = [
    ...SINGLE.filter((keyword) => isJsonObject(schema[keyword])).map((keyword) => [...path, keyword]),
    ...NAMED.flatMap((keyword) => Object.keys(objectAt(schema, [keyword])).map((name) => [...path, keyword, name])),
    ...LISTED.flatMap((keyword) => keysOf(schema[keyword]).map((index) => [...path, keyword, index])),
  ];
  return [path, ...children.flatMap((child) => withChildren(root, child))];
}

function reachedFrom(root: JsonObject, starts: readonly Path[], seen = new Set<string>()): Set<string> {
  for (const start of starts) {
    if (seen.has(keyOf(start))) continue;
    seen.add(keyOf(start));
    const { $ref } = objectAt(root, start);
    const below = keysOf(at(root, start)).map((key) => [...start, key]);
    reachedFrom(root, typeof $ref === 'string' ? [...below, pathOfReference($ref)] : below, seen);
  }
  return seen;
}

function everyPath(root: JsonObject, path: Path): Path[] {
  return [path, ...keysOf(at(root, path)).flatMap((key) => everyPath(root, [...path, key]))];
}

function keysOf(value: Json | undefined): string[] {
  return isJsonList(value) || isJsonObject(value) ? Object.keys(value) : [];
}

function unique(paths: readonly Path[]): Path[] {
  return [...new Map(paths.map((path) => [keyOf(path), path])).values()];
}

function keyOf(path: Path): string {
  return path.join('\n');
}
