import {
  additionalOf,
  dependentRequiredOf,
  isRecursive,
  childOf,
  patternsOf,
  propertiesOf,
  rangeOf,
  pointersOf,
  requestPropertiesOf,
  requiredInRequestOf,
  type Schema,
} from '../contract/schema';
import { Members, omit, type Wire, type WireObject } from '../wire/json';
import { sampleMatching } from './strings';
import { countValues, createVariant, fits, nest, pointerOf, type Values, type Variant } from './variant';
import {
  ADDITIONAL_NAME,
  makeInvalidAdditionalProperties,
  CLOSING_KEYWORDS,
  makeValidAdditionalProperties,
  makeAdditionalValue,
  makeAdditionalMembers,
  padToMinimum,
} from './additional';

// The dates in an object are four years apart, so that a leap day stays valid.
const YEAR = /^\d{4}(?=-\d\d-\d\d)/;
const YEARS_BETWEEN_DATES = 4;

// Beyond this many nested values, which can double at each level, optional properties are left out.
const MAX_OPTIONAL_VALUES = 500;

/** Makes every optional property, or none inside an object of the same schema, so that recursion ends. */
export function makeBaseObject(values: Values, schema: Schema): Wire {
  const required = findRequiredNames(schema);
  const isMinimal = isRecursive(schema) || values.isInnermost;
  const names = childOf(schema, 'propertyNames');
  const properties = [...requestPropertiesOf(schema)].filter(
    ([name]) => required.has(name) || (!isMinimal && (!names || fits(values, names, name))),
  );
  let dateCount = 0;
  let valueCount = 1;
  const members = properties.flatMap(([name, property]): [string, Wire][] => {
    const make = (): Wire => {
      const base = values.inner.baseOf(property);
      if (typeof base !== 'string' || !YEAR.test(base)) return base;
      // Services may require that an end date comes after the start date, which is usually declared first.
      const laterDate = base.replace(YEAR, (year) => String(Number(year) + YEARS_BETWEEN_DATES * dateCount++));
      return fits(values, property, laterDate) ? laterDate : base;
    };
    const value = required.has(name) ? make() : schema.contract.skipped.attempt(make, undefined);
    if (value === undefined) return [];
    const countWithValue = valueCount + countValues(value);
    if (!required.has(name) && countWithValue > MAX_OPTIONAL_VALUES) return [];
    valueCount = countWithValue;
    return [[name, value]];
  });
  // `required` may list names that `properties` does not declare.
  const presentNames = members.map(([name]) => name);
  const undeclaredNames = [...required, ...findNeededNames(schema, presentNames)].filter(
    (name) => !propertiesOf(schema).has(name),
  );
  const additionalMembers = undeclaredNames.map((name): [string, Wire] => [name, makeAdditionalValue(values, schema)]);
  return padToMinimum(values, schema, Object.fromEntries([...members, ...additionalMembers]));
}

function findRequiredNames(schema: Schema): Set<string> {
  return findNeededNames(schema, [...requiredInRequestOf(schema).keys()]);
}

// Follows dependentRequired from the given names to the properties that they need, or that need them.
function findNeededNames(
  schema: Schema,
  names: readonly string[],
  [from, to]: readonly ['name' | 'needed', 'name' | 'needed'] = ['name', 'needed'],
): Set<string> {
  const rules = dependentRequiredOf(schema);
  const reachedNames = new Set(names);
  // The set grows during the loop.
  for (const name of reachedNames) for (const rule of rules) if (rule[from] === name) reachedNames.add(rule[to]);
  return reachedNames;
}

export function makeValidObjects(values: Values, schema: Schema): Variant[] {
  const base = makeBaseObject(values, schema) as WireObject;
  const required = requiredInRequestOf(schema);
  const optionalProperties = [...requestPropertiesOf(schema)].filter(
    ([name]) => !required.has(name) && Object.hasOwn(base, name),
  );
  const [pointer] = [
    ...required.values(),
    ...optionalProperties.map(([, property]) => pointerOf(property)),
    ...pointersOf(schema, ...CLOSING_KEYWORDS, 'minProperties', 'maxProperties', 'dependentRequired', 'propertyNames'),
  ];
  const fullObject = createVariant(schema, { keyword: 'value', label: 'every property', pointer }, base);
  return [
    fullObject,
    ...omitOptional(schema, base, optionalProperties),
    ...replaceEachProperty(schema, base, values.inner.validValues),
    ...makeValidAdditionalProperties(values, schema, base),
    ...addNamedProperties(values, schema, base, values.validValues),
  ];
}

function addNamedProperties(
  values: Values,
  schema: Schema,
  base: WireObject,
  makeNames: (names: Schema) => readonly Variant[],
): Variant[] {
  const names = childOf(schema, 'propertyNames');
  if (!names || additionalOf(schema) === false) return [];
  return makeNames(names).flatMap(({ label, value }) =>
    typeof value === 'string' && !Object.hasOwn(base, value)
      ? [
          createVariant(
            schema,
            { keyword: 'propertyNames', label: `propertyNames, ${label}` },
            new Members([...Object.entries(base), [value, makeAdditionalValue(values, schema)]]),
          ),
        ]
      : [],
  );
}

function omitOptional(
  schema: Schema,
  base: WireObject,
  optional: readonly (readonly [name: string, Schema])[],
): Variant[] {
  const { min, max } = rangeOf(schema, 'Properties');
  const hasAllowedCount = (object: WireObject): boolean =>
    Object.keys(object).length >= min && Object.keys(object).length <= max;
  // Also leaves out properties that need this one (`dependentRequired`).
  const omitProperty = (name: string): WireObject => omit(base, ...findNeededNames(schema, [name], ['needed', 'name']));
  const smallestObject = omit(base, ...optional.map(([name]) => name));
  return [
    ...(optional.length > 0 && hasAllowedCount(smallestObject)
      ? [createVariant(schema, { keyword: 'value', label: 'no optional property' }, smallestObject)]
      : []),
    ...optional
      .filter(([name]) => hasAllowedCount(omitProperty(name)))
      .map(([name, property]) =>
        createVariant(
          schema,
          { keyword: 'optional', label: `without ${name}`, pointer: pointerOf(property) },
          omitProperty(name),
        ),
      ),
  ];
}

function replaceEachProperty(
  schema: Schema,
  base: WireObject,
  makeValues: (property: Schema) => readonly Variant[],
): Variant[] {
  const namedVariants = [...requestPropertiesOf(schema)].flatMap(([name, property]) =>
    makeValues(property).map((member) => nest(member, { ...base, [name]: member.value })),
  );
  const patternVariants = patternsOf(schema).flatMap(([pattern, property]) =>
    makeValues(property).map((member) =>
      nest(member, { ...base, [makeMatchingName(pattern)]: member.value }, `named by pattern, ${member.label}`),
    ),
  );
  return [...namedVariants, ...patternVariants];
}

export function makeInvalidObjects(values: Values, schema: Schema): Variant[] {
  const base = makeBaseObject(values, schema) as WireObject;
  return [
    ...breakObject(values, schema, base),
    ...omitDependent(values, schema, base),
    ...addNamedProperties(values, schema, base, values.invalidValues),
    ...makeInvalidAdditionalProperties(values, schema, base),
    ...omitToMinimum(schema, base),
    ...exceedMaximum(values, schema, base),
  ];
}

export function breakObject(values: Values, schema: Schema, base: WireObject): Variant[] {
  return [
    ...[...requiredInRequestOf(schema)].flatMap(([name, pointer]) => omitRequired(schema, base, name, pointer)),
    ...replaceEachProperty(schema, base, values.inner.invalidValues),
  ];
}

function omitRequired(schema: Schema, base: WireObject, name: string, pointer: string): Variant[] {
  return [
    createVariant(schema, { keyword: 'required', label: `required, without ${name}`, pointer }, omit(base, name)),
  ];
}

function omitDependent(values: Values, schema: Schema, base: WireObject): Variant[] {
  return dependentRequiredOf(schema).map(({ name, needed, pointer }) => {
    const object = { [name]: makeAdditionalValue(values, schema), ...omit(base, needed) };
    const label = `dependentRequired, ${name} without ${needed}`;
    return createVariant(schema, { keyword: 'dependentRequired', label, pointer }, object);
  });
}

// Makes one property too few, unless a required one would be missing too, since each value breaks only one rule.
function omitToMinimum(schema: Schema, base: WireObject): Variant[] {
  const { min } = rangeOf(schema, 'Properties');
  if (min <= findRequiredNames(schema).size) return [];
  const object = Object.fromEntries(Object.entries(base).slice(0, min - 1));
  return [createVariant(schema, { keyword: 'minProperties', label: 'minProperties-1' }, object)];
}

function exceedMaximum(values: Values, schema: Schema, base: WireObject): Variant[] {
  const { max } = rangeOf(schema, 'Properties');
  if (max === Infinity || additionalOf(schema) === false) return [];
  const count = max + 1 - Object.keys(base).length;
  const object = { ...base, ...makeAdditionalMembers(values, schema, count) };
  return [createVariant(schema, { keyword: 'maxProperties', label: 'maxProperties+1' }, object)];
}

export function makeMatchingName(pattern: string): string {
  const [name] = sampleMatching(pattern, 1);
  return name ?? ADDITIONAL_NAME;
}
