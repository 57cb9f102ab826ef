// Lists the rules that a contract declares for the requests to an operation.
import type { Place } from '../contract/flatten';
import type { Content, Operation, Parameter } from '../contract/model';
import { ruleIds, sentProperties, sentRequired } from '../contract/schema';
import { includes, type Level } from '../level';
import { pointerOf } from '../values/variant';
import {
  addJsonRules,
  addTextRules,
  BROKEN_ONLY,
  KEPT_AND_BROKEN,
  KEPT_ONLY,
  type Rules,
  type Sides,
} from './schema-rules';

// A media type with parameters, or any media type.
const UNREFUSABLE_MEDIA_TYPE = /;|^\*\/\*$/;

/**
 * Lists every rule for requests, and whether cases of a level can test it by keeping it, by breaking it, or both. It is
 * independent of the generators of cases, so that coverage can find their gaps.
 */
export function declaredRules({ body, parameters }: Operation, level: Level = 'strict'): Rules {
  const rules: Rules = new Map();
  if (body) {
    rules.set(`${body.pointer} required`, requiredSides(body));
    for (const content of body.contents) addContentRules(rules, body.pointer, content, level);
  }
  for (const parameter of parameters) {
    // A path without a path parameter is another path.
    if (parameter.in !== 'path') rules.set(`${parameter.pointer} required`, requiredSides(parameter));
    if (parameter.style === 'json') addJsonRules(rules, parameter.schema);
    else addTextRules(rules, parameter.schema);
  }
  return rules;
}

// If it is required, only requests without it test the rule, since all others keep it; if not, they must be accepted.
function requiredSides({ isRequired }: Pick<Parameter, 'isRequired'>): Sides {
  return isRequired ? BROKEN_ONLY : KEPT_ONLY;
}

function addContentRules(rules: Rules, bodyPointer: string, content: Content, level: Level): void {
  const { mediaType, kind, schema } = content;
  // OpenAPI does not forbid undeclared media types, so only `robust` and `strict` send them; nor does it say which
  // parameters, such as `charset`, match a declared type.
  const isRefusable = includes(level, 'robust') && !UNREFUSABLE_MEDIA_TYPE.test(mediaType);
  rules.set(`${bodyPointer} ${mediaType}`, isRefusable ? KEPT_AND_BROKEN : KEPT_ONLY);
  if (kind === 'json') addJsonRules(rules, schema);
  else if (kind === 'multipart') addPartRules(rules, content, level);
  // Any bytes are a valid body of bytes.
  else if (kind !== 'bytes') addTextRules(rules, schema);
}

// `parts` lacks properties for which OpenAPI does not say how they are written: no case tests those.
function addPartRules(rules: Rules, { schema, parts }: Content, level: Level): void {
  // Every form is an object, so `type` cannot be broken.
  for (const id of ruleIds(schema, 'type')) rules.set(id, KEPT_ONLY);
  const required = sentRequired(schema);
  for (const requiredRules of required.values()) for (const id of requiredRules) rules.set(id, KEPT_AND_BROKEN);
  for (const [name, property] of sentProperties(schema)) {
    const part = parts.get(name);
    if (!part) continue;
    if (!required.has(name)) {
      rules.set(`${pointerOf(property)} present`, KEPT_ONLY);
      // A form must keep one part at least.
      if (required.size > 0 || parts.size > 1) rules.set(`${pointerOf(property)} absent`, KEPT_ONLY);
    }
    // Every number of parts is a valid list, so `type` cannot be broken.
    if (part.isList) for (const id of ruleIds(property, 'type')) rules.set(id, KEPT_ONLY);
    if (part.kind === 'json') addJsonRules(rules, property);
    else if (part.kind === 'text') addTextRules(rules, property);
    // A list of files has rules for its length; any bytes are a valid file, so the items have none.
    else if (part.isList) addJsonRules(rules, { ...property, places: property.places.map(withoutItemsKeyword) });
    // As with bodies, only `robust` and `strict` send a file of an undeclared media type.
    if (part.kind === 'file' && part.types.length > 0)
      rules.set(`${part.pointer} contentType`, includes(level, 'robust') ? KEPT_AND_BROKEN : KEPT_ONLY);
  }
}

function withoutItemsKeyword({ schema, ...place }: Place): Place {
  const otherKeywords = Object.entries(schema).filter(([keyword]) => keyword !== 'items');
  return { ...place, schema: Object.fromEntries(otherKeywords) };
}
