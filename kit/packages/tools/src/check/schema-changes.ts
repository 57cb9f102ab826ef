// Finds values that are sent by one version of a schema, but not accepted by another.
import { collectInPlaceSchemas, type DocumentError, type NormalizedSchema as Schema } from '@contract-kit/contract';
import { type Direction, isUnion, SchemaAlgebra, toKey } from './schema-algebra';
import {
  allowsNothing,
  expand,
  implies,
  isNarrower,
  isSame,
  isText,
  isTighter,
  itemIn,
  type Limit,
  limitIn,
  mayBe,
  namesIn,
  type Notation,
  type Part,
  type Parts,
  pick,
  propertyIn,
  getOrCreate,
  requiredIn,
  rulesIn,
  satisfies,
  schemasIn,
  formatLimit,
  formatValues,
  sizeFor,
  toParts,
  typesIn,
  valuesIn,
  subtract,
} from './schema-rules';

/** A location in a document. */
export type Place = Pick<DocumentError, 'node' | 'key'>;

/** A change after which one side sends a value that the other does not accept. */
export interface SchemaChange {
  readonly rule: string;
  /** The path inside the value, such as `address/street`. */
  readonly path: string;
  readonly message: string;
  /** Whether some value is certain to be refused; if false, this cannot be told from the schemas. */
  readonly isCertain: boolean;
  readonly sent: Place | undefined;
  readonly accepted: Place | undefined;
}

export type CompareSchemas = (sent: Schema, accepted: Schema, notation?: Notation) => SchemaChange[];

/** The schemas of both sides for one value, and the state of the comparison. */
interface Pair {
  readonly sent: Parts;
  readonly accepted: Parts;
  readonly path: string;
  readonly notation: Notation;
  /** Whether to assume that an object can have names that it does not declare. */
  readonly countsAllNames: boolean;
  /** The keys of compared pairs, which end the recursion in recursive schemas. */
  readonly compared: Set<string>;
  readonly isNewSender: boolean;
  readonly algebra: SchemaAlgebra;
  readonly verdicts: Map<string, Verdict>;
  /** The keys of pairs that are assumed to be accepted, newest last. */
  readonly trusted: string[];
  /** Whether the changes inside alternatives are listed; a verdict does not need them. */
  readonly isListed: boolean;
}

type Verdict = 'accepted' | 'refused' | 'unknown';

type CompareKeyword = (pair: Pair, keyword: string) => Iterable<SchemaChange>;
/** Yields a verdict for each rule that the keyword states, or the changes that explain it. */
type Judge = (pair: Pair, part: Part, keyword: string) => Iterable<Verdict | SchemaChange>;

// The comparison for each keyword, grouped by the type that it applies to. `items` includes prefixItems.
const KEYWORDS: readonly (readonly [type: string | undefined, Readonly<Record<string, CompareKeyword>>])[] = [
  ['integer', { minimum: compareLimits, maximum: compareLimits, multipleOf: compareRules }],
  ['string', { minLength: compareLimits, maxLength: compareLimits, pattern: compareRules, format: compareRules }],
  ['array', { minItems: compareLimits, maxItems: compareLimits, uniqueItems: compareRules }],
  ['object', { minProperties: compareLimits, maxProperties: compareLimits, required: compareRequired }],
  [undefined, { anyOf: judgedBy(judgeUnion), oneOf: judgedBy(judgeUnion), not: judgedBy(judgeNot) }],
  [undefined, { if: judgedBy(judgeIf, 'then', 'else') }],
  [undefined, { dependentRequired: judgedBy(judgeDependents), dependentSchemas: judgedBy(judgeDependents) }],
  [undefined, { contains: judgedBy(judgeContains, 'minContains', 'maxContains'), propertyNames: judgedBy(judgeNames) }],
  ['object', { properties: compareProperties, patternProperties: comparePatterns }],
  ['object', { additionalProperties: compareAdditional }],
  ['array', { items: compareItems }],
];

const PROPERTY_NOTATIONS = { json: 'json', form: 'field', field: 'json', text: 'text' } as const;
const ITEM_NOTATIONS = { json: 'json', form: 'json', field: 'field', text: 'text' } as const;

/** Creates a comparison of schemas, which caches its results. */
export function createSchemaComparison(direction: Direction): CompareSchemas {
  const { sender, receiver, isNewSender } = direction;
  const state = {
    isNewSender,
    algebra: new SchemaAlgebra(direction),
    verdicts: new Map<string, Verdict>(),
    trusted: [],
    isListed: true,
  };
  const cache = new Map<string, SchemaChange[]>();
  return (sentSchema, acceptedSchema, notation = 'json') => {
    const [sent, accepted] = [toParts(sender, [sentSchema]), toParts(receiver, [acceptedSchema])];
    const pair = { ...state, sent, accepted, path: '', notation, countsAllNames: false, compared: new Set<string>() };
    const compareOnce = (): SchemaChange[] => {
      const groups = Map.groupBy(compare(pair), ({ path, message }) => path + message);
      return [...groups.values()].flatMap((same) => same.find(({ isCertain }) => isCertain) ?? same.slice(0, 1));
    };
    return getOrCreate(cache, keyOf(pair), compareOnce);
  };
}

function* compare(unexpandedPair: Pair): Generator<SchemaChange> {
  const pair = { ...unexpandedPair, sent: expand(unexpandedPair.sent), accepted: expand(unexpandedPair.accepted) };
  const { sent, accepted, compared, isNewSender, algebra } = pair;
  const key = keyOf(pair);
  if (compared.has(key) || sent.some(allowsNothing)) return;
  compared.add(key);
  if (accepted.every((part) => sent.some((sentPart) => isSame(sentPart, part)))) return;
  const falsePart = accepted.find(allowsNothing);
  if (falsePart) {
    yield toChange(pair, falsePart.never?.key ?? 'not', isNewSender ? 'was added' : 'is no longer accepted');
    return;
  }
  for (const chosenParts of algebra.chooseAlternatives(sent)) {
    // It is unknown what a union that was not split allows.
    const isSplit = !algebra.isExhausted || !chosenParts.some(isUnion);
    for (const change of compareValues({ ...pair, sent: chosenParts }))
      yield { ...change, isCertain: change.isCertain && isSplit };
  }
}

function keyOf({ sent, accepted, notation, countsAllNames }: Pair): string {
  return [toKey(sent), toKey(accepted), notation, countsAllNames].join(' ');
}

function* compareValues(pair: Pair): Generator<SchemaChange> {
  const { sent, accepted, notation } = pair;
  const [sentTypes, types] = [typesIn(sent, notation), typesIn(accepted, notation)];
  const [sentValues, values] = [valuesIn(sent, notation), valuesIn(accepted, notation)];
  if (sentTypes?.size === 0 || sentValues?.size === 0) return;
  if (isNarrower(sentTypes, types)) {
    // In a parameter, the text of a single value is also a list of one item.
    if (isText(notation) && types?.has('array') && sentTypes && !sentTypes.has('array') && !sentTypes.has('object')) {
      const list = { type: 'array', minItems: 1, maxItems: 1, items: { allOf: sent.map(({ schema }) => schema) } };
      yield* compareValues({ ...pair, sent: [pair.algebra.toPart(list, `list of ${toKey(sent)}`)] });
      return;
    }
    yield toValueChange(pair, 'type', [formatValues(typesIn(sent)), formatValues(typesIn(accepted))]);
    if (sentTypes && ![...sentTypes].some((type) => types?.has(type))) return;
  }
  if (isNarrower(sentValues, values)) {
    yield toValueChange(pair, 'enum', [formatValues(sentValues), formatValues(values)]);
    return;
  }
  const applies = (type: string): boolean => mayBe(accepted, type) && (isText(notation) || mayBe(sent, type));
  for (const [type, keywords] of KEYWORDS)
    if (type === undefined || applies(type))
      for (const [keyword, compareKeyword] of Object.entries(keywords)) yield* compareKeyword(pair, keyword);
}

function toChange({ sent, accepted, path }: Pair, rule: string, message: string, isCertain = true): SchemaChange {
  return { rule, path, message, isCertain, sent: placeOf(sent, rule), accepted: placeOf(accepted, rule) };
}

function placeOf(parts: Parts, keyword: string): Place | undefined {
  const part = parts.find(({ schema, never }) => never?.key === keyword || keyword in schema) ?? parts[0];
  return part?.never ?? (part && { node: part.schema, key: keyword in part.schema ? keyword : undefined });
}

function toValueChange(pair: Pair, keyword: string, [sent, accepted]: readonly [string, string]): SchemaChange {
  const [before, after] = pair.isNewSender ? [accepted, sent] : [sent, accepted];
  return toChange(pair, keyword, `${keyword} ${before} -> ${after}`);
}

function* toVerdictChange(pair: Pair, keyword: string, verdict: Verdict): Generator<SchemaChange> {
  if (verdict === 'accepted') return;
  const isCertain = verdict === 'refused' && !pair.algebra.isExhausted;
  const [verb, amount] = pair.isNewSender ? ['allow', 'more'] : ['accept', 'fewer'];
  yield toChange(pair, keyword, `${keyword} ${isCertain ? `${verb}s` : `may ${verb}`} ${amount} values`, isCertain);
}

function judgePair(pair: Pair): Verdict {
  const { verdicts, trusted } = pair;
  const key = keyOf(pair);
  const cachedVerdict = verdicts.get(key);
  if (cachedVerdict) return cachedVerdict;
  if (pair.algebra.isExhausted) return 'unknown';
  // A pair is assumed to be accepted while it is compared, which ends the recursion in recursive schemas.
  verdicts.set(key, 'accepted');
  const start = trusted.push(key);
  let verdict: Verdict = 'accepted';
  for (const { isCertain } of compare({ ...pair, compared: new Set(), isListed: false })) {
    verdict = isCertain ? 'refused' : 'unknown';
    if (isCertain) break;
  }
  // The assumption was wrong, so drop the verdicts that relied on it.
  if (verdict !== 'accepted') for (const assumedKey of trusted.splice(start - 1)) verdicts.delete(assumedKey);
  verdicts.set(key, verdict);
  return verdict;
}

function worstOf(verdicts: readonly Verdict[]): Verdict {
  return (['refused', 'unknown'] as const).find((verdict) => verdicts.includes(verdict)) ?? 'accepted';
}

function* compareLimits(pair: Pair, keyword: string): Generator<SchemaChange> {
  const { sent, accepted, notation } = pair;
  const isInteger = !mayBe(sent, 'fraction', notation);
  const acceptedLimit = limitIn(accepted, keyword, isInteger);
  if (!acceptedLimit) return;
  const sentLimit = limitIn(sent, keyword, isInteger) ?? limitByMembers(sent, keyword);
  const sizes = listSentValues(pair)?.map((value) => sizeFor(keyword, value, isText(notation)));
  const limits = sizes?.flatMap((value) => (value === undefined ? [] : { value, isExclusive: false })) ?? [sentLimit];
  if (limits.some((limit) => isTighter(keyword, acceptedLimit, limit)))
    yield toValueChange(pair, keyword, [formatLimit(sentLimit), formatLimit(acceptedLimit)]);
}

// Finds the limit that other keywords, such as `required`, set for the number of members.
function limitByMembers(sent: Parts, keyword: string): Limit | undefined {
  const value = {
    minProperties: requiredIn(sent).size,
    maxProperties: additionalIn(sent) ? Infinity : namesIn(sent).size,
    maxItems: itemIn(sent).some(allowsNothing) ? prefixLength(sent) : Infinity,
  }[keyword];
  return value === undefined || value === 0 || value === Infinity ? undefined : { value, isExclusive: false };
}

function prefixLength(parts: Parts): number {
  return Math.max(0, ...parts.map(({ schema }) => schema.prefixItems?.length ?? 0));
}

function listSentValues({ sent, notation }: Pair): unknown[] | undefined {
  const values = valuesIn(sent, notation);
  return values && [...values].map((json) => JSON.parse(json) as unknown);
}

function* compareRules(pair: Pair, keyword: string): Generator<SchemaChange> {
  const { sent, accepted, notation } = pair;
  const [sentRules, acceptedRules] = [rulesIn(sent, keyword), rulesIn(accepted, keyword)];
  const knownRules = keyword === 'multipleOf' && !mayBe(sent, 'fraction', notation) ? [...sentRules, '1'] : sentRules;
  // A list of at most one item has no duplicates.
  if (keyword === 'uniqueItems' && countIn(sent, 'maxItems', Infinity) <= 1) return;
  const unmetRules = acceptedRules.filter((rule) => !knownRules.some((sentRule) => implies(keyword, sentRule, rule)));
  const values = listSentValues(pair);
  const answers = unmetRules.flatMap((rule) => values?.map((value) => satisfies(keyword, rule, value)) ?? [undefined]);
  if (answers.every((answer) => answer === true)) return;
  // It is unknown whether strings that match one pattern or format match another.
  const hasTextRules = ['pattern', 'format'].some((name) => name !== keyword && rulesIn(sent, name).length > 0);
  const isNumber = isText(notation) && !mayBe(sent, 'string');
  const isUnknown =
    values ??
    (isNumber || (/^[pf]/.test(keyword) && (hasTextRules || (keyword === 'pattern' && sentRules.length > 0))));
  const change = toValueChange(pair, keyword, [formatValues(sentRules), formatValues(acceptedRules)]);
  yield { ...change, isCertain: answers.includes(false) || !isUnknown };
}

function countIn(parts: Parts, keyword: string, otherwise: number): number {
  return Number(limitIn(parts, keyword, true)?.value ?? otherwise);
}

function* compareRequired(pair: Pair): Generator<SchemaChange> {
  const { sent, accepted, isNewSender, algebra } = pair;
  const excludedNames = algebra.excludedIn(sent);
  const requiredNames = subtract(requiredIn(accepted), algebra.excludedIn(accepted));
  for (const name of subtract(requiredNames, subtract(requiredIn(sent), excludedNames))) {
    const isKept = !excludedNames.has(name) && namesIn(sent).has(name);
    const change = isNewSender ? (isKept ? 'is now optional' : 'was removed') : 'is now required';
    yield toChange(pair, 'required', `${name} ${change}`);
  }
}

// Checks the keyword in each accepting schema, unless a sending schema has the same value for it and its siblings.
function judgedBy(judgeKeyword: Judge, ...siblings: readonly string[]): CompareKeyword {
  return function* compareJudged(pair, keyword) {
    const countsAllNames = pair.countsAllNames || judgeKeyword !== judgeUnion;
    const pickOwn = (part: Part): Part => pick(part, [keyword, ...siblings]);
    for (const part of pair.accepted) {
      if (!(keyword in part.schema) || pair.sent.some((sentPart) => isSame(pickOwn(sentPart), pickOwn(part)))) continue;
      for (const verdict of judgeKeyword({ ...pair, countsAllNames }, pickOwn(part), keyword))
        if (typeof verdict === 'string') yield* toVerdictChange(pair, keyword, verdict);
        else yield verdict;
    }
  };
}

function* judgeUnion(pair: Pair, part: Part, keyword: string): Generator<Verdict | SchemaChange> {
  const { sent, notation, algebra, isListed } = pair;
  const alternatives = schemasIn([part], keyword);
  const overallVerdict = judgeAlternatives(pair, alternatives, keyword);
  const atoms = overallVerdict === 'accepted' ? [] : algebra.listAtoms(sent, notation);
  // One alternative may accept strings, and another null.
  for (const one of atoms.length > 1 ? atoms.map((atom) => ({ ...pair, sent: [...sent, atom] })) : [pair]) {
    const verdict = one === pair ? overallVerdict : judgeAlternatives(one, alternatives, keyword);
    const innerChanges = isListed ? [...listInnerChanges(one, alternatives)] : [];
    const isExplained = innerChanges.some(({ rule, isCertain }) =>
      verdict === 'unknown' ? rule !== 'properties' : verdict === 'refused' && isCertain,
    );
    for (const { isCertain, ...change } of innerChanges)
      if (isExplained || change.rule === 'properties')
        yield { ...change, isCertain: isCertain && verdict === 'refused' };
    if (!isExplained) yield verdict;
  }
}

// Lists the changes inside the only changed alternative that a sent value may match, or the only one of the same name.
function* listInnerChanges(pair: Pair, alternatives: Parts): Generator<SchemaChange> {
  const { sent, notation, algebra } = pair;
  const old = ['anyOf', 'oneOf'].flatMap((keyword) => schemasIn(sent, keyword));
  const candidates = alternatives.filter(
    (candidate) => !old.some((part) => isSame(part, candidate)) && !algebra.areDisjoint(sent, [candidate], notation),
  );
  const names = old.filter((part) => expand([part]).every((each) => sent.includes(each))).map(nameOf);
  const named = candidates.filter((part) => nameOf(part) !== undefined && names.includes(nameOf(part)));
  const [match, ...others] = candidates.length === 1 ? candidates : named;
  const path = [pair.path, match && nameOf(match)].filter(Boolean).join('/');
  if (match && others.length === 0) yield* compareValues({ ...pair, accepted: expand([match]), path });
}

function nameOf({ schema: { $ref, allOf } }: Part): string | undefined {
  return ($ref ?? allOf?.[0]?.$ref)?.replace(/^.*\//, '');
}

function judgeAlternatives(pair: Pair, alternatives: Parts, keyword: string): Verdict {
  const { sent, notation, algebra } = pair;
  const verdicts = alternatives.map((alternative) => judgePair({ ...pair, accepted: [alternative] }));
  const acceptedIndex = verdicts.indexOf('accepted');
  if (acceptedIndex >= 0 && keyword === 'anyOf') return 'accepted';
  const candidates = alternatives.filter(
    (alternative, index) => index !== acceptedIndex && !algebra.areDisjoint(sent, [alternative], notation),
  );
  if (acceptedIndex < 0) {
    // Several alternatives together may accept all values.
    const isDivided = candidates.length > 1 && !mayBe(sent, 'object');
    return verdicts.includes('unknown') || isDivided ? 'unknown' : 'refused';
  }
  if (candidates.length === 0) return 'accepted';
  const isAlsoAccepted = (alternative: Part): boolean =>
    verdicts[alternatives.indexOf(alternative)] === 'accepted' || covers(pair, [alternative]);
  return candidates.some(isAlsoAccepted) ? 'refused' : 'unknown';
}

// Whether the sender can send every value that matches a schema and has one of the sent types.
function covers(pair: Pair, parts: Parts): boolean {
  const { sent, algebra } = pair;
  const types = algebra.toPart({ allOf: sent.map((part) => pick(part, ['type', 'nullable']).schema) });
  return judgePair({ ...pair, sent: [...parts, types], accepted: sent }) === 'accepted';
}

function* judgeNot(pair: Pair, part: Part): Generator<Verdict> {
  const { sent, notation, algebra } = pair;
  for (const not of schemasIn([part], 'not')) {
    const isExcluded = schemasIn(sent, 'not').some((sentNot) => covers({ ...pair, sent: [sentNot] }, [not]));
    if (isExcluded || algebra.areDisjoint(sent, [not], notation)) continue;
    // A refusal is certain if the sender can send all its values of one type, or one of its listed values.
    const samples = [[not], ...algebra.listAtoms([not], notation).map((atom) => [not, atom])];
    const isCertain =
      samples.some((parts) => !algebra.areDisjoint(sent, parts, notation) && covers(pair, parts)) ||
      judgePair({ ...pair, accepted: [not] }) === 'accepted';
    yield isCertain ? 'refused' : 'unknown';
  }
}

function* judgeIf(pair: Pair, part: Part): Generator<Verdict> {
  for (const condition of schemasIn([part], 'if')) {
    const negatedCondition = pair.algebra.negate(condition);
    for (const consequence of schemasIn([part], 'then')) yield judgeCondition(pair, condition, consequence);
    for (const consequence of schemasIn([part], 'else')) yield judgeCondition(pair, negatedCondition, consequence);
  }
}

function* judgeDependents(pair: Pair, { schema, document }: Part): Generator<Verdict> {
  const { dependentRequired = {}, dependentSchemas = {} } = schema;
  const requires = (required: string[]): Part => pair.algebra.toPart({ type: 'object', required });
  for (const [name, names] of Object.entries(dependentRequired))
    yield judgeCondition(pair, requires([name]), requires([...names]));
  for (const [name, dependent] of Object.entries(dependentSchemas))
    for (const consequence of toParts(document, [dependent])) yield judgeCondition(pair, requires([name]), consequence);
}

function judgeCondition(pair: Pair, condition: Part, consequence: Part): Verdict {
  const { sent, notation, algebra } = pair;
  const isNever =
    algebra.areDisjoint(sent, [condition], notation) ||
    schemasIn([condition], 'not').some((not) => judgePair({ ...pair, accepted: [not] }) === 'accepted');
  return isNever ? 'accepted' : judgePair({ ...pair, sent: [...sent, condition], accepted: [consequence] });
}

function* judgeContains(pair: Pair, part: Part): Generator<Verdict> {
  const { sent, notation, algebra } = pair;
  if (!mayBe(sent, 'array')) return;
  const { minContains: min = 1, maxContains: max = Infinity } = part.schema;
  const partsWithContains = sent.filter((sentPart) => sentPart.schema.contains);
  const items = itemIn(sent, 0);
  for (const schema of schemasIn([part], 'contains')) {
    const matches = partsWithContains.filter((sentPart) =>
      schemasIn([sentPart], 'contains').every((candidate) => isSame(candidate, schema)),
    );
    const isEach = (): boolean =>
      countIn(sent, 'minItems', 0) >= min && judgePair({ ...pair, sent: items, accepted: [schema] }) === 'accepted';
    const hasEnough = min === 0 || matches.some(({ schema: { minContains = 1 } }) => minContains >= min) || isEach();
    const isWithinMaximum =
      max === Infinity ||
      matches.some(({ schema: { maxContains = Infinity } }) => maxContains <= max) ||
      algebra.areDisjoint(items, [schema], notation);
    if (!hasEnough || !isWithinMaximum) yield partsWithContains.length === matches.length ? 'refused' : 'unknown';
  }
}

function* judgeNames(pair: Pair, part: Part): Generator<Verdict> {
  const { sent, algebra } = pair;
  if (!mayBe(sent, 'object')) return;
  const declaredNames = subtract(namesIn(sent), algebra.excludedIn(sent));
  const others = additionalIn(sent) ? [[algebra.toPart({ type: 'string' }), ...schemasIn(sent, 'propertyNames')]] : [];
  const sentNames = [...[...declaredNames].map((name) => [algebra.toPart({ const: name })]), ...others];
  for (const names of schemasIn([part], 'propertyNames'))
    yield worstOf(sentNames.map((nameSchemas) => judgePair({ ...pair, sent: nameSchemas, accepted: [names] })));
}

function* compareProperties(pair: Pair): Generator<SchemaChange> {
  const { sent, accepted, countsAllNames, algebra, isNewSender, isListed } = pair;
  const inPlace = ({ document, schema }: Part): Parts => toParts(document, collectInPlaceSchemas(document, [schema]));
  for (const name of subtract([...namesIn(sent), ...namesIn(accepted)], algebra.excludedIn(accepted)))
    if (algebra.mayHave(sent, name, countsAllNames))
      yield* compareProperty(pair, name, propertyIn(sent, name), propertyIn(accepted, name));
    // A client may rely on an optional property that no alternative has any more.
    else if (isNewSender && isListed && algebra.mayHave(accepted, name, false) && !requiredIn(accepted).has(name))
      if (algebra.excludedIn(sent).has(name) || propertyIn(sent.flatMap(inPlace), name).every(allowsNothing))
        yield toChange(pair, 'properties', `${name} was removed`, false);
}

function* comparePatterns(pair: Pair): Generator<SchemaChange> {
  const { sent, accepted } = pair;
  const patterns = [...sent, ...accepted].flatMap(({ schema }) => Object.keys(schema.patternProperties ?? {}));
  for (const pattern of new Set(patterns)) {
    const [sentProperty, acceptedProperty] = [
      patternIn(sent, pattern) ?? additionalIn(sent),
      patternIn(accepted, pattern),
    ];
    if (sentProperty) yield* compareProperty(pair, pattern, sentProperty, acceptedProperty ?? propertyIn(accepted));
    else if (sent.some(({ schema }) => schema.patternProperties))
      yield* toVerdictChange(pair, 'patternProperties', 'unknown');
  }
}

function* compareAdditional(pair: Pair, keyword: string): Generator<SchemaChange> {
  const sentPropertyParts = additionalIn(pair.sent);
  if (sentPropertyParts) yield* compareProperty(pair, keyword, sentPropertyParts, propertyIn(pair.accepted));
}

// Returns the schemas of undeclared properties; undefined if these are not allowed.
function additionalIn(parts: Parts): Parts | undefined {
  const schemas = propertyIn(parts);
  return schemas.some(allowsNothing) ? undefined : schemas;
}

function patternIn(parts: Parts, pattern: string): Parts | undefined {
  const schemas = parts.flatMap(({ schema: { patternProperties: { [pattern]: schema } = {} }, document }) =>
    schema ? toParts(document, [schema]) : [],
  );
  return schemas.length > 0 ? schemas : undefined;
}

function* compareItems(pair: Pair): Generator<SchemaChange> {
  const { sent, accepted } = pair;
  const length = prefixLength([...sent, ...accepted]);
  const maxItems = countIn(sent, 'maxItems', Infinity);
  const notation = ITEM_NOTATIONS[pair.notation];
  for (let index = 0; index <= length && index < maxItems; index++) {
    const [name, position] = index === length ? ['items', Infinity] : [`prefixItems/${String(index)}`, index];
    const sentItemParts = itemIn(sent, position);
    // No item can follow a forbidden one.
    if (sentItemParts.some(allowsNothing)) return;
    yield* compareMember({ ...pair, notation }, name, sentItemParts, itemIn(accepted, position));
  }
}

function compareProperty(pair: Pair, name: string, sent: Parts, accepted: Parts): Generator<SchemaChange> {
  return compareMember({ ...pair, notation: PROPERTY_NOTATIONS[pair.notation] }, name, sent, accepted);
}

function compareMember(pair: Pair, name: string, sent: Parts, accepted: Parts): Generator<SchemaChange> {
  return compare({ ...pair, sent, accepted, path: pair.path === '' ? name : `${pair.path}/${name}` });
}
