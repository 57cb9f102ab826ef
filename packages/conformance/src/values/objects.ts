// Makes valid and invalid objects for a schema.
import {
  additionalOf,
  patternsOf,
  propertiesOf,
  ruleIds,
  rulesOf,
  sentProperties,
  sentRequired,
  type Schema,
} from '../contract/schema';
import type { LeftOpen } from '../left-open';
import { Members, type Wire, type WireObject } from '../wire/json';
import { samplesOf } from './strings';
import { pointerOf, createVariant, type Inside, type Values, type Variant } from './variant';

/** A key that equal schemas share. */
export function placesKey(schema: Schema): string {
  return schema.places.map(({ pointer }) => pointer).join();
}

/** Makes one valid object, with every optional property unless that would never end. */
export function makeBaseObject(values: Values, schema: Schema, inside: Inside): Wire {
  const required = sentRequired(schema);
  const isEndless = inside.includes(placesKey(schema));
  const within = [...inside, placesKey(schema)];
  const names = [...sentProperties(schema)].filter(([name]) => required.has(name) || !isEndless);
  const named: Record<string, Wire> = Object.fromEntries(
    names.flatMap(([name, property]) => {
      const make = (): Wire => values.baseOf(property, within);
      // The object is also valid without an optional property.
      const value = required.has(name) ? make() : schema.contract.untried.attempt(make, undefined);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const own = propertiesOf(schema);
  for (const name of required.keys()) if (!own.has(name)) named[name] = extraValue(values, schema, inside);
  return padToMinimum(values, schema, named, inside);
}

/** Makes valid objects: with and without optional properties, and with each valid value of each property. */
export function goodObjects(values: Values, schema: Schema, inside: Inside): Variant[] {
  const base = makeBaseObject(values, schema, inside) as WireObject;
  if (inside.includes(placesKey(schema)))
    return [createVariant(schema, { keyword: 'value', label: 'as small as it can be' }, base)];
  const within = [...inside, placesKey(schema)];
  const required = sentRequired(schema);
  const all = [...required.values()].flat();
  const properties = [...sentProperties(schema)];
  const optional = properties.filter(([name]) => !required.has(name) && name in base);
  const { least, most } = countsOf(schema);
  const isSmallEnough = (value: WireObject): boolean =>
    Object.keys(value).length >= least && Object.keys(value).length <= most;
  const without = (names: readonly string[]): WireObject =>
    Object.fromEntries(Object.entries(base).filter(([name]) => !names.includes(name)));
  const smallest = without(optional.map(([name]) => name));
  return [
    createVariant(schema, { keyword: 'value', label: 'every property' }, base, [
      ...all,
      ...optionalRuleIds(schema, optional),
      ...ruleIds(schema, 'minProperties', 'maxProperties'),
    ]),
    ...(optional.length > 0 && isSmallEnough(smallest)
      ? [createVariant(schema, { keyword: 'value', label: 'no optional property' }, smallest)]
      : []),
    ...optional
      .filter(([name]) => isSmallEnough(without([name])))
      .map(([name, property]) =>
        createVariant(schema, { keyword: 'optional', label: `without ${name}` }, without([name]), [
          `${pointerOf(property)} absent`,
        ]),
      ),
    ...properties.flatMap(([name, property]) =>
      values.goodValues(property, within).map((made) => ({ ...made, value: { ...base, [name]: made.value } })),
    ),
    ...patternsOf(schema).flatMap(([pattern, property]) =>
      values.goodValues(property, within).map((made) => ({
        ...made,
        label: `named by pattern, ${made.label}`,
        value: { ...base, [nameMatching(pattern)]: made.value },
      })),
    ),
    ...goodExtras(values, schema, base, inside),
  ];
}

/** Makes invalid objects: a property missing, with an invalid value, or too few or many of them. */
export function badObjects(values: Values, schema: Schema, inside: Inside): Variant[] {
  if (inside.includes(placesKey(schema))) return [];
  const within = [...inside, placesKey(schema)];
  const base = makeBaseObject(values, schema, inside) as WireObject;
  const additional = additionalOf(schema);
  const { least, most } = countsOf(schema);
  const entries = Object.entries(base);
  return [
    ...[...sentRequired(schema)].flatMap(([name, covers]) => {
      const rest = entries.filter(([other]) => other !== name);
      return [
        createVariant(
          schema,
          { keyword: 'required', label: `required, without ${name}` },
          Object.fromEntries(rest),
          covers,
        ),
        createVariant(
          schema,
          { keyword: 'required', label: `required, ${name} only in __proto__` },
          new Members([...rest, ['__proto__', { [name]: base[name] ?? null }]]),
          covers,
        ),
        createVariant(
          schema,
          { keyword: 'required', label: `required, ${name} in another case` },
          new Members([...rest, [changeCase(name), base[name] ?? null]]),
          covers,
        ),
      ];
    }),
    ...[...sentProperties(schema)].flatMap(([name, property]) =>
      values.badValues(property, within).map((made) => ({ ...made, value: { ...base, [name]: made.value } })),
    ),
    ...patternsOf(schema).flatMap(([pattern, property]) =>
      values.badValues(property, within).map((made) => ({
        ...made,
        label: `named by pattern, ${made.label}`,
        value: { ...base, [nameMatching(pattern)]: made.value },
      })),
    ),
    ...(additional === false
      ? [
          createVariant(
            schema,
            { keyword: 'additionalProperties', label: 'additionalProperties, one more' },
            { ...base, [EXTRA]: 1n },
            ruleIds(schema, 'additionalProperties'),
          ),
        ]
      : []),
    ...(typeof additional === 'object'
      ? values
          .badValues(additional, within)
          .map((made) => ({ ...made, label: `additional, ${made.label}`, value: { ...base, [EXTRA]: made.value } }))
      : []),
    ...(least > sentRequired(schema).size
      ? [
          createVariant(
            schema,
            { keyword: 'minProperties', label: 'minProperties-1' },
            Object.fromEntries(entries.slice(0, least - 1)),
            ruleIds(schema, 'minProperties'),
          ),
        ]
      : []),
    ...(most < Infinity && additional !== false
      ? [
          createVariant(
            schema,
            { keyword: 'maxProperties', label: 'maxProperties+1' },
            {
              ...base,
              ...Object.fromEntries(
                Array.from({ length: most + 1 - entries.length }, (_unused, index) => [
                  `${EXTRA}${String(index)}`,
                  extraValue(values, schema, inside),
                ]),
              ),
            },
            ruleIds(schema, 'maxProperties'),
          ),
        ]
      : []),
  ];
}

/** The name of an additional property. */
export const EXTRA = 'another';

/** The names of additional properties in cases. */
export const UNLISTED_NAMES: ReadonlySet<string> = new Set([
  ...[EXTRA, '', '__proto__', 'constructor', 'toString', '\u{1f331}'],
]);

/** Objects with more than is named, where the contract leaves that open. */
function goodExtras(values: Values, schema: Schema, base: WireObject, inside: Inside): Variant[] {
  const additional = additionalOf(schema);
  if (additional === false || Object.keys(base).length >= countsOf(schema).most) return [];
  const entries = Object.entries(base);
  if (typeof additional === 'object') {
    return values.goodValues(additional, [...inside, placesKey(schema)]).map((made) => ({
      ...made,
      label: `additional, ${made.label}`,
      value: { ...base, [EXTRA]: made.value },
      covers: [...made.covers, ...ruleIds(schema, 'additionalProperties')],
    }));
  }
  const free: readonly (readonly [string, Wire, LeftOpen?])[] = [
    [EXTRA, { deep: [null, 1.5, {}] }],
    ['', 'an empty name'],
    ['__proto__', { [EXTRA]: true }, 'RFC 8259 9'],
    ['constructor', { prototype: null }, 'RFC 8259 9'],
    ['toString', 1n],
    ['\u{1f331}', 'an astral name'],
  ];
  return free.map(([name, value, leftOpen]) =>
    createVariant(
      schema,
      { keyword: 'extra', label: `a property more, ${JSON.stringify(name)}`, leftOpen },
      new Members([...entries, [name, value]]),
    ),
  );
}

function extraValue(values: Values, schema: Schema, inside: Inside): Wire {
  const additional = additionalOf(schema);
  return typeof additional === 'object' ? values.baseOf(additional, inside) : 'text';
}

function padToMinimum(
  values: Values,
  schema: Schema,
  named: Readonly<Record<string, Wire>>,
  inside: Inside,
): WireObject {
  const missing = Math.max(0, countsOf(schema).least - Object.keys(named).length);
  const more = Array.from({ length: missing }, (_unused, index): [string, Wire] => [
    `${EXTRA}${String(index)}`,
    extraValue(values, schema, inside),
  ]);
  return { ...named, ...Object.fromEntries(more) };
}

function optionalRuleIds(schema: Schema, optional: readonly (readonly [string, Schema])[]): string[] {
  return [
    ...optional.map(([, property]) => `${pointerOf(property)} present`),
    ...ruleIds(schema, 'additionalProperties'),
  ];
}

function countsOf(schema: Schema): { readonly least: number; readonly most: number } {
  return {
    least: Math.max(0, ...rulesOf(schema, 'minProperties').map(({ value }) => Number(value))),
    most: Math.min(Infinity, ...rulesOf(schema, 'maxProperties').map(({ value }) => Number(value))),
  };
}

function changeCase(name: string): string {
  return name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
}

function nameMatching(pattern: string): string {
  const [name] = samplesOf(pattern, 1);
  return name ?? EXTRA;
}
