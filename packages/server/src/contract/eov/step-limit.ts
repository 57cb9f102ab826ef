// Bounds the work of judging a message: alternatives that lead back to themselves can take time exponential in its depth.
import { subschemas, type Schema } from '../document/schema';
import { TooManySteps } from '../refusal/validator';

/** The keyword that counts a step each time that its schema judges a value. */
const STEP = 'x-step';

type Schemas = Readonly<Record<string, Schema>>;

/** How many steps a message may take. A step takes some microseconds. */
export interface Steps {
  readonly atLeast: number;
  /** More for each value in the message: without alternatives, each value takes one step in a schema that is recursive. */
  readonly perValue: number;
}

export interface StepLimit {
  /** Ajv's definition of the keyword; it has to be among the first, for a rule that fails leaves out those after it. */
  readonly keyword: object;
  /** Calls a function that Ajv compiled. @throws TooManySteps */
  readonly judge: (validate: (value: unknown) => boolean, value: unknown) => boolean;
}

export function createStepLimit({ atLeast, perValue }: Steps): StepLimit {
  let steps = 0;
  let limit = 0;
  let judged: unknown;

  // The values are counted only for a message that has taken many steps.
  function extendLimit(): void {
    limit = atLeast + perValue * countValues(judged);
    if (steps > limit) throw new TooManySteps('the value takes too many steps to validate');
  }

  function count(): boolean {
    steps += 1;
    if (steps > limit) extendLimit();
    return true;
  }

  return {
    keyword: { keyword: STEP, before: 'not', errors: false, validate: count },
    judge: (validate, value) => {
      [steps, limit, judged] = [0, atLeast, value];
      try {
        return validate(value);
      } finally {
        judged = undefined;
      }
    },
  };
}

/** Adds the keyword to the schemas that lead back to themselves. */
export function countSteps(schemas: Schemas): Schemas {
  const recursive = findRecursive(schemas);
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, recursive.has(name) ? { [STEP]: true, ...schema } : schema]),
  );
}

/** The names of the schemas on circles of references, and of those between two circles. */
function findRecursive(schemas: Schemas): ReadonlySet<string> {
  let left = new Map(Object.entries(schemas).map(([name, schema]) => [name, referencesOf(schema)]));
  for (let size = -1; size !== left.size;) {
    size = left.size;
    const referredTo = new Set([...left.values()].flat());
    const known = left;
    left = new Map([...left].filter(([name, to]) => referredTo.has(name) && to.some((other) => known.has(other))));
  }
  return new Set(left.keys());
}

function referencesOf(schema: Schema): string[] {
  if (schema.$ref !== undefined) return [schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)];
  return subschemas(schema).flatMap(referencesOf);
}

function countValues(root: unknown): number {
  const values = [root];
  // The loop goes on with the members that are added during it.
  for (const value of values) {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) continue;
    for (const member of Object.values(value) as unknown[]) values.push(member);
  }
  return values.length;
}
