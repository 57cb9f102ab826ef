import { isObject, type JsonObject } from './json';

/** What some schemas, all of which hold, say of properties. */
export interface PropertyFacts {
  readonly properties: ReadonlyMap<string, JsonObject>;
  /** The schema of properties that are not listed; undefined where they may be anything. */
  readonly others: JsonObject | undefined;
  /** What cannot be said in this way. */
  readonly unclear: JsonObject | undefined;
}

const MIXING = ['patternProperties', 'unevaluatedProperties'];

export function readProperties(parts: readonly JsonObject[]): PropertyFacts {
  const listed = parts.map(({ properties }) => (isObject(properties) ? properties : {}));
  const names = [...new Set(listed.flatMap((properties) => Object.keys(properties)))];
  const properties = new Map(names.map((name) => [name, { allOf: listed.flatMap((map) => map[name] ?? []) }]));
  const closing = parts.filter(({ additionalProperties = true }) => additionalProperties !== true);
  const mixing = parts.filter((part) => MIXING.some((keyword) => keyword in part));
  if (closing.length + mixing.length === 0) return { properties, others: undefined, unclear: undefined };
  // additionalProperties speaks of the properties beside it, not of those of other parts.
  const isClear =
    mixing.length === 0 && closing.every((part) => Object.keys(part['properties'] ?? {}).length === names.length);
  return isClear
    ? { properties, others: { allOf: closing.map((part) => part['additionalProperties']) }, unclear: undefined }
    : { properties, others: undefined, unclear: { 'additionalProperties in parts': [...closing, ...mixing] } };
}
