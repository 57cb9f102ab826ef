// Validates values by the schemas of a contract, in its dialect. It shares nothing with the server, and is exact:
// 2^63 - 1 and 2^63 are two numbers.
import { findReferenced } from './contract/find';
import type { Contract } from './contract/read-contract';
import { Untriable } from './contract/untried';
import { listMarkedProperties } from './marked-properties';
import { evaluate } from './validation/evaluate';
import { FORMAT_CHECKS, type FormatCheck } from './validation/formats';
import type { Problem } from './validation/node';
import { NO_GIVEN_VALUES, type Given } from './values/given';
import type { Json, JsonObject } from './wire/json';

/** readOnly properties may be missing from requests, writeOnly ones from replies. */
export type Side = 'request' | 'reply';

/** Returns what is wrong; the side is the request by default. Throws Untriable for a schema that it cannot read. */
export type Validate = (pointer: string, value: Json, side?: Side) => readonly Problem[];

export function createValidator(
  { root, dialect }: Pick<Contract, 'root' | 'dialect'>,
  given: Pick<Given, 'formats'> = NO_GIVEN_VALUES,
): Validate {
  const givenChecks = [...given.formats].map(([name, { wrong }]): [string, FormatCheck] => [
    name,
    (value) => typeof value !== 'string' || !wrong.includes(value),
  ]);
  const targets = new Map<string, Json>();
  const keywords = new WeakMap<JsonObject, readonly string[]>();
  const formats = new Map([...FORMAT_CHECKS, ...givenChecks]);
  const optional = {
    request: listMarkedProperties(root, 'readOnly'),
    reply: listMarkedProperties(root, 'writeOnly'),
  };
  return function validate(pointer, value, side = 'request') {
    // What stands for a discriminator is not in the document as it was written.
    if (!targets.has(pointer) && findReferenced(root, pointer) === undefined) return [];
    const judged = new WeakMap<object, Map<JsonObject, Problem[]>>();
    const scope = { root, dialect, targets, keywords, formats, judged, optional: optional[side], pointer };
    try {
      return evaluate({ scope, schema: { $ref: pointer }, value, path: undefined, seen: undefined, hops: 0 });
    } catch (error) {
      // A value or a schema may be too deep.
      throw error instanceof RangeError ? new Untriable('schemas that their validator cannot read', pointer) : error;
    }
  };
}
