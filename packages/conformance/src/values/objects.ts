// Makes valid and invalid objects for a schema.
import {
  additionalOf,
  dependentOf,
  namesOf,
  patternsOf,
  propertiesOf,
  pointersOf,
  sentProperties,
  sentRequired,
  type Schema,
} from '../contract/schema';
import { Members, type Wire, type WireObject } from '../wire/json';
import { samplesOf } from './strings';
import {
  ancestorsOfParts,
  createVariant,
  fits,
  isRecursive,
  makeOrElse,
  pointerOf,
  type Ancestors,
  type Values,
  type Variant,
} from './variant';
import {
  ADDITIONAL_NAME,
  badAdditional,
  CLOSING_KEYWORDS,
  goodAdditional,
  makeAdditional,
  makeAdditionalMembers,
  padToMinimum,
  countLimits,
} from './additional';

/** With all optional properties that can be made, or with none inside an object of the same schema: recursion ends. */
export function makeBaseObject(values: Values, schema: Schema, ancestors: Ancestors): Wire {
  // Requests have no readOnly properties.
  const required = requiredNames(schema);
  const isMinimal = isRecursive(schema, ancestors);
  const within = ancestorsOfParts(schema, ancestors);
  const names = namesOf(schema);
  const properties = [...sentProperties(schema)].filter(
    ([name]) => required.has(name) || (!isMinimal && (!names || fits(values, names, name))),
  );
  const members = properties.flatMap(([name, property]): [string, Wire][] => {
    const make = (): Wire => values.baseOf(property, within);
    // The object is also valid without an optional property: one that cannot be made is left out.
    const value = required.has(name) ? make() : makeOrElse(schema, make, undefined);
    return value === undefined ? [] : [[name, value]];
  });
  // `required` may list names that `properties` does not have.
  const present = members.map(([name]) => name);
  const undeclared = [...required, ...namesNeededBy(schema, present)].filter((name) => !propertiesOf(schema).has(name));
  const additional = undeclared.map((name): [string, Wire] => [name, makeAdditional(values, schema, ancestors)]);
  return padToMinimum(values, schema, Object.fromEntries([...members, ...additional]), ancestors);
}

// What is required, and what that needs by `dependentRequired`.
function requiredNames(schema: Schema): Set<string> {
  return namesNeededBy(schema, [...sentRequired(schema).keys()]);
}

function namesNeededBy(schema: Schema, names: readonly string[]): Set<string> {
  return follow(
    names,
    dependentOf(schema).map(({ name, needed }) => [name, needed]),
  );
}

function namesNeedingIt(schema: Schema, name: string): Set<string> {
  return follow(
    [name],
    dependentOf(schema).map((rule) => [rule.needed, rule.name]),
  );
}

// All names that these lead to, and they themselves.
function follow(names: readonly string[], pairs: readonly (readonly [from: string, to: string])[]): Set<string> {
  const found = new Set(names);
  // A set also has what is added to it meanwhile.
  for (const name of found) for (const [from, to] of pairs) if (from === name) found.add(to);
  return found;
}

export function goodObjects(values: Values, schema: Schema, ancestors: Ancestors): Variant[] {
  const base = makeBaseObject(values, schema, ancestors) as WireObject;
  if (isRecursive(schema, ancestors))
    return [createVariant(schema, { keyword: 'value', label: 'as small as it can be' }, base)];
  const within = ancestorsOfParts(schema, ancestors);
  const makeValues = (property: Schema): Variant[] => values.goodValues(property, within);
  const required = sentRequired(schema);
  const optional = [...sentProperties(schema)].filter(([name]) => !required.has(name) && Object.hasOwn(base, name));
  const [pointer] = [
    ...required.values(),
    ...optional.map(([, property]) => pointerOf(property)),
    ...pointersOf(schema, ...CLOSING_KEYWORDS, 'minProperties', 'maxProperties', 'dependentRequired', 'propertyNames'),
  ];
  const everyProperty = createVariant(schema, { keyword: 'value', label: 'every property', pointer }, base);
  return [
    everyProperty,
    ...withoutOptional(schema, base, optional),
    ...withEachProperty(schema, base, makeValues),
    ...goodAdditional(values, schema, base, ancestors),
    ...withNames(values, schema, base, (names) => values.goodValues(names, within)),
  ];
}

// With each name as that of an additional property.
function withNames(
  values: Values,
  schema: Schema,
  base: WireObject,
  makeNames: (names: Schema) => readonly Variant[],
): Variant[] {
  const names = namesOf(schema);
  if (!names || additionalOf(schema) === false) return [];
  return makeNames(names).flatMap(({ label, value }) =>
    typeof value === 'string' && !Object.hasOwn(base, value)
      ? [
          createVariant(
            schema,
            { keyword: 'propertyNames', label: `propertyNames, ${label}` },
            new Members([...Object.entries(base), [value, makeAdditional(values, schema, [])]]),
          ),
        ]
      : [],
  );
}

// Without all optional properties, and without each of them, if the others are enough.
function withoutOptional(
  schema: Schema,
  base: WireObject,
  optional: readonly (readonly [name: string, Schema])[],
): Variant[] {
  const { minProperties, maxProperties } = countLimits(schema);
  const hasAllowedCount = (object: WireObject): boolean =>
    Object.keys(object).length >= minProperties && Object.keys(object).length <= maxProperties;
  // What needs a property by `dependentRequired` goes with it.
  const withoutOne = (name: string): WireObject =>
    [...namesNeedingIt(schema, name)].reduce((object, each) => withoutProperty(object, each), base);
  const smallest = optional.reduce((object, [name]) => withoutProperty(object, name), base);
  return [
    ...(optional.length > 0 && hasAllowedCount(smallest)
      ? [createVariant(schema, { keyword: 'value', label: 'no optional property' }, smallest)]
      : []),
    ...optional
      .filter(([name]) => hasAllowedCount(withoutOne(name)))
      .map(([name, property]) =>
        createVariant(
          schema,
          { keyword: 'optional', label: `without ${name}`, pointer: pointerOf(property) },
          withoutOne(name),
        ),
      ),
  ];
}

// The object with each value of each property; `makeValues` makes all valid, or all invalid values.
function withEachProperty(
  schema: Schema,
  base: WireObject,
  makeValues: (property: Schema) => readonly Variant[],
): Variant[] {
  const byName = [...sentProperties(schema)].flatMap(([name, property]) =>
    makeValues(property).map((member) => ({ ...member, value: { ...base, [name]: member.value } })),
  );
  const byPattern = patternsOf(schema).flatMap(([pattern, property]) =>
    makeValues(property).map((member) => ({
      ...member,
      label: `named by pattern, ${member.label}`,
      value: { ...base, [makeMatchingName(pattern)]: member.value },
    })),
  );
  return [...byName, ...byPattern];
}

/** Empty for an object inside another of the same schema: the outer one is tested. */
export function badObjects(values: Values, schema: Schema, ancestors: Ancestors): Variant[] {
  if (isRecursive(schema, ancestors)) return [];
  const within = ancestorsOfParts(schema, ancestors);
  const base = makeBaseObject(values, schema, ancestors) as WireObject;
  return [
    ...breakObject(values, schema, base, ancestors),
    ...withoutNeeded(values, schema, base, ancestors),
    ...withNames(values, schema, base, (names) => values.badValues(names, within)),
    ...badAdditional(values, schema, base, ancestors),
    ...withTooFew(schema, base),
    ...withTooMany(values, schema, base, ancestors),
  ];
}

/** The object without each required property, and with each invalid value of each property. */
export function breakObject(values: Values, schema: Schema, base: WireObject, ancestors: Ancestors): Variant[] {
  const within = ancestorsOfParts(schema, ancestors);
  return [
    ...[...sentRequired(schema)].flatMap(([name, pointer]) => withoutRequired(schema, base, name, pointer)),
    ...withEachProperty(schema, base, (property) => values.badValues(property, within)),
  ];
}

// Lenient servers accept two of the three: with the property in the prototype only, and with its name in another case.
// Members is an object as a list, which can have the name __proto__.
function withoutRequired(schema: Schema, base: WireObject, name: string, pointer: string): Variant[] {
  const others = Object.entries(withoutProperty(base, name));
  const value = base[name] ?? null;
  const inPrototype = new Members([...others, ['__proto__', { [name]: value }]]);
  const inOtherCase = new Members([...others, [changeCase(name), value]]);
  const create = (label: string, object: Wire): Variant =>
    createVariant(schema, { keyword: 'required', label: `required, ${label}`, pointer }, object);
  return [
    create(`without ${name}`, Object.fromEntries(others)),
    create(`${name} only in __proto__`, inPrototype),
    create(`${name} in another case`, inOtherCase),
  ];
}

// With a property, and without one that it needs.
function withoutNeeded(values: Values, schema: Schema, base: WireObject, ancestors: Ancestors): Variant[] {
  return dependentOf(schema).map(({ name, needed, pointer }) => {
    const object = { [name]: makeAdditional(values, schema, ancestors), ...withoutProperty(base, needed) };
    const label = `dependentRequired, ${name} without ${needed}`;
    return createVariant(schema, { keyword: 'dependentRequired', label, pointer }, object);
  });
}

// Not where a required property would be missing, too.
function withTooFew(schema: Schema, base: WireObject): Variant[] {
  const { minProperties } = countLimits(schema);
  if (minProperties <= requiredNames(schema).size) return [];
  const object = Object.fromEntries(Object.entries(base).slice(0, minProperties - 1));
  return [createVariant(schema, { keyword: 'minProperties', label: 'minProperties-1' }, object)];
}

function withTooMany(values: Values, schema: Schema, base: WireObject, ancestors: Ancestors): Variant[] {
  const { maxProperties } = countLimits(schema);
  if (maxProperties === Infinity || additionalOf(schema) === false) return [];
  const count = maxProperties + 1 - Object.keys(base).length;
  const object = { ...base, ...makeAdditionalMembers(values, schema, count, ancestors) };
  return [createVariant(schema, { keyword: 'maxProperties', label: 'maxProperties+1' }, object)];
}

function withoutProperty(object: WireObject, name: string): WireObject {
  return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name));
}

function changeCase(name: string): string {
  return name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
}

// A name that matches a pattern; any other one where no text can be made for the pattern.
function makeMatchingName(pattern: string): string {
  const [name] = samplesOf(pattern, 1);
  return name ?? ADDITIONAL_NAME;
}
