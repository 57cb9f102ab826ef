import { findReply, type Operation } from '../contract/model';
import { isReadOnly, isWriteOnly, propertiesOf, requiredOf, rulesOf, type Schema } from '../contract/schema';
import { allPropertiesOf } from '../contract/unions';
import { jsonBodyOf, replyContentOf } from '../oracle/body';
import { isChanged, isShownAsSent } from '../oracle/compare';
import { isJsonObject, writeJson, type Json, type JsonObject } from '../wire/json';
import { narrowTo } from '../values/variant';
import type { WireReply } from '../wire/reply';

/** A JSON object from a reply, and its schema, which has only the alternatives that the object fits. */
export interface Representation {
  readonly schema: Schema;
  readonly value: JsonObject;
}

export type WritableProperties = ReadonlyMap<string, Schema>;

/** Lists properties that are neither readOnly nor writeOnly. Unwraps an envelope, whose only property is an object. */
export function writableOf(schema: Schema): WritableProperties {
  const outerProperties = allPropertiesOf(schema);
  const [onlyProperty] = outerProperties.size === 1 ? [...outerProperties.values()] : [];
  const innerProperties = onlyProperty && allPropertiesOf(onlyProperty);
  const properties = innerProperties && innerProperties.size > 0 ? innerProperties : outerProperties;
  return new Map([...properties].filter(([, property]) => !isReadOnly(property) && !isWriteOnly(property)));
}

/** Returns the body or an object in it, whichever has the most writable properties. */
export function unwrapEnvelope(body: Json | undefined, writable: WritableProperties): JsonObject {
  if (!isJsonObject(body)) return {};
  const countWritable = (object: JsonObject): number => Object.keys(object).filter((name) => writable.has(name)).length;
  const candidates = [body, ...Object.values(body).filter(isJsonObject)];
  return candidates.reduce((best, candidate) => (countWritable(candidate) > countWritable(best) ? candidate : best));
}

/** Returns undefined when the body is not a declared JSON object. */
export function readRepresentation(
  operation: Operation,
  reply: WireReply,
  writable: WritableProperties,
): Representation | undefined {
  const declared = findReply(operation, reply.status);
  const content = declared && replyContentOf(declared, reply);
  const body = jsonBodyOf(reply);
  return content && isJsonObject(body) ? findRepresentation(content.schema, body, writable) : undefined;
}

/** Like `unwrapEnvelope`, but also returns the schema. */
export function findRepresentation(declared: Schema, body: JsonObject, writable: WritableProperties): Representation {
  const schema = narrowTo(declared, body);
  const value = unwrapEnvelope(body, writable);
  const [, property] = [...propertiesOf(schema)].find(([name]) => body[name] === value) ?? [];
  return property ? { schema: narrowTo(property, value), value } : { schema, value: body };
}

/** Lists the properties that clients can send and replies can show. */
export function listComparableNames({ schema }: Representation, writable: WritableProperties): string[] {
  return [...propertiesOf(schema)]
    .filter(([name, property]) => writable.has(name) && !isReadOnly(property) && !isWriteOnly(property))
    .map(([name]) => name);
}

interface Difference {
  readonly name: string;
  readonly text: string;
  /** Whether the server certainly changed the value, rather than only its spelling. */
  readonly isChanged: boolean;
  readonly isDefault?: boolean;
}

export function findDifferences(sent: JsonObject, shown: Representation, writable: WritableProperties): Difference[] {
  const properties = propertiesOf(shown.schema);
  return listComparableNames(shown, writable).flatMap((name) => {
    const [property, sentValue, shownValue] = [properties.get(name), sent[name], shown.value[name]];
    if (isShownAsSent(property, sentValue, shownValue)) return [];
    const schemas = [property, writable.get(name)] as const;
    // Alternatives may differ in their defaults, so a default counts only in a schema without alternatives.
    const defaults = schemas.toReversed().flatMap((one) => (one?.alternatives === 1 ? rulesOf(one, 'default') : []));
    const [defaultValue] = defaults.map(({ value }) => value);
    if (sentValue === undefined && defaultValue !== undefined) {
      const differsFromDefault = (shownValue ?? null) !== null && isChanged(name, schemas, defaultValue, shownValue);
      const text = `${name} was not sent, but reads as ${toShortText(shownValue)} and not as its default ${toShortText(defaultValue)}`;
      return differsFromDefault ? [{ name, text, isChanged: false, isDefault: true }] : [];
    }
    // A server may fill in required properties that were not sent.
    if (sentValue === undefined && requiredOf(shown.schema).has(name)) return [];
    const text = `${name} was sent as ${toShortText(sentValue)}, but reads as ${toShortText(shownValue)}`;
    return [{ name, text, isChanged: isChanged(name, schemas, sentValue, shownValue) }];
  });
}

function toShortText(value: Json | undefined): string {
  return value === undefined ? 'nothing' : writeJson(value).slice(0, 80);
}

/** `{ a: 1n, b: 2n }` with the patch `{ b: null }` becomes `{ a: 1n }` (RFC 7396 section 2). */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isJsonObject(patch)) return patch;
  const mergedMembers = new Map(Object.entries(isJsonObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) mergedMembers.delete(name);
    else mergedMembers.set(name, mergePatch(mergedMembers.get(name), value));
  }
  return Object.fromEntries(mergedMembers);
}
