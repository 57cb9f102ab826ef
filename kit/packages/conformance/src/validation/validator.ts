// Validates values by the schemas of a contract, in its dialect. It shares nothing with the server, and is exact:
// 2^63 - 1 and 2^63 are two numbers.
import { findReferenced, sameValueSchemas } from '../contract/pointer';
import { toList, type Contract } from '../contract/read-contract';
import { SkippedError } from '../contract/skipped';
import { createNode, evaluate } from './evaluate';
import { FORMAT_CHECKS, type FormatCheck } from './formats';
import type { SchemaError, Scope } from './assertions';
import { WorkLimit } from './work-limit';
import { someObject, isJsonObject, objectOrEmpty, type Json, type JsonObject } from '../wire/json';

/** readOnly properties may be missing from requests, writeOnly ones from replies. */
type Side = 'request' | 'reply';

/** Returns what is wrong; the side is the request by default. Throws SkippedError for a schema that it cannot read. */
export type Validate = (pointer: string, value: Json, side?: Side) => readonly SchemaError[];

/** Texts that a team says are wrong, by format. */
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
  const optionalBySide = {
    request: findMarkedProperties(root, 'readOnly'),
    reply: findMarkedProperties(root, 'writeOnly'),
  };
  return function validate(pointer, value, side = 'request') {
    // What stands for a discriminator is not in the document as it was written.
    if (findReferenced(root, pointer) === undefined) return [];
    const scope = {
      root,
      dialect,
      keywords,
      formats,
      verdicts: new WeakMap(),
      optionalProperties: optionalBySide[side],
      pointer,
      workLimit,
    };
    try {
      return evaluate(createNode(scope, { $ref: pointer }, value));
    } catch (error) {
      // A value or a schema may be too deep.
      throw error instanceof RangeError ? new SkippedError('schemas that are nested too deeply', pointer) : error;
    }
  };
}

/**
 * The properties of each schema that are marked there, or in another schema of the same value: `required` of one counts
 * only in replies or only in requests (OpenAPI, Schema Object).
 */
function findMarkedProperties(root: JsonObject, mark: 'readOnly' | 'writeOnly'): Scope['optionalProperties'] {
  const others = new Map<JsonObject, JsonObject[]>();
  const link = (one: JsonObject, other: JsonObject): unknown =>
    others.get(one)?.push(other) ?? others.set(one, [other]);
  someObject(root, (schema) => {
    const { $ref, allOf, anyOf, oneOf, then, else: otherwise } = schema;
    const target = typeof $ref === 'string' ? findReferenced(root, $ref) : undefined;
    const ofSameValue = [schema, target, ...[allOf, anyOf, oneOf, then, otherwise].flatMap(toList)];
    for (const other of ofSameValue.filter(isJsonObject)) {
      link(schema, other);
      link(other, schema);
    }
    return false;
  });
  const found = new Map<JsonObject, ReadonlySet<string>>();
  for (const first of others.keys()) {
    if (found.has(first)) continue;
    const names = new Set<string>();
    // The set grows during the loop.
    const group = new Set([first]);
    for (const schema of group) {
      found.set(schema, names);
      for (const other of others.get(schema) ?? []) group.add(other);
      for (const [name, property] of Object.entries(objectOrEmpty(schema['properties'])))
        if (sameValueSchemas(root, [property], ['allOf']).some((each) => each[mark] === true)) names.add(name);
    }
  }
  return found;
}
