// Prevents exponential time: in a chain of 26 schemas, each with two references to the next, a value would be validated 2^26 times.
import type { Ajv, ErrorObject } from 'ajv';
import type { DataValidateFunction, DataValidationCxt, ValidateFunction } from 'ajv/dist/types';
import { subschemas, toExactJson, type ValidatorSchema } from '@contract-kit/contract';
import { pointerOf } from './to-faults';

/** Like `$ref`, but validates each value only once per message. */
export const ONCE = 'x-once';

// How many errors a verdict keeps, since a refusal lists at most ten fields.
const MAX_ERRORS = 10;
// The number of paths above which schemas are shared. Most contracts stay below it.
const MAX_PATHS = 64;
// The count for a recursive schema. Two references to such schemas are already too many.
const RECURSIVE_PATH_COUNT = MAX_PATHS / 2 + 1;

/**
 * Replaces `$ref` with the keyword `x-once` in schemas from which many paths lead to other schemas. If a schema refers to itself
 * twice, there are 2^n paths through a value with n levels.
 *
 * @param toName returns the name of the schema that a `$ref` refers to
 */
export function shareSchemas(
  schemas: Readonly<Record<string, ValidatorSchema>>,
  toName: (reference: string) => string,
): void {
  // The unevaluated keywords validate every alternative a second time.
  const pathFactor = toExactJson(schemas).includes('"unevaluated') ? 2 : 1;
  const pathCounts = new Map<string, number>();
  for (const name of Object.keys(schemas)) countPaths(name);

  // Counts the paths that lead from a schema to others. A schema without references has 0.
  function countPaths(name: string): number {
    const knownCount = pathCounts.get(name);
    if (knownCount !== undefined) return knownCount;
    pathCounts.set(name, RECURSIVE_PATH_COUNT);
    const references = [...referencesIn(Object(schemas[name]) as ValidatorSchema, toName)];
    const targets = references.map(({ schema, target }) => ({ schema, count: countPaths(target) }));
    const sum = pathFactor * targets.reduce((all, { count }) => all + count, 0);
    const sharedSchemas = sum > MAX_PATHS ? targets.filter(({ count }) => count > 0).map(({ schema }) => schema) : [];
    // The same copy of an alternative can be in two places.
    for (const schema of new Set(sharedSchemas)) {
      Object.assign(schema, { [ONCE]: schema.$ref });
      Reflect.deleteProperty(schema, '$ref');
    }
    const count = references.length === 0 ? 0 : Math.min(Math.max(sum, 1), RECURSIVE_PATH_COUNT);
    pathCounts.set(name, count);
    return count;
  }
}

interface Reference {
  readonly schema: ValidatorSchema;
  readonly target: string;
}

function* referencesIn(schema: ValidatorSchema, toName: (reference: string) => string): Generator<Reference> {
  if (schema.$ref !== undefined) yield { schema, target: toName(schema.$ref) };
  for (const inner of subschemas(schema)) yield* referencesIn(inner, toName);
}

interface Judge {
  (value: unknown, context: DataValidationCxt): boolean;
  errors?: readonly ErrorObject[] | undefined;
}

interface Verdict {
  /** Where the value was validated. The paths in `errors` begin there. */
  readonly place: DataValidationCxt;
  readonly errors: readonly ErrorObject[] | undefined;
}

// Chooses the last error of each field, as addFaults does, since the same error may occur many times.
function chooseErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  if (errors.length <= MAX_ERRORS) return errors;
  const reportedErrors = errors.filter(({ keyword }) => keyword !== 'if');
  return [...new Map(reportedErrors.map((error) => [pointerOf(error), error])).values()].slice(0, MAX_ERRORS);
}

// Adapts the errors' paths, since an equal string or number in another place has the same verdict.
function moveErrors(errors: readonly ErrorObject[], from: DataValidationCxt, to: DataValidationCxt): ErrorObject[] {
  // Comparing long paths would be slower.
  if (from.parentData === to.parentData && from.parentDataProperty === to.parentDataProperty) return errors.slice();
  const toPath = ({ instancePath }: ErrorObject): string =>
    to.instancePath + instancePath.slice(from.instancePath.length);
  return errors.map((error) => ({ ...error, instancePath: toPath(error) }));
}

/** Adds the keyword to Ajv. Returns a function that clears the verdicts, and that must be called after each message. */
export function addOnceKeyword(ajv: Ajv): () => void {
  // Keyed by schema id and value, since a verdict depends on nothing else.
  const verdicts = new Map<string, Map<unknown, Verdict>>();
  ajv.addKeyword({
    keyword: ONCE,
    schemaType: 'string',
    errors: 'full',
    compile(id: string): DataValidateFunction {
      const verdictsOfSchema = verdicts.get(id) ?? new Map<unknown, Verdict>();
      verdicts.set(id, verdictsOfSchema);
      let validate: ValidateFunction | undefined;
      const judge: Judge = (value, context) => {
        let verdict = verdictsOfSchema.get(value);
        if (!verdict) {
          // Compile the schema lazily, since a recursive schema refers to one that is still being compiled.
          validate ??= ajv.getSchema(id) as ValidateFunction;
          const isValid = validate(value, context);
          const errors = isValid ? undefined : chooseErrors(validate.errors as unknown as ErrorObject[]);
          verdictsOfSchema.set(value, (verdict = { place: context, errors }));
        }
        // Pass a copy, since Ajv adds further errors to the list.
        judge.errors = verdict.errors && moveErrors(verdict.errors, verdict.place, context);
        return !verdict.errors;
      };
      return judge as DataValidateFunction;
    },
  });
  return () => {
    // Clearing an empty map costs as much as validating a small message.
    for (const verdictsOfSchema of verdicts.values()) if (verdictsOfSchema.size > 0) verdictsOfSchema.clear();
  };
}
