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

/**
 * Makes one valid array: of minItems items, or of one where minItems allows an empty array. It stays empty when an item
 * would contain the array's schema again, or no item can be made.
 */
export function makeBaseArray(values: Values, schema: Schema, ancestors: Ancestors): Wire {
  const { minItems, maxItems } = lengthLimits(schema);
  const canHaveOne = minItems === 0 && maxItems !== 0 && !isRecursive(schema, ancestors);
  if (!canHaveOne) return makeItems(values, schema, minItems, ancestors);
  return makeOrElse(schema, () => makeItems(values, schema, 1, ancestors), []);
}

/**
 * Makes valid arrays, each with the rules that it tests: of the shortest and the longest length, and for each valid
 * item an array that begins with it.
 */
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

/**
 * Makes invalid arrays, each with the rule that it breaks: too short, too long, with an invalid item, or with equal
 * items.
 */
export function badArrays(values: Values, schema: Schema, ancestors: Ancestors): Variant[] {
  const { minItems, maxItems } = lengthLimits(schema);
  const makeBase = (): Wire[] => makeItems(values, schema, Math.max(minItems, 1), ancestors);
  // A valid array with at least one item, which invalid items replace; empty when no item is allowed or can be made.
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

/** Makes an array with one item less than minItems. */
function makeTooShort(values: Values, schema: Schema, ancestors: Ancestors): Variant {
  return createVariant(
    schema,
    { keyword: 'minItems', label: 'minItems-1' },
    makeItems(values, schema, lengthLimits(schema).minItems - 1, ancestors),
    ruleIds(schema, 'minItems'),
  );
}

/** Makes an array with one item more than maxItems: always the same item, or null when none could be made. */
function makeTooLong(schema: Schema, maxItems: number, item: Wire = null): Variant {
  return createVariant(
    schema,
    { keyword: 'maxItems', label: 'maxItems+1' },
    Array.from({ length: maxItems + 1 }, () => item),
    ruleIds(schema, 'maxItems'),
  );
}

/** Repeats the first item of a valid array at its end, if uniqueItems forbids that; else an empty list. */
function repeatFirstItem(schema: Schema, validArray: readonly Wire[]): Variant[] {
  const [first] = validArray;
  if (first === undefined || !requiresUniqueItems(schema)) return [];
  const description = { keyword: 'uniqueItems', label: 'uniqueItems, one twice' };
  return [createVariant(schema, description, [...validArray, first], ruleIds(schema, 'uniqueItems'))];
}

/**
 * Makes an array of valid items: all the same, or all different if uniqueItems requires it.
 *
 * @throws Untriable when not enough items are found
 */
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

/**
 * Finds valid items that differ as JSON: those made from the item schema, then counted ones, 0, 'text0', 'a', 1,
 * 'text1', 'aa' and so on. They may be fewer or more than `count`.
 */
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

/** For each item, the valid array with that item in first place, and the label and rules of the item. */
function replaceFirstItem(validArray: readonly Wire[], items: readonly Variant[]): Variant[] {
  return items.map((item) => ({ ...item, value: [item.value, ...validArray.slice(1)] }));
}

function requiresUniqueItems(schema: Schema): boolean {
  return rulesOf(schema, 'uniqueItems').some(({ value }) => value === true);
}

/** The strictest minItems and maxItems of all schema objects that apply; maxItems is undefined without a limit. */
function lengthLimits(schema: Schema): { readonly minItems: number; readonly maxItems: number | undefined } {
  const limitsOf = (keyword: string): number[] => rulesOf(schema, keyword).map(({ value }) => Number(value));
  const upperLimits = limitsOf('maxItems');
  return {
    minItems: Math.max(0, ...limitsOf('minItems')),
    maxItems: upperLimits.length > 0 ? Math.min(...upperLimits) : undefined,
  };
}
