import type { Operation } from '../contract/model';
import {
  additionalOf,
  choiceOf,
  itemsOf,
  patternsOf,
  propertiesOf,
  requiredOf,
  ruleIds,
  rulesOf,
  typesOf,
  type Schema,
} from '../contract/schema';
import { toText } from '../wire/json';
import { FORMATS } from '../values/formats';
import { pointerOf } from '../values/variant';

/** On which sides of a rule there are requests. */
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

/** Every rule for what a client sends to an operation, and the sides that it has. Made without the makers of cases. */
export function declaredRules({ body, parameters }: Operation): Map<string, Sides> {
  const rules = new Map<string, Sides>();
  if (body) {
    rules.set(`${body.pointer} required`, body.isRequired ? REFUSED : ACCEPTED);
    rules.set(`${body.pointer} ${body.mediaType}`, BOTH);
    addRules(rules, body.schema, false, new Set());
  }
  for (const parameter of parameters) {
    if (parameter.in !== 'path') rules.set(`${parameter.pointer} required`, parameter.isRequired ? REFUSED : ACCEPTED);
    const own = new Map<string, Sides>();
    addRules(own, parameter.schema, false, new Set());
    // Every text is a string, and of other types only some texts are none.
    const isText = ['string', 'array', 'object'].some((type) => typesOf(parameter.schema).has(type as 'string'));
    for (const [rule, sides] of own) {
      rules.set(rule, isText && !/ (?:enum|pattern|maxLength|m..imum)$/.test(rule) ? ACCEPTED : sides);
    }
  }
  return rules;
}

function addRules(rules: Map<string, Sides>, schema: Schema, isOptional: boolean, seen: Set<string>): void {
  const key = schema.places.map(({ pointer }) => pointer).join();
  if (seen.has(key)) return;
  seen.add(key);
  // Inside a choice, what one branch refuses another may take.
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
    else if (FORMATS[name]?.bad.length) add([`${place.pointer} format`], BOTH);
  }
  const required = requiredOf(schema);
  for (const covers of required.values()) add(covers, BOTH);
  const additional = additionalOf(schema);
  if (additional === false) add(ruleIds(schema, 'additionalProperties'), BOTH);
  if (rulesOf(schema, 'uniqueItems').some(({ value }) => value === true)) add(ruleIds(schema, 'uniqueItems'), BOTH);
  for (const [name, property] of propertiesOf(schema)) {
    if (!required.has(name)) add([`${pointerOf(property)} present`, `${pointerOf(property)} absent`], ACCEPTED);
    addRules(rules, property, isOptional, seen);
  }
  const choice = choiceOf(schema);
  for (const branch of choice?.branches ?? []) addRules(rules, branch, true, seen);
  const below = [itemsOf(schema), additional, ...patternsOf(schema).map(([, property]) => property)];
  for (const child of below) if (typeof child === 'object') addRules(rules, child, isOptional, seen);
}
