// Random schemas and values, for judges to compare.
import * as fc from 'fast-check';

const name = fc.constantFrom('a', 'b', 'ab', 'constructor', '1', '', '🌹');
const number = fc.constantFrom(0, 1, 2, 3, -1, 0.5, 1.5, 2.5);
const size = fc.nat({ max: 3 });
const pattern = fc.constantFrom('^a', 'b$', '^.$', '[0-9]', '^[^1]*$');
export const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    ...[fc.constantFrom(null, true, false), number, name],
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}));

// Flags of draft-04 need their limits.
const LIMITS = { minimum: -1, maximum: 3 };
type Keywords = Record<string, fc.Arbitrary<unknown>>;

function all(keywords: readonly string[], values: fc.Arbitrary<unknown>): Keywords {
  return Object.fromEntries(keywords.map((keyword) => [keyword, values]));
}

/** @param references a schema D that others refer to refers to itself below a property only: it may not go in circles */
function schemaOf(isOld: boolean, depth: number, references: Keywords = {}): fc.Arbitrary<unknown> {
  const types = ['object', 'array', 'string', 'number', 'integer', 'boolean'];
  const type = fc.constantFrom(...types, ...(isOld ? [] : ['null']));
  const some = { minLength: 1, maxLength: 3 };
  if (depth === 0) return fc.oneof(fc.record({ type }), fc.record({ enum: fc.array(value, some) }));
  const inner = schemaOf(isOld, depth - 1, references);
  const named = fc.dictionary(name, inner, { maxKeys: 3 });
  // The kit refuses to require a name without characters.
  const names = fc.uniqueArray(name.filter(Boolean), { minLength: 1, maxLength: 2 });
  const keywords: Keywords = {
    type,
    properties: named,
    additionalProperties: fc.oneof(inner, fc.boolean()),
    required: names,
    items: inner,
    uniqueItems: fc.constant(true),
    pattern,
    ...all(['minProperties', 'maxProperties', 'minItems', 'maxItems', 'minLength', 'maxLength'], size),
    ...all(['minimum', 'maximum'], number),
    multipleOf: fc.constantFrom(1, 2, 0.5),
    enum: fc.array(value, some),
    ...all(['allOf', 'anyOf', 'oneOf'], fc.array(inner, some)),
    not: inner,
    ...references,
  };
  const ofVersion: Keywords = isOld
    ? { nullable: fc.constant(true), ...all(['exclusiveMinimum', 'exclusiveMaximum'], fc.boolean()) }
    : {
        const: value,
        ...all(['exclusiveMinimum', 'exclusiveMaximum'], number),
        ...all(['minContains', 'maxContains'], size),
        ...all(['propertyNames', 'contains', 'if', 'then', 'else'], inner),
        ...all(['unevaluatedProperties', 'unevaluatedItems'], fc.oneof(inner, fc.constant(false))),
        patternProperties: fc.dictionary(pattern, inner, { maxKeys: 2 }),
        prefixItems: fc.array(inner, some),
        dependentRequired: fc.dictionary(name, names, { maxKeys: 2 }),
        dependentSchemas: named,
      };
  const entries = Object.entries({ ...keywords, ...ofVersion });
  const schema = fc
    .uniqueArray(fc.oneof(...entries.map(([key, values]) => fc.tuple(fc.constant(key), values))), {
      minLength: 1,
      maxLength: 4,
      selector: ([key]) => key,
    })
    .map((members) => ({ ...(isOld && LIMITS), ...Object.fromEntries(members) }));
  return isOld ? schema : fc.oneof({ weight: 20, arbitrary: schema }, { weight: 1, arbitrary: fc.boolean() });
}

/** Schemas that may refer to another one, which may refer to itself. */
export function schemasOf(isOld: boolean): fc.Arbitrary<object> {
  const $ref = isOld ? '#/definitions/D' : '#/$defs/D';
  const referred = fc.tuple(schemaOf(isOld, 1), fc.boolean()).map(([schema, isRecursive]) => {
    const { properties, ...rest } = Object(schema) as { readonly properties?: object };
    return isRecursive ? { ...rest, properties: { ...properties, ab: { $ref } } } : schema;
  });
  return fc
    .tuple(schemaOf(isOld, 3, { $ref: fc.constant($ref) }), referred)
    .map(([root, D]) => ({ ...Object(root), [isOld ? 'definitions' : '$defs']: { D } }) as object);
}
