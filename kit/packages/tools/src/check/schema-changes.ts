// Finds what one version of a schema sends and another does not accept.
import {
  type AccessMode,
  type NormalizedDocument as Document,
  collectInPlaceSchemas,
  exactValueOf,
  findExcludedProperties,
  type NormalizedSchema as Schema,
} from '@contract-kit/contract';
import {
  ALL_TYPES,
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
  namesIn,
  type Notation,
  type Part,
  type Parts,
  pick,
  propertyIn,
  requiredIn,
  rulesIn,
  satisfies,
  schemasIn,
  showLimit,
  showValues,
  sizeFor,
  toJson,
  toParts,
  typesIn,
  valuesIn,
  without,
} from './schema-rules';

/** Who sends messages to whom, each by its version of the contract. */
export interface Direction {
  readonly sender: Document;
  readonly receiver: Document;
  /** Marks the properties that these messages do not have. */
  readonly mode: AccessMode;
  readonly isNewSender: boolean;
}

/** A part of a document. */
export interface Place {
  readonly node: object;
  readonly key: string | undefined;
}

/** What one side sends and the other does not accept. */
export interface SchemaChange {
  /** The keyword that changed. */
  readonly rule: string;
  /** Where it is inside the value, such as `address/street`. */
  readonly path: string;
  readonly message: string;
  /** Whether some value certainly is refused; otherwise the schemas do not say. */
  readonly isCertain: boolean;
  readonly sent: Place | undefined;
  readonly accepted: Place | undefined;
}

/** Compares what is sent by one schema with what another accepts. */
export type CompareSchemas = (sent: Schema, accepted: Schema, notation?: Notation) => SchemaChange[];

/** The schemas of one value on both sides. */
interface Pair {
  readonly sent: Parts;
  readonly accepted: Parts;
  readonly path: string;
  readonly notation: Notation;
  /** Whether an object may have names that it does not declare by chance. */
  readonly countsAllNames: boolean;
  /** The pairs that were compared already, which ends the recursion in recursive schemas. */
  readonly compared: Set<string>;
}

/** What matches the condition must match the consequence. */
interface Condition {
  readonly keywords: readonly [keyof Schema & string, ...(keyof Schema)[]];
  readonly condition: Part;
  readonly consequence: Part;
}

type Verdict = 'accepted' | 'refused' | 'unknown';

// The keywords that restrict values, by the type that they apply to.
const RESTRICTIONS = Object.entries({
  integer: ['minimum', 'maximum', 'multipleOf'],
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  array: ['minItems', 'maxItems', 'uniqueItems'],
  object: ['minProperties', 'maxProperties'],
});
const MAX_DEPTH = 5;
// Alternatives inside alternatives multiply. Beyond this number of comparisons, a union is not divided.
const MAX_WORK = 10_000;

// How the members of a value are written.
const PROPERTY_NOTATIONS = { json: 'json', form: 'field', field: 'json', text: 'text' } as const;
const ITEM_NOTATIONS = { json: 'json', form: 'json', field: 'field', text: 'text' } as const;

/**
 * Creates a comparison of schemas. Where they do not say whether a value is accepted, as of two patterns, the change is not
 * certain.
 */
export function createSchemaComparison({ sender, receiver, mode, isNewSender }: Direction): CompareSchemas {
  const made = new Map<string, Part>();
  const negations = new WeakMap<Part, Part>();
  const excluded = new WeakMap<Part, ReadonlySet<string>>();
  const verdicts = new Map<string, Verdict>();
  const trusted: string[] = [];
  const found = new Map<string, SchemaChange[]>();
  let work = 0;
  return (sentSchema, acceptedSchema, notation = 'json') => {
    const [sent, accepted] = [toParts(sender, [sentSchema]), toParts(receiver, [acceptedSchema])];
    const pair = { sent, accepted, path: '', notation, countsAllNames: false, compared: new Set<string>() };
    const key = keyOf(pair);
    const changes = found.get(key) ?? [
      ...new Map([...compare(pair)].map((change) => [change.path + change.message, change])).values(),
    ];
    found.set(key, changes);
    return changes;
  };

  function* compare(unread: Pair): Generator<SchemaChange> {
    const pair = { ...unread, sent: expand(unread.sent), accepted: expand(unread.accepted) };
    const { sent, accepted, compared } = pair;
    const key = keyOf(pair);
    if (compared.has(key) || sent.some(allowsNothing)) return;
    compared.add(key);
    if (accepted.every((part) => sent.some((other) => isSame(other, part)))) return;
    if (accepted.some(allowsNothing)) yield toChange(pair, 'not', isNewSender ? 'was added' : 'is no longer accepted');
    // Each alternative that may be sent must be accepted.
    else for (const chosen of chooseAlternatives(sent)) yield* compareChosen({ ...pair, sent: chosen });
  }

  // A union that is not divided hides what it allows.
  function* compareChosen(pair: Pair): Generator<SchemaChange> {
    const isDivided = work <= MAX_WORK || !pair.sent.some(isUnion);
    for (const change of compareValues(pair)) yield { ...change, isCertain: change.isCertain && isDivided };
  }

  function toChange({ sent, accepted, path }: Pair, rule: string, message: string, isCertain = true): SchemaChange {
    return { rule, path, message, isCertain, sent: placeOf(sent, rule), accepted: placeOf(accepted, rule) };
  }

  function toValueChange(
    pair: Pair,
    keyword: string,
    [sent, accepted]: readonly string[],
    isCertain = true,
  ): SchemaChange {
    const [before = '', after = ''] = isNewSender ? [accepted, sent] : [sent, accepted];
    return toChange(pair, keyword, `${keyword} ${before} -> ${after}`, isCertain);
  }

  function* toUnionChange(pair: Pair, keyword: string, ...verdicts: readonly Verdict[]): Generator<SchemaChange> {
    const verdict = worstOf(verdicts);
    const change = isNewSender ? ['allows more', 'may allow more'] : ['accepts fewer', 'may accept fewer'];
    const isCertain = verdict === 'refused' && work <= MAX_WORK;
    if (verdict === 'accepted') return;
    yield toChange(pair, keyword, `${keyword} ${String(change[Number(!isCertain)])} values`, isCertain);
  }

  function relate(pair: Pair): Verdict {
    const key = keyOf(pair);
    const known = verdicts.get(key);
    if (known) return known;
    if (work > MAX_WORK) return 'unknown';
    // That a pair is accepted is assumed while it is compared, which ends the recursion in recursive schemas.
    verdicts.set(key, 'accepted');
    const start = trusted.push(key);
    const verdict = judge(compare({ ...pair, compared: new Set() }));
    // What a failed trial assumed does not count.
    if (verdict !== 'accepted') for (const other of trusted.splice(start - 1)) verdicts.delete(other);
    verdicts.set(key, verdict);
    return verdict;
  }

  function* compareValues(pair: Pair): Generator<SchemaChange> {
    const { sent, accepted, notation } = pair;
    const [sentTypes, types] = [typesIn(sent, notation), typesIn(accepted, notation)];
    // No value has two types.
    if (sentTypes?.size === 0 || valuesIn(sent, notation)?.size === 0) return;
    if (isNarrower(sentTypes, types)) {
      // In the text of a parameter, one value is a list of one.
      if (isText(notation) && types?.has('array') && sentTypes && ![...sentTypes].some((type) => isStructured(type))) {
        yield* compareValues({ ...pair, sent: [toListOfOne(sent)] });
        return;
      }
      yield toValueChange(
        pair,
        'type',
        [sent, accepted].map((parts) => showValues(typesIn(parts))),
      );
      if (sentTypes && ![...sentTypes].some((type) => types?.has(type))) return;
    }
    const [sentValues, values] = [valuesIn(sent, notation), valuesIn(accepted, notation)];
    if (isNarrower(sentValues, values)) {
      yield toValueChange(pair, 'enum', [showValues(sentValues), showValues(values)]);
      return;
    }
    const [sentRaw, raw] = [typesIn(sent), typesIn(accepted)];
    // The text of a number may be read as a string.
    const mayBe = (type: string): boolean =>
      raw?.has(type) !== false && (isText(notation) || sentRaw?.has(type) !== false);
    for (const keyword of RESTRICTIONS.flatMap(([type, names]) => (mayBe(type) ? names : [])))
      yield* /^m(in|ax)/.test(keyword) ? compareLimits(pair, keyword) : compareRules(pair, keyword);
    if (mayBe('object')) yield* compareRequired(pair);
    yield* compareUnions(pair);
    yield* compareConditions(pair);
    if (mayBe('object')) yield* compareProperties(pair);
    if (mayBe('array')) yield* compareItems(pair);
  }

  function toListOfOne(sent: Parts): Part {
    const items = { allOf: sent.map(({ schema }) => schema) };
    return make(`list of ${sent.map(idOf).join()}`, { type: 'array', minItems: 1, maxItems: 1, items });
  }

  // A schema that is made here is the same one each time, so that the recursion ends.
  function make(key: string, schema: Schema): Part {
    const part = made.get(key) ?? { schema, document: sender };
    made.set(key, part);
    return part;
  }

  function negate(part: Part): Part {
    const negation = negations.get(part) ?? { schema: { not: part.schema }, document: part.document };
    negations.set(part, negation);
    return negation;
  }

  function* compareLimits(pair: Pair, keyword: string): Generator<SchemaChange> {
    const { sent, accepted, notation } = pair;
    const isInteger = typesIn(sent, notation)?.has('fraction') === false;
    const asked = limitIn(accepted, keyword, isInteger);
    if (!asked) return;
    const given = limitIn(sent, keyword, isInteger) ?? limitByMembers(sent, keyword);
    const sizes = listSentValues(pair)?.map((value) => sizeFor(keyword, value, isText(notation)));
    const isBreaking = sizes
      ? sizes.some((value) => value !== undefined && isTighter(keyword, asked, { value, isExclusive: false }))
      : isTighter(keyword, asked, given);
    if (isBreaking) yield toValueChange(pair, keyword, [given, asked].map(showLimit));
  }

  function listSentValues({ sent, notation }: Pair): unknown[] | undefined {
    const values = valuesIn(sent, notation);
    return values && [...values].map((json) => JSON.parse(json) as unknown);
  }

  function* compareRules(pair: Pair, keyword: string): Generator<SchemaChange> {
    const { sent, accepted, notation } = pair;
    const [given, asked] = [rulesIn(sent, keyword), rulesIn(accepted, keyword)];
    const isInteger = typesIn(sent, notation)?.has('fraction') === false;
    const implied = keyword === 'multipleOf' && isInteger ? [...given, '1'] : given;
    // One item is unique in any case.
    const most = keyword === 'uniqueItems' ? limitIn(sent, 'maxItems', true) : undefined;
    if (most && most.value <= 1) return;
    const open = asked.filter((rule) => !implied.some((sentRule) => implies(keyword, sentRule, rule)));
    const values = listSentValues(pair);
    const answers = open.flatMap((rule) => values?.map((value) => satisfies(keyword, rule, value)) ?? [undefined]);
    if (answers.every((answer) => answer === true)) return;
    // Whether what one pattern or format allows matches another pattern is unknown.
    const hasTextRules = ['pattern', 'format'].some((name) => name !== keyword && rulesIn(sent, name).length > 0);
    const isNumber = isText(notation) && typesIn(sent)?.has('string') === false;
    const isUnknown =
      values ?? (isNumber || (/^[pf]/.test(keyword) && (hasTextRules || (keyword === 'pattern' && given.length > 0))));
    yield toValueChange(pair, keyword, [given, asked].map(showValues), answers.includes(false) || !isUnknown);
  }

  // The properties that a side leaves out of what it sends, and ignores in what it gets.
  function excludedIn(parts: Parts): Set<string> {
    return new Set(
      parts.flatMap((part) => {
        const { document, schema } = part;
        const names =
          excluded.get(part) ?? findExcludedProperties(document, collectInPlaceSchemas(document, [schema]), mode);
        excluded.set(part, names);
        return [...names];
      }),
    );
  }

  function* compareRequired(pair: Pair): Generator<SchemaChange> {
    const { sent, accepted } = pair;
    const [given, asked] = [sent, accepted].map((parts) => without(requiredIn(parts), excludedIn(parts)));
    for (const name of without(asked ?? [], given ?? [])) {
      if (!isNewSender) yield toChange(pair, 'required', `${name} is now required`);
      else if (without(namesIn(sent), excludedIn(sent)).has(name))
        yield toChange(pair, 'required', `${name} is now optional`);
      else yield toChange(pair, 'required', `${name} was removed`);
    }
  }

  function* compareUnions(pair: Pair): Generator<SchemaChange> {
    for (const part of pair.accepted) {
      for (const keyword of ['anyOf', 'oneOf'] as const) {
        if (!part.schema[keyword] || hasSame(pair, part, keyword)) continue;
        const alternatives = schemasIn([part], keyword);
        const verdict = judgeUnion(pair, alternatives, keyword);
        const atoms = verdict === 'accepted' ? [] : listAtoms(pair);
        // One alternative may accept the strings, and another one null.
        const verdicts = atoms.map((atom) =>
          judgeUnion({ ...pair, sent: [...pair.sent, atom] }, alternatives, keyword),
        );
        yield* toUnionChange(pair, keyword, ...(atoms.length > 1 ? verdicts : [verdict]));
      }
    }
  }

  function hasSame({ sent }: Pair, part: Part, ...keywords: readonly (keyof Schema)[]): boolean {
    return sent.some((other) => isSame(pick(other, keywords), pick(part, keywords)));
  }

  // Whether each value matches an alternative, and for oneOf no other one.
  function judgeUnion(pair: Pair, alternatives: Parts, keyword: string): Verdict {
    const { sent, notation } = pair;
    const verdicts = alternatives.map((one) => relate({ ...pair, accepted: [one] }));
    const first = verdicts.indexOf('accepted');
    if (first < 0) {
      // Several alternatives may accept all of it together.
      const possible = alternatives.filter((one) => !areDisjoint(sent, [one], notation));
      const isDivided = possible.length > 1 && typesIn(sent)?.has('object') === false;
      return verdicts.includes('unknown') || isDivided ? 'unknown' : 'refused';
    }
    const others =
      keyword === 'anyOf'
        ? []
        : alternatives.filter((one, index) => index !== first && !areDisjoint(sent, [one], notation));
    if (others.length === 0) return 'accepted';
    const isSecond = (one: Part): boolean => verdicts[alternatives.indexOf(one)] === 'accepted' || covers(pair, [one]);
    return others.some(isSecond) ? 'refused' : 'unknown';
  }

  // Whether what matches a schema, and has the type of what is sent, may all be sent.
  function covers({ sent, ...pair }: Pair, parts: Parts): boolean {
    const types = { allOf: sent.map((one) => pick(one, ['type', 'nullable']).schema) };
    const typed = make(`types of ${sent.map(idOf).join()}`, types);
    return relate({ ...pair, sent: [...parts, typed], accepted: sent }) === 'accepted';
  }

  // Divides what is sent by value, or else by type.
  function listAtoms({ sent, notation }: Pair): Part[] {
    const allowed = valuesIn(sent);
    const values = sent.flatMap(({ schema }) => exactValueOf(schema, 'enum') ?? []) as unknown[];
    if (allowed) return values.filter((one) => allowed.has(toJson(one))).map(toConst);
    const types = [...(typesIn(sent) ?? ALL_TYPES)].filter((type) => type !== 'null' || !isText(notation));
    return types.map((type) => make(`type ${type}`, { type }));
  }

  function toConst(value: unknown): Part {
    return make(`const ${toJson(value)}`, { const: value });
  }

  /** Whether it is certain that no value matches both. */
  function areDisjoint(left: Parts, right: Parts, notation: Notation, depth = 0): boolean {
    if (depth > MAX_DEPTH) return false;
    const mine = expand(left);
    for (const both of chooseAlternatives(expand([...left, ...right])))
      if (!isEmpty(both, mine, notation, depth)) return false;
    return true;
  }

  function isEmpty(both: Parts, left: Parts, notation: Notation, depth: number): boolean {
    if (++work > MAX_WORK) return false;
    const types = typesIn(both, notation);
    if (both.some(allowsNothing) || types?.size === 0 || valuesIn(both, notation)?.size === 0) return true;
    if (schemasIn(both, 'not').some((not) => both.some((part) => isSame(not, part)))) return true;
    if (types?.size !== 1) return false;
    const hasNoSize = ['imum', 'Length', 'Items'].some((size) => {
      const [minimum, maximum] = ['min', 'max'].map((end) => limitIn(both, end + size, types.has('integer')));
      return minimum && maximum && isTighter('min', minimum, { ...maximum, isExclusive: false });
    });
    if (hasNoSize || !types.has('object')) return hasNoSize;
    const isMissing = (name: string): boolean => namesIn(left).size > 0 && !mayHave(left, name, false);
    return [...requiredIn(both)].some(
      (name) => isMissing(name) || areDisjoint(propertyIn(both, name), [], notation, depth + 1),
    );
  }

  function* compareConditions(unread: Pair): Generator<SchemaChange> {
    const pair = { ...unread, countsAllNames: true };
    const { sent, notation } = pair;
    for (const part of pair.accepted) {
      for (const not of schemasIn([part], 'not')) {
        const isExcluded = schemasIn(sent, 'not').some((one) => covers({ ...pair, sent: [one] }, [not]));
        if (isExcluded || areDisjoint(sent, [not], notation)) continue;
        // It is enough that all of its values of one type may be sent, or a single one.
        const some = [[not], ...listAtoms({ ...pair, sent: [not] }).map((atom) => [not, atom])];
        const isCertain =
          some.some((parts) => !areDisjoint(sent, parts, notation) && covers(pair, parts)) ||
          relate({ ...pair, accepted: [not] }) === 'accepted';
        yield* toUnionChange(pair, 'not', isCertain ? 'refused' : 'unknown');
      }
      for (const { keywords, condition, consequence } of listConditions(part)) {
        const isNever = (): boolean =>
          areDisjoint(sent, [condition], notation) ||
          schemasIn([condition], 'not').some((not) => relate({ ...pair, accepted: [not] }) === 'accepted');
        if (hasSame(pair, part, ...keywords) || isNever()) continue;
        const verdict = relate({ ...pair, sent: [...sent, condition], accepted: [consequence] });
        yield* toUnionChange(pair, keywords[0], verdict);
      }
      for (const contained of schemasIn([part], 'contains'))
        yield* toUnionChange(pair, 'contains', judgeContains(pair, part, contained));
      for (const names of typesIn(sent)?.has('object') === false ? [] : schemasIn([part], 'propertyNames')) {
        const others = additionalIn(sent)
          ? [[make('text', { type: 'string' }), ...schemasIn(sent, 'propertyNames')]]
          : [];
        const sentNames = [...[...without(namesIn(sent), excludedIn(sent))].map((name) => [toConst(name)]), ...others];
        const verdicts = sentNames.map((one) => relate({ ...pair, sent: one, accepted: [names] }));
        yield* toUnionChange(pair, 'propertyNames', ...verdicts);
      }
    }
  }

  function* listConditions(part: Part): Generator<Condition> {
    const { dependentRequired = {}, dependentSchemas = {} } = part.schema;
    const keywords = ['if', 'then', 'else'] as const;
    for (const condition of schemasIn([part], 'if')) {
      for (const consequence of schemasIn([part], 'then')) yield { keywords, condition, consequence };
      for (const consequence of schemasIn([part], 'else'))
        yield { keywords, condition: negate(condition), consequence };
    }
    for (const [name, names] of Object.entries(dependentRequired))
      yield { keywords: ['dependentRequired'], condition: toRequired([name]), consequence: toRequired(names) };
    for (const [name, schema] of Object.entries(dependentSchemas))
      for (const consequence of toParts(part.document, [schema]))
        yield { keywords: ['dependentSchemas'], condition: toRequired([name]), consequence };
  }

  function toRequired(required: readonly string[]): Part {
    return make(`requires ${toJson(required)}`, { type: 'object', required });
  }

  function judgeContains(pair: Pair, { schema }: Part, contained: Part): Verdict {
    const { sent, notation } = pair;
    if (typesIn(sent)?.has('array') === false) return 'accepted';
    const { minContains: min = 1, maxContains: max = Infinity } = schema;
    const others = sent.filter((other) => other.schema.contains);
    const same = others.filter((other) => schemasIn([other], 'contains').every((one) => isSame(one, contained)));
    const items = itemIn(sent, 0);
    const least = Number(limitIn(sent, 'minItems', true)?.value ?? 0);
    const isEach = (): boolean =>
      least >= min && relate({ ...pair, sent: items, accepted: [contained] }) === 'accepted';
    const hasEnough = min === 0 || same.some(({ schema: { minContains = 1 } }) => minContains >= min) || isEach();
    const hasFew =
      max === Infinity ||
      same.some(({ schema: { maxContains = Infinity } }) => maxContains <= max) ||
      areDisjoint(items, [contained], notation);
    if (hasEnough && hasFew) return 'accepted';
    return others.length === same.length ? 'refused' : 'unknown';
  }

  // An object that declares properties has no other ones by chance; one that declares none is a map.
  function mayHave(sent: Parts, name: string, countsAllNames: boolean): boolean {
    if (typesIn(sent)?.has('object') === false || excludedIn(sent).has(name)) return false;
    const [schemas, names] = [propertyIn(sent, name), namesIn(sent)];
    return (
      !schemas.some(allowsNothing) && (countsAllNames || schemas.length > 0 || names.has(name) || names.size === 0)
    );
  }

  function* compareProperties(pair: Pair): Generator<SchemaChange> {
    const { sent, accepted, path, countsAllNames } = pair;
    const notation = PROPERTY_NOTATIONS[pair.notation];
    const inside = (name: string, given: Parts, asked: Parts): Generator<SchemaChange> =>
      compare({ ...pair, sent: given, accepted: asked, path: childPath(path, name), notation });
    for (const name of without([...namesIn(sent), ...namesIn(accepted)], excludedIn(accepted)))
      if (mayHave(sent, name, countsAllNames)) yield* inside(name, propertyIn(sent, name), propertyIn(accepted, name));
    const [given, asked] = [additionalIn(sent), propertyIn(accepted)];
    const patterns = [...sent, ...accepted].flatMap(({ schema }) => Object.keys(schema.patternProperties ?? {}));
    for (const pattern of new Set(patterns)) {
      const [sentSchemas = [], schemas = []] = [sent, accepted].map((parts) => patternIn(parts, pattern));
      const mayMatch = sentSchemas.length > 0 ? sentSchemas : given;
      if (mayMatch) yield* inside(pattern, mayMatch, schemas.length > 0 ? schemas : asked);
      // Whether the names of one pattern match another is unknown.
      else if (sent.some(({ schema }) => schema.patternProperties))
        yield* toUnionChange(pair, 'patternProperties', 'unknown');
    }
    if (given) yield* inside('additionalProperties', given, asked);
  }

  function* compareItems(pair: Pair): Generator<SchemaChange> {
    const { sent, accepted, path } = pair;
    const length = Math.max(...[...sent, ...accepted].map(({ schema }) => schema.prefixItems?.length ?? 0));
    const most = Number(limitIn(sent, 'maxItems', true)?.value ?? Infinity);
    const notation = ITEM_NOTATIONS[pair.notation];
    for (let index = 0; index <= length && index < most; index++) {
      const [name, position] = index === length ? ['items', Infinity] : [`prefixItems/${String(index)}`, index];
      const [given = [], asked = []] = [sent, accepted].map((parts) => itemIn(parts, position));
      // After an item that is forbidden there is no other one.
      if (given.some(allowsNothing)) return;
      yield* compare({ ...pair, sent: given, accepted: asked, path: childPath(path, name), notation });
    }
  }

  // Yields the schemas with one alternative of each oneOf and anyOf, in all combinations. Of a oneOf, no other one matches.
  function* chooseAlternatives(parts: Parts, chosen: readonly Part[] = []): Generator<Parts> {
    const union = work <= MAX_WORK && parts.find((part) => !chosen.includes(part) && isUnion(part));
    if (!union) {
      work++;
      yield parts;
      return;
    }
    const [anyOf = [], oneOf = []] = ['anyOf', 'oneOf'].map((keyword) => schemasIn([union], keyword));
    for (const one of anyOf.length > 0 ? anyOf : [undefined]) {
      for (const other of oneOf.length > 0 ? oneOf : [undefined]) {
        const others = oneOf.filter((sibling) => sibling !== other).map(negate);
        const alternatives = expand([one, other].filter((part) => part !== undefined));
        yield* chooseAlternatives([...new Set([...parts, ...alternatives, ...others])], [...chosen, union]);
      }
    }
  }
}

function judge(changes: Iterable<SchemaChange>): Verdict {
  let verdict: Verdict = 'accepted';
  for (const { isCertain } of changes) {
    if (isCertain) return 'refused';
    verdict = 'unknown';
  }
  return verdict;
}

function worstOf(verdicts: readonly Verdict[]): Verdict {
  return (['refused', 'unknown'] as const).find((verdict) => verdicts.includes(verdict)) ?? 'accepted';
}

function isUnion({ schema }: Part): boolean {
  return (schema.anyOf ?? schema.oneOf) !== undefined;
}

function isStructured(type: string): boolean {
  return type === 'array' || type === 'object';
}

// How many members an object or an array has without a keyword for that.
function limitByMembers(sent: Parts, keyword: string): Limit | undefined {
  const length = Math.max(0, ...sent.map(({ schema }) => schema.prefixItems?.length ?? 0));
  const value = {
    minProperties: requiredIn(sent).size,
    maxProperties: additionalIn(sent) ? Infinity : namesIn(sent).size,
    maxItems: itemIn(sent).some(allowsNothing) ? length : Infinity,
  }[keyword];
  return value === undefined || value === 0 || value === Infinity ? undefined : { value, isExclusive: false };
}

/** The schemas of undeclared properties; undefined if there are none. */
function additionalIn(parts: Parts): Parts | undefined {
  const schemas = propertyIn(parts);
  return schemas.some(allowsNothing) ? undefined : schemas;
}

function patternIn(parts: Parts, pattern: string): Parts {
  return parts.flatMap(({ schema: { patternProperties: { [pattern]: schema } = {} }, document }) =>
    schema ? toParts(document, [schema]) : [],
  );
}

function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}

function placeOf(parts: Parts, keyword: string): Place | undefined {
  const part = parts.find(({ schema }) => keyword in schema) ?? parts[0];
  return part && { node: part.schema, key: keyword in part.schema ? keyword : undefined };
}

function keyOf({ sent, accepted, notation, countsAllNames }: Pair): string {
  return [...[sent, accepted].map((parts) => parts.map(idOf).join()), notation, countsAllNames].join(' ');
}

const numbers = new WeakMap<object, number>();
let count = 0;

// Numbers each schema, so that the numbers of two lists of schemas form the key of the pair.
function idOf({ schema }: Part): number {
  const number = numbers.get(schema) ?? count++;
  numbers.set(schema, number);
  return number;
}
