import type { Ajv, ErrorObject } from 'ajv';
import type { DataValidateFunction, DataValidationCxt, ValidateFunction } from 'ajv/dist/types';
import { omitKeywords, toPointerKey, toRegExp, type ValidatorSchema } from '@contract-kit/contract';
import { ONCE } from './shared-schemas';

/**
 * Replaces Ajv's unevaluatedProperties and unevaluatedItems (JSON Schema 2020-12, Core, section 11). Ajv's own keywords
 * ignore `contains`, an `if` without `then` and `else`, and which alternative an item matched. Call this before Ajv compiles.
 */
export function addUnevaluatedKeywords(ajv: Ajv): void {
  // Ajv's bookkeeping for its own keywords throws for some values if a schema has dependentSchemas and patternProperties.
  ajv.opts.unevaluated = false;
  addUnevaluated(ajv, 'unevaluatedProperties', 'object', (name) => ({
    message: 'must NOT have unevaluated properties',
    params: { unevaluatedProperty: name },
  }));
  addUnevaluated(ajv, 'unevaluatedItems', 'array', (index) => ({
    message: `must NOT have more than ${String(index)} items`,
    params: { limit: index },
  }));
}

interface KeywordJudge {
  (members: object, context: DataValidationCxt): boolean;
  errors?: Partial<ErrorObject>[] | null | undefined;
}

function addUnevaluated(
  ajv: Ajv,
  keyword: 'unevaluatedProperties' | 'unevaluatedItems',
  type: 'object' | 'array',
  toError: (key: Key) => Partial<ErrorObject>,
): void {
  ajv.removeKeyword(keyword).addKeyword({
    keyword,
    type,
    schemaType: ['boolean', 'object'],
    errors: 'full',
    compile: (allowed: ValidatorSchema | boolean, parent: ValidatorSchema): DataValidateFunction => {
      const adjacentSchema = omitKeywords(parent, keyword);
      const judge: KeywordJudge = (members, context) => {
        const evaluatedKeys = findEvaluated(ajv, adjacentSchema, members, context);
        for (const key of keysOf(members)) {
          if (evaluatedKeys.has(key) || allowed === true) continue;
          const { instancePath } = context;
          if (allowed === false) {
            judge.errors = [{ keyword, instancePath, ...toError(key) }];
            return false;
          }
          const validate = ajv.compile(allowed);
          if (judgeMember(validate, members, key, context)) continue;
          judge.errors = validate.errors;
          return false;
        }
        return true;
      };
      return judge as DataValidateFunction;
    },
  });
}

// Gives Ajv the member's own path, because a cached verdict contains the path.
function judgeMember(validate: ValidateFunction, members: object, key: Key, context: DataValidationCxt): unknown {
  const instancePath = `${context.instancePath}/${typeof key === 'number' ? String(key) : toPointerKey(key)}`;
  const { [key]: member } = members as Readonly<Record<Key, unknown>>;
  return validate(member, { ...context, instancePath, parentData: members, parentDataProperty: key });
}

function findEvaluated(ajv: Ajv, root: ValidatorSchema, value: object, context: DataValidationCxt): ReadonlySet<Key> {
  const evaluatedKeys = new Set<Key>();
  const matches = (subschema: ValidatorSchema): boolean => ajv.compile(subschema)(value, context);
  const names = Array.isArray(value) ? [] : Object.keys(value);
  const schemas = new Set<ValidatorSchema & { readonly [ONCE]?: string }>([root]);
  // The set grows during the loop.
  for (const schema of schemas) {
    for (const key of findOwnEvaluated(ajv, schema, value, context)) evaluatedKeys.add(key);
    const {
      [ONCE]: once,
      $ref = once,
      allOf = [],
      anyOf = [],
      oneOf = [],
      if: condition,
      dependentSchemas = {},
    } = schema;
    const clause = condition && (matches(condition) ? [condition, schema.then] : [schema.else]);
    const inPlaceSchemas = [
      $ref === undefined ? undefined : (ajv.getSchema($ref)?.schema as ValidatorSchema | undefined),
      ...allOf,
      ...[...anyOf, ...oneOf].filter(matches),
      ...(clause ?? []),
      ...names.map((name) => (Object.hasOwn(dependentSchemas, name) ? dependentSchemas[name] : undefined)),
    ];
    for (const subschema of inPlaceSchemas) if (subschema) schemas.add(subschema);
  }
  return evaluatedKeys;
}

// Lists the keys that the schema evaluates itself, without its in-place subschemas.
function findOwnEvaluated(ajv: Ajv, schema: ValidatorSchema, value: object, context: DataValidationCxt): Key[] {
  const keys = keysOf(value);
  if (Array.isArray(value)) {
    const { items, unevaluatedItems, prefixItems = [], contains } = schema;
    if (items !== undefined || unevaluatedItems !== undefined) return keys;
    const validate = contains && ajv.compile(contains);
    const isContained = (key: Key): unknown => validate && judgeMember(validate, value, key, context);
    return keys.filter((key) => Number(key) < prefixItems.length || isContained(key));
  }
  const { additionalProperties, unevaluatedProperties, properties = {}, patternProperties = {} } = schema;
  if (additionalProperties !== undefined || unevaluatedProperties !== undefined) return keys;
  const patterns = Object.keys(patternProperties).map(toRegExp);
  return keys.filter((key) => Object.hasOwn(properties, key) || patterns.some((pattern) => pattern.test(String(key))));
}

/** The name of a property, or the index of an item. Converting a million indices to strings would be expensive. */
type Key = string | number;

function keysOf(value: object): Key[] {
  return Array.isArray(value) ? [...value.keys()] : Object.keys(value);
}
