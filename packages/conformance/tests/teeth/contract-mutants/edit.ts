import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../../src/wire/json';

/** The way from the root of a document to a place in it. */
export type Path = readonly string[];

/** Changes what is at a place; undefined takes it away. */
export type Change = (value: Json | undefined) => Json | undefined;

export function at(root: Json, path: Path): Json | undefined {
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
  return changed === undefined ? without(members, key) : { ...members, [key]: changed };
}

export function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name));
}

/** The same object with another name for one of its members, in the same place. */
export function renamed(object: JsonObject, name: string, other: string): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key === name ? other : key, value]));
}

/** The way that a reference inside a document points. */
export function pathOfReference(reference: string): Path {
  return reference
    .slice(2)
    .split('/')
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}
