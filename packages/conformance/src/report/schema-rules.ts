// Lists the rules that a schema has for values in requests: sent as JSON, or as text.
import {
  additionalOf,
  choiceOf,
  itemOf,
  patternsOf,
  prefixLengthOf,
  requiredOf,
  ruleIds,
  rulesOf,
  sentProperties,
  sentRequired,
  typesOf,
  type Schema,
} from '../contract/schema';
import { toText } from '../wire/json';
import { FORMATS } from '../values/formats';
import { pointerOf } from '../values/variant';

/** Which requests can test a rule: those that keep it and must be accepted, those that break it and must be refused. */
export interface Sides {
  readonly accepted: boolean;
  readonly refused: boolean;
}

/** By the name of a rule: its JSON pointer and keyword, such as `#/components/schemas/Plant maxLength`. */
export type Rules = Map<string, Sides>;

export const KEPT_AND_BROKEN: Sides = { accepted: true, refused: true };
export const KEPT_ONLY: Sides = { accepted: true, refused: false };
export const BROKEN_ONLY: Sides = { accepted: false, refused: true };

const BREAKABLE_KEYWORDS = [
  ...['type', 'enum', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['pattern', 'maxLength', 'maxItems', 'not', 'oneOf', 'anyOf', 'maxProperties'],
  ...['dependentRequired', 'propertyNames', 'maxContains'],
];

// The only rules that a text can break if the schema allows strings, arrays or objects.
const BREAKABLE_BY_TEXT = / (?:enum|pattern|maxLength|minimum|maximum)$/;

export function addJsonRules(rules: Rules, schema: Schema): void {
  addRulesBelow(rules, schema, false, new Set());
}

/** Adds the rules for values that are sent as text: parameters, forms and text bodies. Text can break fewer of them. */
export function addTextRules(rules: Rules, schema: Schema): void {
  const asJson: Rules = new Map();
  addJsonRules(asJson, schema);
  // Any text is a valid string, and a list or object is written as text, too: then no text has a wrong type.
  const acceptsAnyText = (['string', 'array', 'object'] as const).some((type) => typesOf(schema).has(type));
  for (const [rule, sides] of asJson) {
    const isBreakable = !acceptsAnyText || BREAKABLE_BY_TEXT.test(rule);
    // Without required properties, the object may be empty, and an empty object cannot be written as text.
    const isTestable = !rule.endsWith(' absent') || requiredOf(schema).size > 0;
    if (!rules.has(rule) && isTestable) rules.set(rule, isBreakable ? sides : KEPT_ONLY);
  }
}

// In a branch of `oneOf` or `anyOf` (`isInBranch`), rules can only be kept: a value that breaks one may still match
// another branch. A schema that contains itself ends at `visited`.
function addRulesBelow(rules: Rules, schema: Schema, isInBranch: boolean, visited: Set<string>): void {
  const key = schema.places.map(({ pointer }) => pointer).join();
  if (visited.has(key)) return;
  visited.add(key);
  const add = (names: readonly string[], sides: Sides): void => {
    for (const name of names) if (!rules.has(name)) rules.set(name, isInBranch ? KEPT_ONLY : sides);
  };
  addOwnRules(add, schema);
  const required = sentRequired(schema);
  for (const [name, property] of sentProperties(schema)) {
    if (!required.has(name)) add([`${pointerOf(property)} present`, `${pointerOf(property)} absent`], KEPT_ONLY);
    addRulesBelow(rules, property, isInBranch, visited);
  }
  for (const branch of choiceOf(schema)?.branches ?? []) addRulesBelow(rules, branch, true, visited);
  const items = Array.from({ length: prefixLengthOf(schema) + 1 }, (_unused, index) => itemOf(schema, index));
  const below = [...items, additionalOf(schema), ...patternsOf(schema).map(([, property]) => property)];
  for (const child of below) if (typeof child === 'object') addRulesBelow(rules, child, isInBranch, visited);
}

// Only rules for the value itself, not for its properties or items.
function addOwnRules(add: (names: readonly string[], sides: Sides) => void, schema: Schema): void {
  add(ruleIds(schema, ...BREAKABLE_KEYWORDS), KEPT_AND_BROKEN);
  for (const keyword of ['minLength', 'minItems', 'minProperties', 'minContains']) {
    // No value is shorter than 0.
    const isBreakable = rulesOf(schema, keyword).some(({ value }) => Number(value) > 0);
    add(ruleIds(schema, keyword), isBreakable ? KEPT_AND_BROKEN : KEPT_ONLY);
  }
  for (const { value, place } of rulesOf(schema, 'format')) {
    const format = toText(value);
    if (format === 'int32' || format === 'int64')
      add([`${place.pointer} ${format} minimum`, `${place.pointer} ${format} maximum`], KEPT_AND_BROKEN);
    // The suite has invalid values of some formats only.
    else if (FORMATS[format]?.wrong.length) add([`${place.pointer} format`], KEPT_AND_BROKEN);
  }
  for (const requiredRules of sentRequired(schema).values()) add(requiredRules, KEPT_AND_BROKEN);
  for (const keyword of ['additionalProperties', 'unevaluatedProperties', 'items', 'unevaluatedItems']) {
    const isClosed = rulesOf(schema, keyword).some(({ value }) => value === false);
    if (isClosed) add(ruleIds(schema, keyword), KEPT_AND_BROKEN);
  }
  const isUnique = rulesOf(schema, 'uniqueItems').some(({ value }) => value === true);
  if (isUnique) add(ruleIds(schema, 'uniqueItems'), KEPT_AND_BROKEN);
}
