// Compares what clients sent with what replies show: the representation of an instance.
import { findReply, type Operation } from '../contract/model';
import {
  isReadOnly,
  isWriteOnly,
  dropUndeclared,
  propertiesOf,
  requiredOf,
  rulesOf,
  type Schema,
} from '../contract/schema';
import { jsonBodyOf, replyContentOf } from '../oracle/body';
import { isJsonList, isJsonObject, isSame, writeJson, type Json, type JsonObject } from '../wire/json';
import type { WireReply } from '../wire/reply';

/** The properties of an instance in a reply, and their schema. */
export interface Representation {
  readonly schema: Schema;
  readonly value: JsonObject;
}

/** The properties of a resource that clients can send, by name. */
export type Writable = ReadonlyMap<string, Schema>;

/**
 * The properties that clients can send and read back. If the body is an envelope (an object with one property, which is
 * an object), they are those of the inner object.
 */
export function writableOf(schema: Schema): Writable {
  const outer = propertiesOf(schema);
  const [onlyProperty] = outer.size === 1 ? [...outer.values()] : [];
  const inner = onlyProperty && propertiesOf(onlyProperty);
  const properties = inner && inner.size > 0 ? inner : outer;
  return new Map([...properties].filter(([, property]) => !isReadOnly(property) && !isWriteOnly(property)));
}

/** Takes an instance out of a body: the object with the most writable properties, the body itself or one inside it. */
export function unwrapEnvelope(body: Json | undefined, writable: Writable): JsonObject {
  if (!isJsonObject(body)) return {};
  const candidates = [body, ...Object.values(body).filter(isJsonObject)];
  return candidates.reduce((best, other) =>
    countWritable(other, writable) > countWritable(best, writable) ? other : best,
  );
}

/** Reads the instance in a reply; undefined when the body is not a declared JSON object. */
export function readRepresentation(
  operation: Operation,
  reply: WireReply,
  writable: Writable,
): Representation | undefined {
  const declared = findReply(operation, reply.status);
  const content = declared && replyContentOf(declared, reply);
  const body = jsonBodyOf(reply);
  return content && isJsonObject(body) ? findRepresentation(content.schema, body, writable) : undefined;
}

/** Like `unwrapEnvelope`, with the schema: finds the given object, or a declared property of it. */
export function findRepresentation(schema: Schema, value: JsonObject, writable: Writable): Representation {
  const inner = [...propertiesOf(schema)].flatMap(([name, property]): Representation[] => {
    const member = value[name];
    return isJsonObject(member) ? [{ schema: property, value: member }] : [];
  });
  const candidates = [{ schema, value }, ...inner];
  return candidates.reduce((best, other) =>
    countWritable(other.value, writable) > countWritable(best.value, writable) ? other : best,
  );
}

function countWritable(object: JsonObject, writable: Writable): number {
  return Object.keys(object).filter((name) => writable.has(name)).length;
}

/** The properties that clients can send (`writable`) and that a reply can show, too. */
export function comparableNames({ schema }: Representation, writable: Writable): string[] {
  return [...propertiesOf(schema)]
    .filter(([name, property]) => writable.has(name) && !isReadOnly(property) && !isWriteOnly(property))
    .map(([name]) => name);
}

/** A property of an instance that a reply shows with another value than clients sent. */
interface Difference {
  readonly name: string;
  readonly text: string;
}

export function findDifferences(sent: JsonObject, representation: Representation, writable: Writable): Difference[] {
  return comparableNames(representation, writable).flatMap((name) => {
    const [sentValue, shownValue] = [sent[name], representation.value[name]];
    if (isShownAsSent(propertiesOf(representation.schema).get(name), sentValue, shownValue)) return [];
    // Properties that were not sent: the server may fill in required ones, and those with a default.
    const isFilledIn = requiredOf(representation.schema).has(name) || hasDefault(name, representation.schema, writable);
    if (sentValue === undefined && isFilledIn) return [];
    return [{ name, text: `${name} was sent as ${toShortText(sentValue)}, but reads as ${toShortText(shownValue)}` }];
  });
}

// A null member equals a missing one, and undeclared properties are ignored.
function isShownAsSent(property: Schema | undefined, sent: Json | undefined, shown: Json | undefined): boolean {
  if ((sent ?? null) === null && (shown ?? null) === null) return true;
  return contains(shown, property && sent !== undefined ? dropUndeclared(property, sent) : sent);
}

// Like `isSame`, but objects in `value` may have more properties.
function contains(value: Json | undefined, expected: Json | undefined): boolean {
  if (isJsonList(value) && isJsonList(expected))
    return value.length === expected.length && value.every((item, index) => contains(item, expected[index]));
  if (isJsonObject(value) && isJsonObject(expected))
    return Object.entries(expected).every(([name, member]) => contains(value[name], member));
  return isSame(value, expected);
}

function hasDefault(name: string, replySchema: Schema, writable: Writable): boolean {
  const schemas = [propertiesOf(replySchema).get(name), writable.get(name)];
  return schemas.some((schema) => schema !== undefined && rulesOf(schema, 'default').length > 0);
}

function toShortText(value: Json | undefined): string {
  return value === undefined ? 'nothing' : writeJson(value).slice(0, 80);
}

/** RFC 7396 section 2: `{ a: 1n, b: 2n }` with the patch `{ b: null }` becomes `{ a: 1n }`. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map(Object.entries(isJsonObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}
