// Makes valid and invalid arrays for a schema.
import { itemsOf, ruleIds, rulesOf, type Schema } from '../contract/schema';
import { Untriable } from '../contract/untried';
import { toJson, writeJson, type Wire } from '../wire/json';
import {
  addTestedRules,
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

/** Makes minItems items, or one if that is 0; none then where the schema is recursive, or no item can be made. */
export function makeBaseArray(values: Values, schema: Schema, ancestors: Ancestors): Wire {
  const { minItems, maxItems } = lengthLimits(schema);
  const canHaveOne = minItems === 0 && maxItems !== 0 && !isRecursive(schema, ancestors);
  if (!canHaveOne) return makeItems(values, schema, minItems, ancestors);
  return makeOrElse(schema, () => makeItems(values, schema, 1, ancestors), []);
}

/** Makes arrays of the shortest and longest length, and for each valid item an array that begins with it. */
export function goodArrays(values: Values, schema: Schema, ancestors: Ancestors): Variant[] {
  const { minItems, maxItems } = lengthLimits(schema);
  const shortest = createVariant(
    schema,
    { keyword: 'minItems', label: `minItems (${String(minItems)})` },
    makeItems(values, schema, minItems, ancestors),
    ruleIds(schema, 'minItems'),
  );
  const makeLongest = (length: number): Variant[] => [
    createVariant(
      schema,
      { keyword: 'maxItems', label: `maxItems (${String(length)})` },
      makeItems(values, schema, length, ancestors),
      ruleIds(schema, 'maxItems', 'uniqueItems'),
    ),
  ];
  const longest = maxItems === undefined ? [] : makeOrElse(schema, () => makeLongest(maxItems), []);
  const itemSchema = itemsOf(schema);
  if (!itemSchema || isRecursive(schema, ancestors) || maxItems === 0) return [shortest, ...longest];
  // At least one item, for each valid item to replace it.
  const baseArray = makeOrElse(schema, () => makeItems(values, schema, Math.max(minItems, 1), ancestors), []);
  const items = values.goodValues(itemSchema, ancestorsOfParts(schema, ancestors));
  const byItem = replaceFirstItem(baseArray, items);
  return [
    shortest,
    ...longest,
    ...(requiresUniqueItems(schema) ? addTestedRules(byItem, ruleIds(schema, 'uniqueItems')) : byItem),
  ];
}

/** Makes arrays that are too short or too long, or have an invalid item or equal items. */
export function badArrays(values: Values, schema: Schema, ancestors: Ancestors): Variant[] {
  const { minItems, maxItems } = lengthLimits(schema);
  const makeBase = (): Wire[] => makeItems(values, schema, Math.max(minItems, 1), ancestors);
  // Empty when no item is allowed or can be made.
  const baseArray = maxItems === 0 ? [] : makeOrElse(schema, makeBase, []);
  const wrongLengths = [
    ...(minItems > 0 ? [makeTooShort(values, schema, ancestors)] : []),
    ...(maxItems === undefined ? [] : [makeTooLong(schema, maxItems, baseArray[0])]),
  ];
  const itemSchema = itemsOf(schema);
  if (!itemSchema || isRecursive(schema, ancestors) || maxItems === 0) return wrongLengths;
  const items = values.badValues(itemSchema, ancestorsOfParts(schema, ancestors));
  return [...wrongLengths, ...replaceFirstItem(baseArray, items), ...repeatFirstItem(schema, baseArray)];
}

function makeTooShort(values: Values, schema: Schema, ancestors: Ancestors): Variant {
  return createVariant(
    schema,
    { keyword: 'minItems', label: 'minItems-1' },
    makeItems(values, schema, lengthLimits(schema).minItems - 1, ancestors),
    ruleIds(schema, 'minItems'),
  );
}

// `item` is null when none could be made.
function makeTooLong(schema: Schema, maxItems: number, item: Wire = null): Variant {
  return createVariant(
    schema,
    { keyword: 'maxItems', label: 'maxItems+1' },
    Array.from({ length: maxItems + 1 }, () => item),
    ruleIds(schema, 'maxItems'),
  );
}

function repeatFirstItem(schema: Schema, validArray: readonly Wire[]): Variant[] {
  const [first] = validArray;
  if (first === undefined || !requiresUniqueItems(schema)) return [];
  const description = { keyword: 'uniqueItems', label: 'uniqueItems, one twice' };
  return [createVariant(schema, description, [...validArray, first], ruleIds(schema, 'uniqueItems'))];
}

/** @throws Untriable when not enough different items are found */
function makeItems(values: Values, schema: Schema, length: number, ancestors: Ancestors): Wire[] {
  if (length === 0) return [];
  const itemSchema = itemsOf(schema);
  const itemAncestors = ancestorsOfParts(schema, ancestors);
  const item = itemSchema ? values.baseOf(itemSchema, itemAncestors) : 'text';
  if (!requiresUniqueItems(schema)) return Array.from({ length }, () => item);
  const different = findDifferentItems(values, itemSchema, length, itemAncestors);
  if (different.length < length)
    throw new Untriable('lists that not so many different items were found for', pointerOf(schema));
  return different.slice(0, length);
}

// Valid items that differ as JSON: those of the schema, then 0, 'text0', 'a', 1, 'text1', 'aa' and so on; maybe fewer
// or more than `count`.
function findDifferentItems(
  values: Values,
  itemSchema: Schema | undefined,
  count: number,
  ancestors: Ancestors,
): Wire[] {
  const variants = itemSchema ? values.goodValues(itemSchema, ancestors) : [];
  // Another spelling of a number is the same item.
  const known = variants.filter(({ keyword }) => keyword !== 'spelling').map(({ value }) => value);
  // More than needed: some may be invalid, or equal to known ones.
  const counted = Array.from({ length: 2 * count }, (_unused, index): Wire[] => [
    BigInt(index),
    `text${String(index)}`,
    'a'.repeat(index + 1),
  ]).flat();
  const valid = [...known, ...counted.filter((value) => !itemSchema || fits(values, itemSchema, value))];
  const byJson = new Map(valid.map((value) => [writeJson(toJson(value)), value]));
  return [...byJson.values()];
}

// Each array has the label and rules of its item.
function replaceFirstItem(validArray: readonly Wire[], items: readonly Variant[]): Variant[] {
  return items.map((item) => ({ ...item, value: [item.value, ...validArray.slice(1)] }));
}

function requiresUniqueItems(schema: Schema): boolean {
  return rulesOf(schema, 'uniqueItems').some(({ value }) => value === true);
}

// The strictest limits of all schema objects that apply.
function lengthLimits(schema: Schema): { readonly minItems: number; readonly maxItems: number | undefined } {
  const limitsOf = (keyword: string): number[] => rulesOf(schema, keyword).map(({ value }) => Number(value));
  const upperLimits = limitsOf('maxItems');
  return {
    minItems: Math.max(0, ...limitsOf('minItems')),
    maxItems: upperLimits.length > 0 ? Math.min(...upperLimits) : undefined,
  };
}
