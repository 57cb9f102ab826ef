// Judges unevaluatedProperties and unevaluatedItems: Ajv forgets which alternative an item matched, contains, and `if` alone.
import { without, toRegExp, type Schema } from '../../contract/schema/schema';
import { toPointerKey } from '../../contract/text/mistake';

/** The part of Ajv that compiles a schema, once, or finds a component by its reference. */
export interface Compiler {
  readonly compile: (schema: Schema) => Validate;
  readonly getSchema: (reference: string) => { readonly schema: Schema } | undefined;
}

interface Validate {
  (value: unknown, context?: Context): boolean;
  errors?: readonly object[] | null | undefined;
}

interface KeywordJudge extends Pick<Validate, 'errors'> {
  (value: object, context: Context): boolean;
}

/** Where a value is in the message. */
interface Context {
  readonly instancePath: string;
  readonly parentData: unknown;
  readonly parentDataProperty: string | number;
  readonly rootData: unknown;
}

const OF_OBJECTS = {
  keyword: 'unevaluatedProperties',
  type: 'object',
  toError: (name: string) => ({
    message: 'must NOT have unevaluated properties',
    params: { unevaluatedProperty: name },
  }),
} as const;
const OF_ARRAYS = {
  keyword: 'unevaluatedItems',
  type: 'array',
  toError: (index: string) => ({ message: `must NOT have more than ${index} items`, params: { limit: Number(index) } }),
} as const;

/** Ajv's definitions of the two keywords (JSON Schema 2020-12, Core, 11). */
export function unevaluatedKeywords(ajv: Compiler): readonly { readonly keyword: string }[] {
  return [OF_OBJECTS, OF_ARRAYS].map(({ keyword, type, toError }) => ({
    keyword,
    type,
    schemaType: ['boolean', 'object'],
    errors: 'full',
    compile: (allowed: Schema | boolean, parent: Schema): KeywordJudge => {
      const beside = without(parent, keyword);
      const judge: KeywordJudge = (members, { instancePath, rootData }) => {
        const evaluated = new Set<string>();
        addEvaluated(ajv, beside, members, evaluated);
        for (const [key, member] of Object.entries(members)) {
          if (evaluated.has(key) || allowed === true) continue;
          if (allowed === false) {
            judge.errors = [{ keyword, instancePath, ...toError(key) }];
            return false;
          }
          const validate = ajv.compile(allowed);
          const path = `${instancePath}/${toPointerKey(key)}`;
          if (!validate(member, { instancePath: path, parentData: members, parentDataProperty: key, rootData })) {
            judge.errors = validate.errors;
            return false;
          }
        }
        return true;
      };
      return judge;
    },
  }));
}

/** Adds the names or indices that a schema evaluates of the members of a value, which matches it. */
function addEvaluated(ajv: Compiler, schema: Schema, value: object, evaluated: Set<string>): void {
  const matches = (one: Schema): boolean => ajv.compile(one)(value);
  for (const key of evaluatedHere(ajv, schema, value)) evaluated.add(key);
  const { $ref, allOf = [], anyOf = [], oneOf = [], if: condition, dependentSchemas = {} } = schema;
  const clause = condition && (matches(condition) ? [condition, schema.then] : [schema.else]);
  // An index of an array is no name of a property.
  const names = Array.isArray(value) ? [] : Object.keys(value);
  const dependent = Object.entries(dependentSchemas).filter(([name]) => names.includes(name));
  const inPlace = [
    $ref === undefined ? undefined : ajv.getSchema($ref)?.schema,
    ...allOf,
    ...[...anyOf, ...oneOf].filter(matches),
    ...(clause ?? []),
    ...dependent.map(([, one]) => one),
  ];
  for (const one of inPlace) if (one) addEvaluated(ajv, one, value, evaluated);
}

// Without the schemas that apply to the same value.
function evaluatedHere(ajv: Compiler, schema: Schema, value: object): string[] {
  const keys = Object.keys(value);
  if (Array.isArray(value)) {
    const { items, unevaluatedItems, prefixItems = [], contains } = schema;
    if (items !== undefined || unevaluatedItems !== undefined) return keys;
    const isContained = contains ? ajv.compile(contains) : () => false;
    return keys.filter((_key, index) => index < prefixItems.length || isContained(value[index]));
  }
  const { additionalProperties, unevaluatedProperties, properties = {}, patternProperties = {} } = schema;
  if (additionalProperties !== undefined || unevaluatedProperties !== undefined) return keys;
  const patterns = Object.keys(patternProperties).map(toRegExp);
  return keys.filter((key) => Object.hasOwn(properties, key) || patterns.some((pattern) => pattern.test(key)));
}
