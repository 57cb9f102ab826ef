// Schemas that many ways lead to: what judges a value by one twice at each level of a contract judges it 2^26 times after 26.
import type { Ajv, ErrorObject } from 'ajv';
import type { DataValidateFunction, DataValidationCxt, ValidateFunction } from 'ajv/dist/types';
import { subschemas, toExactJson, type ValidatorSchema } from '@contract-kit/contract';
import { pointerOf } from './to-faults';

/** The keyword of a reference whose verdict on a value is kept until the message is judged; that of a `$ref` is made each time. */
export const ONCE = 'x-once';

// A wrong value is told with at most ten fields.
const MOST_ERRORS = 10;
// More ways from a schema to those below it than the contracts of most services have.
const MANY_WAYS = 64;
// The ways of a schema that leads back to itself: two references to such schemas are too many.
const ENDLESS = MANY_WAYS / 2 + 1;

/**
 * Replaces each `$ref` by the keyword `x-once` in the schemas that lead to others in many ways: what judges a value by one of
 * those does so once. A schema that leads back to itself in two ways does so in 2^n ways after n levels of a value.
 *
 * @param toName the name of the schema that a `$ref` of these schemas refers to
 */
export function shareSchemas(
  schemas: Readonly<Record<string, ValidatorSchema>>,
  toName: (reference: string) => string,
): void {
  // What is evaluated is found by judging alternatives again.
  const times = toExactJson(schemas).includes('"unevaluated') ? 2 : 1;
  const ways = new Map<string, number>();
  for (const name of Object.keys(schemas)) countWays(name);

  // In how many ways a schema leads to others that refer to some, at most: 0 for one without references.
  function countWays(name: string): number {
    const known = ways.get(name);
    if (known !== undefined) return known;
    // What leads back to it finds it here.
    ways.set(name, ENDLESS);
    // Each name is there: every reference leads to one of the schemas.
    const references = [...referencesIn(Object(schemas[name]) as ValidatorSchema, toName)];
    const counted = references.map(({ schema, target }) => ({ schema, count: countWays(target) }));
    const sum = times * counted.reduce((all, { count }) => all + count, 0);
    // The copy of an alternative may be in two places.
    const shared = sum > MANY_WAYS ? counted.filter(({ count }) => count > 0).map(({ schema }) => schema) : [];
    for (const schema of new Set(shared)) {
      Object.assign(schema, { [ONCE]: schema.$ref });
      Reflect.deleteProperty(schema, '$ref');
    }
    const count = references.length === 0 ? 0 : Math.min(Math.max(sum, 1), ENDLESS);
    ways.set(name, count);
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
  /** Where the value was when it was judged. The paths of the errors begin with its own. */
  readonly place: DataValidationCxt;
  /** Undefined where the value matches. */
  readonly errors: readonly ErrorObject[] | undefined;
}

// Chooses the last error of each field, as addFaults does: the same one may be found in many ways.
function chooseErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  if (errors.length <= MOST_ERRORS) return errors;
  const told = errors.filter(({ keyword }) => keyword !== 'if');
  return [...new Map(told.map((error) => [pointerOf(error), error])).values()].slice(0, MOST_ERRORS);
}

/** Copies errors to where the value is, since equal texts and numbers may be in many places. */
function moveErrors(errors: readonly ErrorObject[], from: DataValidationCxt, to: DataValidationCxt): ErrorObject[] {
  // To compare paths would take as long as they are.
  if (from.parentData === to.parentData && from.parentDataProperty === to.parentDataProperty) return errors.slice();
  const toPath = ({ instancePath }: ErrorObject): string =>
    to.instancePath + instancePath.slice(from.instancePath.length);
  return errors.map((error) => ({ ...error, instancePath: toPath(error) }));
}

/** Adds the keyword to an Ajv. What is returned forgets the verdicts, and is called after each message. */
export function addOnce(ajv: Ajv): () => void {
  // A verdict depends on the value alone: whoever judges it, and wherever an equal text is, finds it.
  const verdicts = new Map<string, Map<unknown, Verdict>>();
  ajv.addKeyword({
    keyword: ONCE,
    schemaType: 'string',
    errors: 'full',
    compile(id: string): DataValidateFunction {
      const known = verdicts.get(id) ?? new Map<unknown, Verdict>();
      verdicts.set(id, known);
      let validate: ValidateFunction | undefined;
      const judge: Judge = (value, context) => {
        let verdict = known.get(value);
        if (!verdict) {
          // Compiled at the first value: a schema may lead back to itself.
          validate ??= ajv.getSchema(id) as ValidateFunction;
          const isValid = validate(value, context);
          const errors = isValid ? undefined : chooseErrors(validate.errors as unknown as ErrorObject[]);
          known.set(value, (verdict = { place: context, errors }));
        }
        // Ajv adds to the list that it is given.
        judge.errors = verdict.errors && moveErrors(verdict.errors, verdict.place, context);
        return !verdict.errors;
      };
      return judge as DataValidateFunction;
    },
  });
  return () => {
    // To clear an empty map costs as much as to judge a small message.
    for (const known of verdicts.values()) if (known.size > 0) known.clear();
  };
}
