// Finds what a new version of a schema breaks.
import {
  type NormalizedDocument as Document,
  INTEGER_RANGES,
  collectInPlaceSchemas,
  exactValueOf,
  type NormalizedSchema as Schema,
} from '@contract-kit/contract';

/** Compares the schema of an object with its new version: one message for each change that breaks clients. */
export type CompareSchemas = (before: Schema, after: Schema) => string[];

type Keywords = Readonly<Record<string, unknown>>;
/** Schemas that a value matches all. */
type Parts = readonly Schema[];

const NEVER_SCHEMA: Schema = { not: {} };
// The keywords that restrict values, by the type that they are for. `style` is that of a parameter.
const RESTRICTIONS = Object.entries({
  integer: ['minimum', 'maximum', 'multipleOf'],
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  array: ['minItems', 'maxItems', 'uniqueItems'],
  object: ['minProperties', 'maxProperties'],
  any: ['style'],
});
// Those of integers are compared as ranges; validators do not check the other ones.
const UNCHECKED_FORMATS = [...Object.keys(INTEGER_RANGES), 'float', 'double', 'password'];

/**
 * Clients of the older contract send requests, which the newer one accepts; replies go the other way. What one side sends
 * has to be what the other accepts. Only what is certain counts: keywords such as `not` and `if` are not compared.
 */
export function createSchemaComparison(before: Document, after: Document, isReply: boolean): CompareSchemas {
  const [sender, receiver] = isReply ? [after, before] : [before, after];
  const excluded = isReply ? 'writeOnly' : 'readOnly';
  return (old, now) => {
    const [sent, accepted] = isReply ? [now, old] : [old, now];
    return [...new Set(compare([sent], [accepted], '', new Set()))];
  };

  // `compared` has the pairs that need no comparison again, such as those around a recursive schema.
  function* compare(
    sentSchemas: Parts,
    acceptedSchemas: Parts,
    path: string,
    compared: Set<string>,
  ): Generator<string> {
    const [sent, accepted] = [flatten(sender, sentSchemas), flatten(receiver, acceptedSchemas)];
    const key = [sent, accepted].map((parts) => parts.map(idOf).join()).join(' ');
    if (compared.has(key) || sent.some(allowsNothing)) return;
    compared.add(key);
    if (accepted.some(allowsNothing)) yield `${path} is ${isReply ? 'new' : 'refused now'}`;
    // Each alternative that is sent has to be accepted.
    else for (const chosen of chooseAlternatives(sender, sent)) yield* compareObjects(chosen, accepted, path, compared);
  }

  function* compareObjects(sent: Parts, accepted: Parts, path: string, compared: Set<string>): Generator<string> {
    const types = allowedBy(sent, typesOf);
    // No value has two types.
    if (types?.size === 0) return;
    const describe = (text: string): string => (path === '' ? text : `${path}: ${text}`);
    yield* [...compareValues(sent, accepted), ...findNewlyRequired(sent, accepted)].map(describe);
    for (const { keyword, schemas } of alternativesOf(accepted)) {
      const isAccepted = schemas.some((schema) => {
        const trial = new Set(compared);
        if (compareObjects(sent, flatten(receiver, [schema]), '', trial).next().done !== true) return false;
        for (const key of trial) compared.add(key);
        return true;
      });
      if (!isAccepted) yield describe(`${keyword} ${isReply ? 'gives more' : 'takes less'}`);
    }
    yield* compareChildren(sent, accepted, path, compared);
  }

  function compareValues(sent: Parts, accepted: Parts): string[] {
    const [sentTypes, types] = [allowedBy(sent, typesOf), allowedBy(accepted, typesOf)];
    const [sentValues, values] = [allowedBy(sent, valuesOf), allowedBy(accepted, valuesOf)];
    const found = [
      ...(isNarrower(sentTypes, types) ? [describeChange('type', showValues(sentTypes), showValues(types))] : []),
      ...(isNarrower(sentValues, values) ? [describeChange('enum', showValues(sentValues), showValues(values))] : []),
    ];
    // An enum is stricter than limits, so limits need no comparison.
    if (sentValues) return found;
    const isPossible = (type: string): boolean => type === 'any' || sentTypes?.has(type) !== false;
    const keywords = RESTRICTIONS.flatMap(([type, own]) => (isPossible(type) ? own : []));
    return [...found, ...keywords.flatMap((keyword) => compareRestrictions(keyword, sent, accepted))];
  }

  function compareRestrictions(keyword: string, sent: Parts, accepted: Parts): string[] {
    if (/^m(in|ax)/.test(keyword)) {
      const [given, asked] = [readLimit(sent, keyword), readLimit(accepted, keyword)];
      const isBreaking = asked && isTighter(keyword, asked, given);
      return isBreaking ? [describeChange(keyword, showLimit(given), showLimit(asked))] : [];
    }
    const [given, asked] = [readRules(sent, keyword), readRules(accepted, keyword)];
    const isFulfilled = asked.every((rule) => given.some((one) => fulfils(keyword, one, rule)));
    return isFulfilled ? [] : [describeChange(keyword, showValues(given), showValues(asked))];
  }

  function describeChange(keyword: string, sentText: string, acceptedText: string): string {
    return `${keyword} ${isReply ? `${acceptedText} -> ${sentText}` : `${sentText} -> ${acceptedText}`}`;
  }

  function findNewlyRequired(sent: Parts, accepted: Parts): string[] {
    const mayBeObject = allowedBy(sent, typesOf)?.has('object') !== false;
    const names = new Set(mayBeObject ? accepted.flatMap((part) => part.required ?? []) : []);
    const isOptional = (name: string): boolean => !sent.some((part) => part.required?.includes(name));
    const isKnown = (name: string): boolean => !isReply || namesOf(sent).has(name);
    const optional = [...names].filter((name) => isOptional(name) && isKnown(name) && isVisible(sent, accepted, name));
    return optional.map((name) => `${name} is ${isReply ? 'optional' : 'required'} now`);
  }

  function* compareChildren(sent: Parts, accepted: Parts, path: string, compared: Set<string>): Generator<string> {
    const prefix = path === '' ? '' : `${path}/`;
    const names = new Set([...namesOf(sent), ...namesOf(accepted)]);
    for (const name of [...names].filter((one) => isVisible(sent, accepted, one))) {
      const sentProperty = propertyOf(sent, name);
      if (isReply && !namesOf(sent).has(name)) yield `${prefix}${name} is gone`;
      // A new property of requests breaks nothing, unless the older contract said what others are.
      else if (sentProperty.length > 0)
        yield* compare(sentProperty, propertyOf(accepted, name), prefix + name, compared);
    }
    for (const keyword of ['additionalProperties', 'items'] as const) {
      const [given, asked] = [sent, accepted].map((parts) => parts.flatMap((part) => toSchemas(part[keyword])));
      yield* compare(given ?? [], asked ?? [], prefix + keyword, compared);
    }
  }

  function isVisible(sent: Parts, accepted: Parts, name: string): boolean {
    const isExcluded = (document: Document, schemas: Parts): boolean =>
      flatten(document, schemas).some((part) => part[excluded] === true);
    return !isExcluded(sender, propertyOf(sent, name)) && !isExcluded(receiver, propertyOf(accepted, name));
  }
}

// Schemas with those of their allOf.
function flatten(document: Document, schemas: Parts): Parts {
  return collectInPlaceSchemas(document, schemas, ['allOf']);
}

// The parts, with one alternative of each list: all combinations.
function* chooseAlternatives(document: Document, parts: Parts, chosen: readonly Parts[] = []): Generator<Parts> {
  const list = alternativesOf(parts).find(({ schemas }) => !chosen.includes(schemas))?.schemas;
  if (!list) yield parts;
  for (const one of list ?? [])
    yield* chooseAlternatives(document, [...parts, ...flatten(document, [one])], [...chosen, list ?? []]);
}

function showValues(values: Iterable<unknown> | undefined): string {
  return [...(values ?? [])].join(', ').replace('integer, fraction', 'number') || 'any';
}

function showLimit(limit: Limit | undefined): string {
  return limit ? `${String(limit.value)}${limit.isExclusive ? ' (exclusive)' : ''}` : 'none';
}

function allowsNothing({ not }: Schema): boolean {
  return not !== undefined && Object.keys(not).length === 0;
}

function namesOf(parts: Parts): Set<string> {
  return new Set(parts.flatMap((part) => Object.keys(part.properties ?? {})));
}

function propertyOf(parts: Parts, name: string): Schema[] {
  return parts.flatMap(({ properties = {}, patternProperties, additionalProperties }) => {
    if (Object.hasOwn(properties, name)) return properties[name] ?? [];
    return patternProperties ? [] : toSchemas(additionalProperties);
  });
}

function toSchemas(schema: boolean | Schema | undefined): Schema[] {
  if (schema === false) return [NEVER_SCHEMA];
  return typeof schema === 'object' ? [schema] : [];
}

function alternativesOf(parts: Parts): { keyword: string; schemas: Parts }[] {
  return parts.flatMap((part) =>
    (['anyOf', 'oneOf'] as const).flatMap((keyword) => (part[keyword] ? [{ keyword, schemas: part[keyword] }] : [])),
  );
}

type Values = ReadonlySet<string> | undefined;

/** The types, or the values, that all parts allow; undefined if any is allowed. */
function allowedBy(parts: Parts, read: (schema: Schema) => Values): Values {
  const all = parts.map(read).filter((values) => values !== undefined);
  if (all.length === 0) return undefined;
  return all.reduce((one, other) => new Set([...one].filter((value) => other.has(value))));
}

// A number is an integer or a fraction. Without a type, the values tell it.
function typesOf(schema: Schema): Values {
  const { type = listValues(schema)?.map(typeOf), nullable } = schema;
  if (type === undefined) return undefined;
  const types = [type, nullable === true ? 'null' : []].flat();
  return new Set(types.flatMap((name) => (name === 'number' ? ['integer', 'fraction'] : name)));
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'bigint' || Number.isInteger(value)) return 'integer';
  return value === null ? 'null' : typeof value;
}

function listValues(schema: Schema): unknown[] | undefined {
  return ('const' in schema ? [exactValueOf(schema, 'const')] : exactValueOf(schema, 'enum')) as unknown[] | undefined;
}

function valuesOf(schema: Schema): Values {
  const values = listValues(schema);
  return values && new Set(values.map(toJson));
}

function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? String(one) : one));
}

/** Whether a set lacks values that are sent. An undefined set has all values. */
function isNarrower(sent: Values, accepted: Values): boolean {
  return accepted !== undefined && !(sent && [...sent].every((value) => accepted.has(value)));
}

// Returns the rules as JSON, without rules that every value satisfies.
function readRules(parts: readonly Schema[], keyword: string): string[] {
  const rules = parts.map((part) => (part as Keywords)[keyword]);
  return rules.filter((rule) => Boolean(rule) && !UNCHECKED_FORMATS.includes(String(rule))).map(toJson);
}

function fulfils(keyword: string, sentRule: string, acceptedRule: string): boolean {
  if (keyword !== 'multipleOf') return sentRule === acceptedRule;
  // 15 digits are what a double keeps of a decimal such as 0.3, which is 3 times 0.1.
  return Number.isInteger(Number((Number(sentRule) / Number(acceptedRule)).toPrecision(15)));
}

interface Limit {
  readonly value: number | bigint;
  /** The bound itself is not allowed. */
  readonly isExclusive: boolean;
}

// Returns the tightest limit. `exclusiveMinimum` is a number, or in OpenAPI 3.0 a flag beside `minimum`.
function readLimit(parts: readonly Schema[], keyword: string): Limit | undefined {
  const limits = parts.flatMap((part): Limit[] => {
    const exclusive = exactValueOf(part, keyword.replace(/^m(in|ax)imum$/, 'exclusiveM$1imum'));
    const ofFormat = ((INTEGER_RANGES as Keywords)[part.format ?? ''] as Keywords | undefined)?.[keyword];
    const values = [exactValueOf(part, keyword), ofFormat].filter(isNumber);
    return [
      ...(isNumber(exclusive) ? [{ value: exclusive, isExclusive: keyword.endsWith('imum') }] : []),
      ...values.map((value) => ({ value, isExclusive: exclusive === true })),
    ];
  });
  // A size of at least 0 is no limit.
  const effective = limits.filter(({ value }) => value != 0 || !/^min[A-Z]/.test(keyword));
  return effective.sort((left, right) => (isTighter(keyword, left, right) ? -1 : 1))[0];
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function isTighter(keyword: string, limit: Limit, other: Limit | undefined): boolean {
  if (other === undefined) return true;
  if (limit.value == other.value) return limit.isExclusive && !other.isExclusive;
  return keyword.startsWith('min') ? limit.value > other.value : limit.value < other.value;
}

const numbers = new WeakMap<object, number>();
let count = 0;

// Returns the same number for the same schema: the numbers of two lists of schemas form the key of their pair.
function idOf(schema: object): number {
  const number = numbers.get(schema) ?? count++;
  numbers.set(schema, number);
  return number;
}
