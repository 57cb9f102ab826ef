// Validates values against a contract's schemas without rounding, and shares no code with the server.
import { findReferenced, sameValueSchemas } from '../contract/pointer';
import { toList, type Contract } from '../contract/read-contract';
import { SkippedError } from '../contract/skipped';
import { createNode, evaluate } from './evaluate';
import { FORMAT_CHECKS, type FormatCheck } from './formats';
import type { SchemaError, Scope } from './assertions';
import { WorkLimit } from './work-limit';
import { someObject, isJsonObject, objectOrEmpty, type Json, type JsonObject } from '../wire/json';

/** Where the value is sent: readOnly properties may be missing from requests, writeOnly ones from replies. */
type Side = 'request' | 'reply';

/** Returns the errors in a value. Throws a SkippedError for a schema that it cannot read. */
export type Validate = (pointer: string, value: Json, side?: Side) => readonly SchemaError[];

interface Fixtures {
  readonly formats: ReadonlyMap<string, { readonly wrong: readonly string[] }>;
}

export function createValidator(
  { root, dialect }: Pick<Contract, 'root' | 'dialect'>,
  fixtures: Fixtures = { formats: new Map() },
  workLimit = new WorkLimit(),
): Validate {
  const fixtureChecks = [...fixtures.formats].map(([name, { wrong }]): [string, FormatCheck] => [
    name,
    (value) => typeof value !== 'string' || !wrong.includes(value),
  ]);
  const keywords = new WeakMap<JsonObject, readonly string[]>();
  const formats = new Map([...FORMAT_CHECKS, ...fixtureChecks]);
  const optionalPropertiesBySide = {
    request: findMarkedProperties(root, 'readOnly'),
    reply: findMarkedProperties(root, 'writeOnly'),
  };
  return function validate(pointer, value, side = 'request') {
    // A schema that stands in for a discriminator may be missing from this document.
    if (findReferenced(root, pointer) === undefined) return [];
    const scope = {
      root,
      dialect,
      keywords,
      formats,
      verdicts: new WeakMap(),
      optionalProperties: optionalPropertiesBySide[side],
      pointer,
      workLimit,
    };
    try {
      return evaluate(createNode(scope, { $ref: pointer }, value));
    } catch (error) {
      throw error instanceof RangeError ? new SkippedError('schemas that are nested too deeply', pointer) : error;
    }
  };
}

/** A property counts as marked if any schema for the same value marks it (OpenAPI, Schema Object). */
function findMarkedProperties(root: JsonObject, accessMode: 'readOnly' | 'writeOnly'): Scope['optionalProperties'] {
  const linkedSchemas = new Map<JsonObject, JsonObject[]>();
  const linkSchemas = (schema: JsonObject, linked: JsonObject): unknown =>
    linkedSchemas.get(schema)?.push(linked) ?? linkedSchemas.set(schema, [linked]);
  someObject(root, (schema) => {
    const { $ref, allOf, anyOf, oneOf, then, else: otherwise } = schema;
    const target = typeof $ref === 'string' ? findReferenced(root, $ref) : undefined;
    const applicableSchemas = [schema, target, ...[allOf, anyOf, oneOf, then, otherwise].flatMap(toList)];
    for (const linked of applicableSchemas.filter(isJsonObject)) {
      linkSchemas(schema, linked);
      linkSchemas(linked, schema);
    }
    return false;
  });
  const optionalProperties = new Map<JsonObject, ReadonlySet<string>>();
  for (const first of linkedSchemas.keys()) {
    if (optionalProperties.has(first)) continue;
    const names = new Set<string>();
    // The set grows during the loop.
    const relatedSchemas = new Set([first]);
    for (const schema of relatedSchemas) {
      optionalProperties.set(schema, names);
      for (const linked of linkedSchemas.get(schema) ?? []) relatedSchemas.add(linked);
      for (const [name, property] of Object.entries(objectOrEmpty(schema['properties'])))
        if (sameValueSchemas(root, [property], ['allOf']).some((declaration) => declaration[accessMode] === true))
          names.add(name);
    }
  }
  return optionalProperties;
}
