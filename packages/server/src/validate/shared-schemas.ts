// Schemas that many ways lead to: what judges a value by one twice at each level of a contract judges it 2^26 times after 26.
import type { Ajv, ErrorObject } from 'ajv';
import type { DataValidationCxt, ValidateFunction } from 'ajv/dist/types';
import { isObjectOrArray, schemasOf, type ValidatorSchema } from '@contract-kit/contract';

/** The keyword of a reference whose verdict on a value is kept until the message is judged; that of a `$ref` is made each time. */
export const ONCE = 'x-once';

// More ways to one value than contracts of real services have.
const MANY_WAYS = 64;
// A wrong value is told with at most ten fields.
const MOST_ERRORS = 10;

type Schemas = Readonly<Record<string, ValidatorSchema>>;

/**
 * Replaces each `$ref` below a schema that leads to one value in many ways by the keyword `x-once`.
 *
 * @param toName the name of the schema that a `$ref` of these schemas refers to
 */
export function shareSchemas(schemas: Schemas, toName: (reference: string) => string): void {
  const references = new Map(Object.entries(schemas).map(([name, schema]) => [name, [...referencesIn(schema)]]));
  // Each name is there: every reference leads to one of the schemas.
  const referencesOf = (name: string): readonly FoundReference[] => references.get(name) as unknown as FoundReference[];
  const ways = new Map<string, number>();
  const shared = new Set([...references.keys()].filter((name) => countWays(name) > MANY_WAYS));
  // The set grows during the loop.
  for (const name of shared) {
    for (const [reference] of referencesOf(name)) {
      shared.add(toName(String(reference.$ref)));
      Object.assign(reference, { [ONCE]: reference.$ref });
    }
  }
  for (const name of shared) for (const [reference] of referencesOf(name)) Reflect.deleteProperty(reference, '$ref');

  // In how many ways a schema leads to the same value, at most. A schema that leads back to itself has its steps counted.
  function countWays(name: string): number {
    const known = ways.get(name);
    if (known !== undefined) return known;
    ways.set(name, 0);
    const byPlace = new Map<string, number>();
    for (const [{ $ref }, place] of referencesOf(name))
      byPlace.set(place, (byPlace.get(place) ?? 0) + countWays(toName(String($ref))));
    const anyPlace = byPlace.get(ANY_PLACE) ?? 0;
    byPlace.delete(ANY_PLACE);
    let count = Math.max(1, anyPlace);
    for (const here of byPlace.values()) count = Math.max(count, here + anyPlace);
    ways.set(name, count);
    return count;
  }
}

type FoundReference = readonly [schema: ValidatorSchema, place: string];

// The place of a value that may be any below the schema's own: an item, or a property that a pattern names.
const ANY_PLACE = '*';
const IN_PLACE = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']);

/** The references in a schema, each with the place of the value that it describes, such as `/name` of a property. */
function* referencesIn(schema: ValidatorSchema, place = ''): Generator<FoundReference> {
  if (schema.$ref !== undefined) yield [schema, place];
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'properties') {
      const inner = place === ANY_PLACE ? () => ANY_PLACE : (name: string) => `${place}/${name}`;
      for (const [name, one] of Object.entries(value as Schemas)) yield* referencesIn(one, inner(name));
    } else {
      const inner = IN_PLACE.has(keyword) ? place : ANY_PLACE;
      for (const one of schemasOf(keyword, value).filter(isObjectOrArray)) yield* referencesIn(one, inner);
    }
  }
}

interface Judge {
  (id: string, value: unknown, schema: unknown, context: DataValidationCxt): boolean;
  errors?: ErrorObject[];
}

interface Verdict {
  readonly value: unknown;
  readonly errors: readonly ErrorObject[];
}

/** Adds the keyword to an Ajv. What is returned forgets the verdicts, and is called after each message. */
export function addOnce(ajv: Ajv): () => void {
  // By the object or list that has the value, and by the schema and the value's key there.
  const verdicts = new Map<unknown, Map<string, Verdict>>();
  const judge: Judge = (id, value, _schema, context) => {
    const { parentData, parentDataProperty } = context;
    const ofParent = verdicts.get(parentData) ?? new Map<string, Verdict>();
    verdicts.set(parentData, ofParent);
    const key = `${id} ${String(parentDataProperty)}`;
    const known = ofParent.get(key);
    // Ajv has no key of its own for what propertyNames judges.
    const isKnown = known !== undefined && Object.is(known.value, value);
    const { errors } = isKnown ? known : { errors: findErrors() };
    if (!isKnown) ofParent.set(key, { value, errors });
    // Ajv adds to the list that it is given.
    judge.errors = errors.slice(0, isKnown ? MOST_ERRORS : undefined);
    return errors.length === 0;

    function findErrors(): readonly ErrorObject[] {
      const validate = ajv.getSchema(id) as ValidateFunction;
      return validate(value, context) ? [] : (validate.errors as unknown as ErrorObject[]);
    }
  };
  ajv.addKeyword({ keyword: ONCE, schemaType: 'string', errors: 'full', validate: judge as never });
  return () => {
    // To clear an empty map costs as much as to judge a small message.
    if (verdicts.size > 0) verdicts.clear();
  };
}
