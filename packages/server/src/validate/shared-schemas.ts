// Schemas that many ways lead to: what judges a value by one twice at each level of a contract judges it 2^26 times after 26.
import type { Ajv, ErrorObject } from 'ajv';
import type { DataValidateFunction, DataValidationCxt, ValidateFunction } from 'ajv/dist/types';
import { isObjectOrArray, schemasOf, toPointerKey, type ValidatorSchema } from '@contract-kit/contract';

/** The keyword of a reference whose verdict on a value is kept until the message is judged; that of a `$ref` is made each time. */
export const ONCE = 'x-once';

// More ways to one value than contracts of real services have.
const MANY_WAYS = 64;
// A wrong value is told with at most ten fields.
const MOST_ERRORS = 10;

type Schemas = Readonly<Record<string, ValidatorSchema>>;

/** A reference, the schema that it leads to, and the place of the value that it describes, such as `/name` of a property. */
interface Found {
  readonly schema: ValidatorSchema;
  readonly target: string;
  readonly place: string;
}

/**
 * Replaces each `$ref` by the keyword `x-once` in the schemas that lead to one value in many ways: what judges a value in them
 * does so once. A schema that leads back to itself in two ways does so in 2^n ways after n levels of a value.
 *
 * @param toName the name of the schema that a `$ref` of these schemas refers to
 */
export function shareSchemas(schemas: Schemas, toName: (reference: string) => string): void {
  // What is evaluated is found by judging alternatives again.
  const again = JSON.stringify(schemas).includes('"unevaluated') ? JUDGED_AGAIN : new Set<string>();
  const references = new Map(
    Object.entries(schemas).map(([name, schema]) => [name, [...referencesIn(schema, toName, again)]] as const),
  );
  const recursive = findRecursive(references);
  const ways = new Map<string, number>();
  for (const name of references.keys()) countWays(name);

  // In how many ways a schema leads to the same value, at most.
  function countWays(name: string): number {
    const known = ways.get(name);
    if (known !== undefined) return known;
    // One that leads back to itself.
    ways.set(name, 0);
    // Each name is there: every reference leads to one of the schemas.
    const found = references.get(name) as unknown as readonly Found[];
    const count = sumAtOnePlace(found, countWays);
    const returns = recursive.has(name) ? sumAtOnePlace(found, (target) => Number(recursive.has(target))) : 0;
    const isShared = count > MANY_WAYS || returns > 1;
    // The copy of an alternative may be in two places.
    for (const schema of new Set(isShared ? found.map((one) => one.schema) : [])) {
      Object.assign(schema, { [ONCE]: schema.$ref });
      Reflect.deleteProperty(schema, '$ref');
    }
    ways.set(name, isShared ? 1 : count);
    return isShared ? 1 : count;
  }
}

/** The schemas on circles of references, and between two circles. */
function findRecursive(references: ReadonlyMap<string, readonly Found[]>): ReadonlyMap<string, readonly Found[]> {
  let left = references;
  for (let size = -1; size !== left.size;) {
    size = left.size;
    const known = left;
    const referredTo = new Set([...left.values()].flatMap((found) => found.map(({ target }) => target)));
    left = new Map(
      [...left].filter(([name, found]) => referredTo.has(name) && found.some(({ target }) => known.has(target))),
    );
  }
  return left;
}

// The largest sum, at least 1, for references that may lead to the same value: it is in a place, or below it.
function sumAtOnePlace(found: readonly Found[], weigh: (target: string) => number): number {
  const sums = new Map<string, number>();
  for (const { place, target } of found) sums.set(place, (sums.get(place) ?? 0) + weigh(target));
  const wide = [...sums.keys()].filter((place) => place.includes(ANY_NAME));
  let most = 1;
  for (const place of sums.keys()) {
    const steps = place.split('/');
    const above = steps.map((_, index) => steps.slice(0, index + 1).join('/'));
    const others = (place.includes(ANY_NAME) ? [...sums.keys()] : wide).filter((other) => mayContain(other, steps));
    const places = [...new Set([...above, ...others])];
    most = Math.max(
      most,
      places.reduce((all, one) => all + (sums.get(one) ?? 0), 0),
    );
  }
  return most;
}

function mayContain(place: string, others: readonly string[]): boolean {
  const isSameStep = (step: string, another: string | undefined): boolean =>
    step === another || ([step, another].includes(ANY_NAME) && ![step, another].includes(ITEM));
  const steps = place.split('/');
  return steps.length <= others.length && steps.every((step, index) => isSameStep(step, others[index]));
}

// A property that has any name, and an item.
const ANY_NAME = '*';
const ITEM = '[]';
const ITEMS = new Set(['items', 'prefixItems', 'contains', 'unevaluatedItems']);
const IN_PLACE = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);
const JUDGED_AGAIN: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'if', 'contains']);

function* referencesIn(
  schema: ValidatorSchema,
  toName: (reference: string) => string,
  again: ReadonlySet<string>,
  place = '',
): Generator<Found> {
  if (schema.$ref !== undefined) yield { schema, target: toName(schema.$ref), place };
  for (const [keyword, value] of Object.entries(schema)) {
    const toPlace = (name: string | undefined): string => {
      if (IN_PLACE.has(keyword)) return place;
      if (ITEMS.has(keyword)) return `${place}/${ITEM}`;
      return `${place}/${name === undefined ? ANY_NAME : toPointerKey(name)}`;
    };
    const names = keyword === 'properties' ? Object.keys(value as Schemas) : [];
    for (const [index, one] of schemasOf(keyword, value).entries()) {
      if (!isObjectOrArray(one)) continue;
      const found = [...referencesIn(one, toName, again, toPlace(names[index]))];
      yield* again.has(keyword) ? [...found, ...found] : found;
    }
  }
}

interface Judge {
  (value: unknown, context: DataValidationCxt): boolean;
  errors?: readonly ErrorObject[] | undefined;
}

interface Verdict {
  /** The path of the value when it was judged: those of the errors begin with it. */
  readonly path: string;
  /** Undefined where the value matches. */
  readonly errors: readonly ErrorObject[] | undefined;
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
        const { instancePath } = context;
        let verdict = known.get(value);
        if (!verdict) {
          // Compiled at the first value: a schema may lead back to itself.
          validate ??= ajv.getSchema(id) as ValidateFunction;
          const errors = validate(value, context) ? undefined : validate.errors?.slice(0, MOST_ERRORS);
          known.set(value, (verdict = { path: instancePath, errors }));
        }
        const { path, errors } = verdict;
        // A new list, since Ajv adds to the one that it is given.
        judge.errors = errors?.map((error) =>
          path === instancePath
            ? error
            : { ...error, instancePath: instancePath + error.instancePath.slice(path.length) },
        );
        return !errors;
      };
      return judge as DataValidateFunction;
    },
  });
  return () => {
    // To clear an empty map costs as much as to judge a small message.
    for (const known of verdicts.values()) if (known.size > 0) known.clear();
  };
}
