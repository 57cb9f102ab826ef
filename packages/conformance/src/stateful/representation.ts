import { findReply, type Operation } from '../contract/model';
import { isReadOnly, isWriteOnly, keepNamed, propertiesOf, requiredOf, rulesOf, type Schema } from '../contract/schema';
import { bodyOf, contentOf } from '../oracle/body';
import { isJsonList, isJsonObject, isSame, writeJson, type Json, type JsonObject } from '../wire/json';
import type { WireReply } from '../wire/reply';

/** The properties of a thing in a reply, and their schema. */
export interface Representation {
  readonly schema: Schema;
  readonly value: JsonObject;
}

/** The properties of a resource that clients can send, by name. */
export type Writable = ReadonlyMap<string, Schema>;

/** The writable properties of a body, or of the only object inside it (an envelope). */
export function writableOf(schema: Schema): Writable {
  const own = propertiesOf(schema);
  const [only] = own.size === 1 ? [...own.values()] : [];
  const inner = only && propertiesOf(only);
  const named = inner && inner.size > 0 ? inner : own;
  return new Map([...named].filter(([, property]) => !isReadOnly(property) && !isWriteOnly(property)));
}

/** The object with the most writable properties: the body itself, or an object inside it (an envelope). */
export function unwrap(value: Json | undefined, writable: Writable): JsonObject {
  if (!isJsonObject(value)) return {};
  const inner = Object.values(value).filter(isJsonObject);
  const best = [value, ...inner].map((object) => ({ object, count: countWritable(object, writable) }));
  return best.reduce((one, other) => (other.count > one.count ? other : one)).object;
}

/** Reads the representation from a reply, in an envelope or not; undefined when the body is not a JSON object. */
export function readRepresentation(
  operation: Operation,
  reply: WireReply,
  writable: Writable,
): Representation | undefined {
  const declared = findReply(operation, reply.status);
  const content = declared && contentOf(declared, reply);
  const body = bodyOf(reply);
  return content && isJsonObject(body) ? findRepresentation(content.schema, body, writable) : undefined;
}

/** The object with the most writable properties, and its schema: the value itself, or an object inside it. */
export function findRepresentation(schema: Schema, value: JsonObject, writable: Writable): Representation {
  const inner = [...propertiesOf(schema)].flatMap(([name, property]): Representation[] => {
    const member = value[name];
    return isJsonObject(member) ? [{ schema: property, value: member }] : [];
  });
  const all = [{ schema, value }, ...inner];
  return all.reduce((one, other) =>
    countWritable(other.value, writable) > countWritable(one.value, writable) ? other : one,
  );
}

function countWritable(object: JsonObject, writable: Writable): number {
  return Object.keys(object).filter((name) => writable.has(name)).length;
}

/** The writable properties that the schema of a representation has, too. */
export function sharedNames({ schema }: Representation, writable: Writable): string[] {
  return [...propertiesOf(schema)]
    .filter(([name, property]) => writable.has(name) && !isReadOnly(property) && !isWriteOnly(property))
    .map(([name]) => name);
}

/** Describes each property whose value differs from the one that clients sent. */
export function findDifferences(sent: JsonObject, shown: Representation, writable: Writable): string[] {
  return sharedNames(shown, writable).flatMap((name) => {
    const [sentValue, shownValue] = [sent[name], shown.value[name]];
    if (isShownAsSent(shown.schema, name, sentValue, shownValue)) return [];
    // The server may fill in required properties, and those with a default.
    if (sentValue === undefined && (requiredOf(shown.schema).has(name) || hasDefault(name, shown.schema, writable)))
      return [];
    return [`${name} was ${show(sentValue)} and is read as ${show(shownValue)}`];
  });
}

function isShownAsSent(schema: Schema, name: string, was: Json | undefined, is: Json | undefined): boolean {
  const property = propertiesOf(schema).get(name);
  if ((was ?? null) === null && (is ?? null) === null) return true;
  return contains(is, property && was !== undefined ? keepNamed(property, was) : was);
}

/** Whether a value has everything in another one; objects may have more properties. */
function contains(value: Json | undefined, part: Json | undefined): boolean {
  if (isJsonList(value) && isJsonList(part))
    return value.length === part.length && value.every((item, index) => contains(item, part[index]));
  if (isJsonObject(value) && isJsonObject(part))
    return Object.entries(part).every(([name, member]) => contains(value[name], member));
  return isSame(value, part);
}

function hasDefault(name: string, schema: Schema, writable: Writable): boolean {
  const all = [propertiesOf(schema).get(name), writable.get(name)];
  return all.some((one) => one !== undefined && rulesOf(one, 'default').length > 0);
}

function show(value: Json | undefined): string {
  return value === undefined ? 'nothing' : writeJson(value).slice(0, 80);
}

/**
 * Applies a merge patch (RFC 7396 section 2).
 *
 * @example mergePatch({ a: 1n, b: 2n }, { b: null }) // { a: 1n }
 */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map(Object.entries(isJsonObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}
