import { isJsonList, isJsonObject, omit, type Json, type JsonObject } from '../../../src/wire/json';
import type { Accepted, Seeded } from '../proof';

/** The way from the root of a document to a place in it. */
export type Path = readonly string[];

/** Changes what is at a place; undefined takes it away. */
type Change = (value: Json | undefined) => Json | undefined;

function at(root: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>(
    (node, key) => (isJsonList(node) ? node[Number(key)] : isJsonObject(node) ? node[key] : undefined),
    root,
  );
}

export function objectAt(root: Json, path: Path): JsonObject {
  const value = at(root, path);
  return isJsonObject(value) ? value : {};
}

/** A copy of a document with a change at one place. */
export function edit(root: JsonObject, path: Path, change: Change): JsonObject {
  return editNode(root, path, change) as JsonObject;
}

function editNode(node: Json | undefined, [key, ...rest]: Path, change: Change): Json | undefined {
  if (key === undefined) return change(node);
  if (isJsonList(node)) {
    const changed = editNode(node[Number(key)], rest, change);
    return changed === undefined ? node.toSpliced(Number(key), 1) : node.with(Number(key), changed);
  }
  const members = isJsonObject(node) ? node : {};
  const changed = editNode(members[key], rest, change);
  return changed === undefined ? omit(members, key) : { ...members, [key]: changed };
}

/** The same object with another name for one of its members, in the same place. */
export function renamed(object: JsonObject, name: string, other: string): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key === name ? other : key, value]));
}

/** The way that a reference inside a document points. */
function pathOfReference(reference: string): Path {
  return reference
    .slice(2)
    .split('/')
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}

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
function follow(root: JsonObject, path: Path): Path {
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

/** A contract that says something else than the server does. */
export interface ContractMutant extends Seeded {
  readonly root: JsonObject;
}

/** What stands at a place instead, or nothing where it is undefined. The detail is empty where the kind says it all. */
export type Row = readonly [kind: string, detail: string, value: Json | undefined, accepted?: Accepted | undefined];

/** The rows of one place. */
export interface Mutations {
  readonly path: Path;
  readonly rows: readonly Row[];
}

export function toMutants(root: JsonObject, { path, rows }: Mutations): ContractMutant[] {
  return rows.map(([kind, detail, value, accepted]) => ({
    kind,
    name: `#/${path.join('/')} ${detail}`.trim(),
    accepted,
    root: edit(root, path, () => value),
  }));
}
