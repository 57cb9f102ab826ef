// Makes valid and invalid arrays for a schema.
import { itemsOf, ruleIds, rulesOf, type Schema } from '../contract/schema';
import { Untriable } from '../contract/untried';
import { toJson, writeJson, type Wire } from '../wire/json';
import { placesKey } from './objects';
import { fits, pointerOf, createVariant, type Inside, type Values, type Variant } from './variant';

/** Makes one valid array; empty when an item would contain the schema itself. */
export function makeBaseArray(values: Values, schema: Schema, inside: Inside): Wire {
  const { least, most } = countsOf(schema);
  if (inside.includes(placesKey(schema)) || least > 0 || most === 0) return makeItems(values, schema, least, inside);
  return schema.contract.untried.attempt(() => makeItems(values, schema, 1, inside), []);
}

/** Makes valid arrays: of the shortest and the longest length, and with each valid item. */
export function goodArrays(values: Values, schema: Schema, inside: Inside): Variant[] {
  const { untried } = schema.contract;
  const { least, most } = countsOf(schema);
  const lengths = [
    createVariant(
      schema,
      { keyword: 'minItems', label: `minItems (${String(least)})` },
      makeItems(values, schema, least, inside),
      ruleIds(schema, 'minItems'),
    ),
    ...untried.attempt(
      () =>
        most === undefined
          ? []
          : [
              createVariant(
                schema,
                { keyword: 'maxItems', label: `maxItems (${String(most)})` },
                makeItems(values, schema, most, inside),
                ruleIds(schema, 'maxItems', 'uniqueItems'),
              ),
            ],
      [],
    ),
  ];
  const items = itemsOf(schema);
  if (!items || inside.includes(placesKey(schema)) || most === 0) return lengths;
  const within = [...inside, placesKey(schema)];
  const full = untried.attempt(() => makeItems(values, schema, Math.max(least, 1), inside), []);
  const each = values.goodValues(items, within).map((item) => ({ ...item, value: replaceFirst(full, item.value) }));
  const isUnique = rulesOf(schema, 'uniqueItems').some(({ value }) => value === true);
  return [
    ...lengths,
    ...(isUnique
      ? each.map((made) => ({ ...made, covers: [...made.covers, ...ruleIds(schema, 'uniqueItems')] }))
      : each),
  ];
}

/** Makes invalid arrays: too short, too long, with an invalid item, or with equal items. */
export function badArrays(values: Values, schema: Schema, inside: Inside): Variant[] {
  const { least, most } = countsOf(schema);
  const make = (): Wire[] => makeItems(values, schema, Math.max(least, 1), inside);
  const full = most === 0 ? [] : schema.contract.untried.attempt(make, []);
  const lengths = [
    ...(least > 0
      ? [
          createVariant(
            schema,
            { keyword: 'minItems', label: 'minItems-1' },
            makeItems(values, schema, least - 1, inside),
            ruleIds(schema, 'minItems'),
          ),
        ]
      : []),
    ...(most === undefined
      ? []
      : [
          createVariant(
            schema,
            { keyword: 'maxItems', label: 'maxItems+1' },
            Array.from({ length: most + 1 }, () => full[0] ?? null),
            ruleIds(schema, 'maxItems'),
          ),
        ]),
  ];
  const items = itemsOf(schema);
  if (!items || inside.includes(placesKey(schema)) || most === 0) return lengths;
  const within = [...inside, placesKey(schema)];
  const each = values.badValues(items, within).map((item) => ({ ...item, value: replaceFirst(full, item.value) }));
  const [first] = full;
  const isUnique = rulesOf(schema, 'uniqueItems').some(({ value }) => value === true);
  const twice =
    isUnique && full.length > 0
      ? [
          createVariant(
            schema,
            { keyword: 'uniqueItems', label: 'uniqueItems, one twice' },
            [...full, first ?? null],
            ruleIds(schema, 'uniqueItems'),
          ),
        ]
      : [];
  return [...lengths, ...each, ...twice];
}

// Makes items, all different if uniqueItems requires it.
function makeItems(values: Values, schema: Schema, length: number, inside: Inside): Wire[] {
  if (length === 0) return [];
  const items = itemsOf(schema);
  const within = [...inside, placesKey(schema)];
  const base = items ? values.baseOf(items, within) : 'text';
  const isUnique = rulesOf(schema, 'uniqueItems').some(({ value }) => value === true);
  if (!isUnique) return Array.from({ length }, () => base);
  const made = items ? values.goodValues(items, within).filter(({ keyword }) => keyword !== 'spelling') : [];
  const counted = Array.from({ length: 2 * length }, (_unused, index): Wire[] => [
    BigInt(index),
    `text${String(index)}`,
    'a'.repeat(index + 1),
  ]);
  const all = [
    ...made.map(({ value }) => value),
    ...counted.flat().filter((value) => !items || fits(values, items, value)),
  ];
  const different = [...new Map(all.map((value) => [writeJson(toJson(value)), value])).values()];
  if (different.length < length)
    throw new Untriable('lists that not so many different items were found for', pointerOf(schema));
  return different.slice(0, length);
}

function replaceFirst(list: readonly Wire[], item: Wire): Wire[] {
  return [item, ...list.slice(1)];
}

function countsOf(schema: Schema): { readonly least: number; readonly most: number | undefined } {
  const mosts = rulesOf(schema, 'maxItems').map(({ value }) => Number(value));
  return {
    least: Math.max(0, ...rulesOf(schema, 'minItems').map(({ value }) => Number(value))),
    most: mosts.length > 0 ? Math.min(...mosts) : undefined,
  };
}
