// Validates values by the schemas of a contract, in its dialect. It shares nothing with the server, and is exact:
// 2^63 - 1 and 2^63 are two numbers.
import { findReferenced } from '../contract/pointer';
import type { Contract } from '../contract/read-contract';
import { SkippedError } from '../contract/skipped';
import { evaluate } from './evaluate';
import { FORMAT_CHECKS, type FormatCheck } from './formats';
import type { SchemaError } from './assertions';
import { WorkLimit } from './work-limit';
import { someObject, isJsonList, isJsonObject, objectOrEmpty, type Json, type JsonObject } from '../wire/json';

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
  const referenceTargets = new Map<string, Json>();
  const keywords = new WeakMap<JsonObject, readonly string[]>();
  const formats = new Map([...FORMAT_CHECKS, ...fixtureChecks]);
  const optionalBySide = {
    request: listMarkedProperties(root, 'readOnly'),
    reply: listMarkedProperties(root, 'writeOnly'),
  };
  return function validate(pointer, value, side = 'request') {
    // What stands for a discriminator is not in the document as it was written.
    if (!referenceTargets.has(pointer) && findReferenced(root, pointer) === undefined) return [];
    const problemsByValue = new WeakMap<object, Map<JsonObject, SchemaError[]>>();
    const scope = {
      root,
      dialect,
      referenceTargets,
      keywords,
      formats,
      problemsByValue,
      optionalProperties: optionalBySide[side],
      pointer,
      workLimit,
    };
    try {
      return evaluate({
        scope,
        schema: { $ref: pointer },
        value,
        path: undefined,
        evaluatedKeys: undefined,
        inPlaceDepth: 0,
      });
    } catch (error) {
      // A value or a schema may be too deep.
      throw error instanceof RangeError ? new SkippedError('schemas that their validator cannot read', pointer) : error;
    }
  };
}

// More references and allOf in a row are taken for a circle.
const MAX_HOPS = 10;

/**
 * For marked properties, `required` counts only in replies or only in requests (OpenAPI, Schema Object). A name that is
 * marked in one schema counts as marked in all, since another part of an `allOf` may require it.
 */
function listMarkedProperties(root: JsonObject, mark: 'readOnly' | 'writeOnly'): ReadonlySet<string> {
  const names = new Set<string>();
  someObject(root, ({ properties }) => {
    for (const [name, property] of Object.entries(objectOrEmpty(properties))) {
      if (isMarked(root, property, mark)) names.add(name);
    }
    return false;
  });
  return names;
}

function isMarked(root: JsonObject, schema: unknown, mark: 'readOnly' | 'writeOnly', hops = 0): boolean {
  if (!isJsonObject(schema) || hops > MAX_HOPS) return false;
  const { $ref, allOf } = schema;
  return (
    schema[mark] === true ||
    (typeof $ref === 'string' && isMarked(root, findReferenced(root, $ref), mark, hops + 1)) ||
    (isJsonList(allOf) && allOf.some((item) => isMarked(root, item, mark, hops + 1)))
  );
}
