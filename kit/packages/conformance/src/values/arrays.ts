import {
  hasRule,
  childOf,
  forbidsItem,
  isRecursive,
  itemOf,
  prefixLengthOf,
  pointersOf,
  rangeOf,
  rulesOf,
  schemaKey,
  type Schema,
} from '../contract/schema';
import { attempt } from '../contract/skipped';
import { toJson, writeJson, type Wire } from '../wire/json';
import { createVariant, fits, nest, pointerOf, throwSkipped, type Values, type Variant } from './variant';

/**
 * Makes the items that `prefixItems`, `contains` and `minItems` need, but at least one. If `minItems` is 0, the array
 * is empty for a recursive schema or if no item can be made.
 */
export function makeBaseArray(values: Values, schema: Schema): Wire {
  const { min: minItems } = lengthRangeOf(schema);
  if (minItems === 0 && isRecursive(schema)) return [];
  const make = (): Wire => makeTypicalItems(values, schema);
  return minItems > 0 ? make() : schema.contract.skipped.attempt(make, []);
}

/** Makes the shortest and the longest array, and one array for each valid item. */
export function makeValidArrays(values: Values, schema: Schema): Variant[] {
  const { min: minItems, max: maxItems } = lengthRangeOf(schema);
  const makeOfLength = (keyword: string, length: number, pointer?: string): Variant[] => {
    const description = { keyword, label: `${keyword} (${String(length)})`, pointer };
    return [createVariant(schema, description, makeItems(values, schema, length))];
  };
  // If `contains` requires more items, the shortest array cannot be made, which `createContainsArrays` reports.
  const makeShortest = (): Variant[] => makeOfLength('minItems', minItems);
  const shortestArrays = childOf(schema, 'contains') ? attempt(makeShortest, () => []) : makeShortest();
  const makeLongest = (): Variant[] =>
    makeOfLength(
      'maxItems',
      maxItems,
      pointersOf(schema, 'maxItems', 'uniqueItems', ...keywordsForbiddingItems(schema))[0],
    );
  const longestArrays = maxItems === Infinity ? [] : schema.contract.skipped.attempt(makeLongest, []);
  if (maxItems === 0) return [...shortestArrays, ...longestArrays];
  const base = schema.contract.skipped.attempt(() => makeTypicalItems(values, schema), []);
  const itemVariants = replaceItems(schema, base, values.inner.validValues);
  return [
    ...shortestArrays,
    ...longestArrays,
    ...createShorterTuples(values, schema, base),
    ...createPair(values, schema),
    ...itemVariants,
    ...createContainsArrays(values, schema, true),
  ];
}

export function makeInvalidArrays(values: Values, schema: Schema): Variant[] {
  const { min: minItems, max: maxItems } = lengthRangeOf(schema);
  const base = maxItems === 0 ? [] : schema.contract.skipped.attempt(() => makeTypicalItems(values, schema), []);
  const wrongLengths = [
    ...(minItems > 0 ? makeTooShort(values, schema, base) : []),
    ...(maxItems === Infinity ? [] : makeTooLong(schema, base)),
  ];
  if (maxItems === 0) return wrongLengths;
  const itemVariants = replaceItems(schema, base, values.inner.invalidValues);
  return [
    ...wrongLengths,
    ...itemVariants,
    ...repeatFirstItem(schema, base),
    ...createContainsArrays(values, schema, false),
  ];
}

function makeTooShort(values: Values, schema: Schema, base: readonly Wire[]): Variant[] {
  const length = lengthRangeOf(schema).min - 1;
  const make = (): Wire[] => makeItems(values, schema, length);
  const items = childOf(schema, 'contains') ? attempt(make, () => base.slice(0, length)) : make();
  return [createVariant(schema, { keyword: 'minItems', label: 'minItems-1' }, items)];
}

// Makes one item more than `maxItems` or the tuple allows, with null if no item could be made.
function makeTooLong(schema: Schema, base: readonly Wire[]): Variant[] {
  const { max: maxItems } = lengthRangeOf(schema);
  const [item = null] = base;
  const isClosed = maxItems === maxTupleLength(schema);
  const [keyword = 'maxItems'] = isClosed ? keywordsForbiddingItems(schema) : [];
  return [
    createVariant(
      schema,
      { keyword, label: isClosed ? 'one item more than the tuple allows' : 'maxItems+1' },
      Array.from({ length: maxItems + 1 }, (_unused, index) => (isClosed ? (base[index] ?? item) : item)),
    ),
  ];
}

function repeatFirstItem(schema: Schema, validArray: readonly Wire[]): Variant[] {
  const [first] = validArray;
  if (first === undefined || !requiresUniqueItems(schema)) return [];
  return [
    createVariant(schema, { keyword: 'uniqueItems', label: 'uniqueItems, one item twice' }, [...validArray, first]),
  ];
}

// Makes two different items, since servers may lose one of them or change their order.
function createPair(values: Values, schema: Schema): Variant[] {
  const item = itemOf(schema, 0);
  const pair = item && !isRecursive(item) ? findDifferentItems(values, item, 2).slice(0, 2) : [];
  const variant = createVariant(schema, { keyword: 'items', label: 'two different items' }, pair);
  return pair.length === 2 && fits(values, schema, pair) ? [variant] : [];
}

// JSON Schema Core, 10.3.1.1: an array shorter than its `prefixItems` is valid.
function createShorterTuples(values: Values, schema: Schema, base: readonly Wire[]): Variant[] {
  const length = Math.min(prefixLengthOf(schema), base.length) - 1;
  if (length <= lengthRangeOf(schema).min) return [];
  const description = { keyword: 'prefixItems', label: 'prefixItems, one item less', pointer: pointerOf(schema) };
  const variant = createVariant(schema, description, base.slice(0, length));
  return fits(values, schema, variant.value) ? [variant] : [];
}

// Makes the fewest and the most matches that `contains` allows or, unless `areValid`, one fewer and one more.
function createContainsArrays(values: Values, schema: Schema, areValid: boolean): Variant[] {
  if (!childOf(schema, 'contains')) return [];
  const { min: least, max: most } = matchingRangeOf(schema);
  const step = areValid ? 0 : 1;
  const create = (keyword: string, matches: number): Variant[] => {
    const { min: minItems, max: maxItems } = lengthRangeOf(schema);
    // Matching items follow `prefixItems` if there is room. An array without matches gets one item that does not match.
    const length = Math.max(minItems, Math.min(maxItems, Math.max(prefixLengthOf(schema) + matches, 1)), matches);
    const label = `${keyword}, ${String(matches)} matching`;
    const make = (): Variant[] => [
      createVariant(schema, { keyword, label }, makeItems(values, schema, length, matches)),
    ];
    return schema.contract.skipped.attempt(make, []);
  };
  const minKeyword = rulesOf(schema, 'minContains').length > 0 ? 'minContains' : 'contains';
  return [
    ...(least - step >= 0 ? create(minKeyword, least - step) : []),
    ...(most === Infinity ? [] : create('maxContains', most + step)),
  ];
}

function makeTypicalItems(values: Values, schema: Schema): Wire[] {
  const { min: minItems, max: maxItems } = lengthRangeOf(schema);
  const prefixLength = prefixLengthOf(schema);
  const usualLength = Math.min(maxItems, Math.max(minItems, prefixLength + (itemOf(schema, prefixLength) ? 1 : 0), 1));
  const requiredMatchCount = childOf(schema, 'contains') ? matchingRangeOf(schema).min : 0;
  const make = (length: number): Wire[] => makeItems(values, schema, length);
  if (requiredMatchCount === 0) return make(usualLength);
  // An item of the prefix may match already. Otherwise, the array needs more items.
  const longerLength = Math.min(maxItems, Math.max(minItems, prefixLength + requiredMatchCount));
  return attempt(
    () => make(Math.max(usualLength, requiredMatchCount)),
    () => make(longerLength),
  );
}

/** `matches` is the number of items that match `contains`. Throws a SkippedError if too few items are found. */
function makeItems(values: Values, schema: Schema, length: number, matches?: number): Wire[] {
  const containsSchema = childOf(schema, 'contains');
  const { min: least, max: most } = matchingRangeOf(schema);
  const matchCount = containsSchema ? (matches ?? Math.min(least, length)) : 0;
  const isExact = matches !== undefined || most < Infinity;
  const usedItems = new Set<string>();
  const candidates = new Map<string, readonly Wire[]>();
  return Array.from({ length }, (_unused, index) => {
    const itemSchema = itemOf(schema, index);
    const mustMatch = containsSchema !== undefined && index >= length - matchCount;
    const item = mustMatch ? mergeItem(itemSchema, containsSchema) : itemSchema;
    const key = item ? schemaKey(item) : '';
    const availableItems = candidates.get(key) ?? findItems(values, schema, item, length);
    candidates.set(key, availableItems);
    const matchesContains = (value: Wire): boolean =>
      containsSchema !== undefined && fits(values, containsSchema, value);
    const chosenItem = availableItems.find(
      (value) => !usedItems.has(writeJson(toJson(value))) && (mustMatch || !isExact || !matchesContains(value)),
    );
    if (chosenItem === undefined) throwSkipped(schema, 'arrays that need more different items than were found');
    if (requiresUniqueItems(schema)) usedItems.add(writeJson(toJson(chosenItem)));
    return chosenItem;
  });
}

function mergeItem(item: Schema | undefined, containsSchema: Schema): Schema {
  return item ? { ...item, schemaObjects: [...item.schemaObjects, ...containsSchema.schemaObjects] } : containsSchema;
}

function findItems(values: Values, schema: Schema, item: Schema | undefined, length: number): readonly Wire[] {
  const isOneItemEnough = !requiresUniqueItems(schema) && !childOf(schema, 'contains');
  if (isOneItemEnough) return [item ? values.baseOf(item) : 'text'];
  const differentItems = findDifferentItems(values, item, length);
  return item && !requiresUniqueItems(schema) ? [values.baseOf(item), ...differentItems] : differentItems;
}

// Returns at least `count` items if possible: the schema's own, then 0, 'text0', 'a', 1, 'text1', 'aa' and so on.
function findDifferentItems(values: Values, itemSchema: Schema | undefined, count: number): Wire[] {
  const variants = itemSchema ? values.outermost.validValues(itemSchema) : [];
  // A number in another spelling is the same item.
  const itemsOfSchema = variants.filter(({ keyword }) => keyword !== 'spelling').map(({ value }) => value);
  // Makes more than `count`, since some may be invalid or equal to other items.
  const generatedItems = Array.from({ length: 2 * count }, (_unused, index): Wire[] => [
    BigInt(index),
    `text${String(index)}`,
    'a'.repeat(index + 1),
  ]).flat();
  const otherItems = [...generatedItems, null, true, {}];
  const validItems = [
    ...itemsOfSchema,
    ...otherItems.filter((value) => !itemSchema || fits(values, itemSchema, value)),
  ];
  const itemsByJson = new Map(validItems.map((value) => [writeJson(toJson(value)), value]));
  return [...itemsByJson.values()];
}

// Makes copies of an array with one item replaced, in the prefix or just after it.
function replaceItems(
  schema: Schema,
  validArray: readonly Wire[],
  makeValues: (item: Schema) => readonly Variant[],
): Variant[] {
  const prefixLength = prefixLengthOf(schema);
  return validArray.slice(0, prefixLength + 1).flatMap((_item, index) => {
    const itemSchema = itemOf(schema, index);
    const label = (text: string): string => (prefixLength === 0 ? text : `item ${String(index)}, ${text}`);
    return itemSchema
      ? makeValues(itemSchema).map((item) => nest(item, validArray.with(index, item.value), label(item.label)))
      : [];
  });
}

function requiresUniqueItems(schema: Schema): boolean {
  return hasRule(schema, 'uniqueItems', true);
}

function keywordsForbiddingItems(schema: Schema): string[] {
  return ['items', 'unevaluatedItems'].filter((keyword) => hasRule(schema, keyword, false));
}

function maxTupleLength(schema: Schema): number | undefined {
  const lengths = Array.from({ length: prefixLengthOf(schema) + 1 }, (_unused, index) => index);
  return lengths.find((index) => forbidsItem(schema, index));
}

// A closed tuple also limits the length.
function lengthRangeOf(schema: Schema): ReturnType<typeof rangeOf> {
  const { min, max } = rangeOf(schema, 'Items');
  return { min, max: Math.min(max, maxTupleLength(schema) ?? Infinity) };
}

// `contains` requires one match unless `minContains` says otherwise.
function matchingRangeOf(schema: Schema): ReturnType<typeof rangeOf> {
  const { min, max } = rangeOf(schema, 'Contains');
  return { min: rulesOf(schema, 'minContains').length > 0 ? min : 1, max };
}
