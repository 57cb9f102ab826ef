import type { Place } from '../contract/flatten';
import type { Content, Operation } from '../contract/model';
import {
  additionalOf,
  choiceOf,
  itemsOf,
  patternsOf,
  requiredOf,
  ruleIds,
  rulesOf,
  sentProperties,
  sentRequired,
  typesOf,
  type Schema,
} from '../contract/schema';
import { includes, type Level } from '../level';
import { toText } from '../wire/json';
import { FORMATS } from '../values/formats';
import { pointerOf } from '../values/variant';

/** Which requests can test a rule: those that keep it, and those that break it. */
export interface Sides {
  readonly accepted: boolean;
  readonly refused: boolean;
}

const BOTH = { accepted: true, refused: true };
const ACCEPTED = { accepted: true, refused: false };
const REFUSED = { accepted: false, refused: true };

const TWO_SIDED = [
  ...['type', 'enum', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['pattern', 'maxLength', 'maxItems', 'not', 'oneOf', 'anyOf', 'maxProperties'],
];

/**
 * Lists every rule for requests to an operation, and its sides. It is independent of the generators of cases, so that
 * coverage can find their gaps.
 */
export function declaredRules({ body, parameters }: Operation, level: Level = 'strict'): Map<string, Sides> {
  const rules = new Map<string, Sides>();
  if (body) {
    rules.set(`${body.pointer} required`, body.isRequired ? REFUSED : ACCEPTED);
    for (const content of body.contents) {
      const { mediaType, kind, schema } = content;
      // OpenAPI does not forbid other media types, nor says which parameters match a declared type.
      const hasOthers = includes(level, 'robust') && !/;|^\*\/\*$/.test(mediaType);
      rules.set(`${body.pointer} ${mediaType}`, hasOthers ? BOTH : ACCEPTED);
      if (kind === 'json') addRules(rules, schema, false, new Set());
      else if (kind === 'multipart') addPartRules(rules, content, level);
      else if (kind !== 'bytes') addTextRules(rules, schema);
    }
  }
  for (const { in: place, pointer, isRequired, style, schema } of parameters) {
    if (place !== 'path') rules.set(`${pointer} required`, isRequired ? REFUSED : ACCEPTED);
    if (style === 'json') addRules(rules, schema, false, new Set());
    else addTextRules(rules, schema);
  }
  return rules;
}

// Only parts for which OpenAPI says how they are written.
function addPartRules(rules: Map<string, Sides>, { schema, parts }: Content, level: Level): void {
  for (const id of ruleIds(schema, 'type')) rules.set(id, ACCEPTED);
  const required = sentRequired(schema);
  for (const covers of required.values()) for (const id of covers) rules.set(id, BOTH);
  for (const [name, property] of sentProperties(schema)) {
    const part = parts.get(name);
    if (!part) continue;
    const at = pointerOf(property);
    if (!required.has(name)) rules.set(`${at} present`, ACCEPTED);
    if (!required.has(name) && (required.size > 0 || parts.size > 1)) rules.set(`${at} absent`, ACCEPTED);
    // Every number of parts is a valid list, so `type` cannot be broken.
    if (part.isList) for (const id of ruleIds(property, 'type')) rules.set(id, ACCEPTED);
    if (part.kind === 'json') addRules(rules, property, false, new Set());
    else if (part.kind === 'text') addTextRules(rules, property);
    else if (part.isList) addRules(rules, { ...property, places: property.places.map(withoutItems) }, false, new Set());
    if (part.kind === 'file' && part.types.length > 0)
      rules.set(`${part.pointer} contentType`, includes(level, 'robust') ? BOTH : ACCEPTED);
  }
}

// The content of files has no rules.
function withoutItems({ schema, ...place }: Place): Place {
  const rest = Object.entries(schema).filter(([keyword]) => keyword !== 'items');
  return { ...place, schema: Object.fromEntries(rest) };
}

// Any text is a valid string, so most rules of a text parameter cannot be broken.
function addTextRules(rules: Map<string, Sides>, schema: Schema): void {
  const own = new Map<string, Sides>();
  addRules(own, schema, false, new Set());
  const isText = ['string', 'array', 'object'].some((type) => typesOf(schema).has(type as 'string'));
  for (const [rule, sides] of own) {
    const isTwoSided = !isText || / (?:enum|pattern|maxLength|m..imum)$/.test(rule);
    // An object without members has no text.
    const isSeen = !rule.endsWith(' absent') || requiredOf(schema).size > 0;
    if (!rules.has(rule) && isSeen) rules.set(rule, isTwoSided ? sides : ACCEPTED);
  }
}

function addRules(rules: Map<string, Sides>, schema: Schema, isOptional: boolean, seen: Set<string>): void {
  const key = schema.places.map(({ pointer }) => pointer).join();
  if (seen.has(key)) return;
  seen.add(key);
  // A value that one branch of a choice refuses may match another branch.
  const add = (names: readonly string[], sides: Sides): void => {
    for (const name of names) if (!rules.has(name)) rules.set(name, isOptional ? ACCEPTED : sides);
  };
  add(ruleIds(schema, ...TWO_SIDED), BOTH);
  for (const keyword of ['minLength', 'minItems', 'minProperties']) {
    const isReal = rulesOf(schema, keyword).some(({ value }) => Number(value) > 0);
    add(ruleIds(schema, keyword), isReal ? BOTH : ACCEPTED);
  }
  for (const { value, place } of rulesOf(schema, 'format')) {
    const name = toText(value);
    if (name === 'int32' || name === 'int64')
      add([`${place.pointer} ${name} minimum`, `${place.pointer} ${name} maximum`], BOTH);
    else if (FORMATS[name]?.wrong.length) add([`${place.pointer} format`], BOTH);
  }
  // Requests have no readOnly properties.
  const properties = sentProperties(schema);
  const required = sentRequired(schema);
  for (const covers of required.values()) add(covers, BOTH);
  const additional = additionalOf(schema);
  if (additional === false) add(ruleIds(schema, 'additionalProperties'), BOTH);
  if (rulesOf(schema, 'uniqueItems').some(({ value }) => value === true)) add(ruleIds(schema, 'uniqueItems'), BOTH);
  for (const [name, property] of properties) {
    if (!required.has(name)) add([`${pointerOf(property)} present`, `${pointerOf(property)} absent`], ACCEPTED);
    addRules(rules, property, isOptional, seen);
  }
  const choice = choiceOf(schema);
  for (const branch of choice?.branches ?? []) addRules(rules, branch, true, seen);
  const below = [itemsOf(schema), additional, ...patternsOf(schema).map(([, property]) => property)];
  for (const child of below) if (typeof child === 'object') addRules(rules, child, isOptional, seen);
}
