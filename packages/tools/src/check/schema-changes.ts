// Finds what a new version of a schema breaks.
import {
  type NormalizedDocument as Document,
  exactValueOf,
  partsOf,
  type NormalizedSchema as Schema,
} from '@contract-kit/server/contract';

/** Compares a schema with its new version, and returns what breaks clients: one message each, which begins with `place`. */
export type CompareSchemas = (before: Schema, after: Schema, place: string) => string[];

type Keywords = Readonly<Record<string, unknown>>;
type Known = Map<string, readonly string[]>;

const NOTHING: Schema = { not: {} };
// The keywords that restrict values, by the type that they are for. A fraction has those of integers.
const RESTRICTIONS = Object.entries({
  integer: ['minimum', 'maximum', 'multipleOf'],
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  array: ['minItems', 'maxItems', 'uniqueItems'],
  object: ['minProperties', 'maxProperties'],
});
// These formats are limits, and the others nothing that a validator checks.
const INTEGER_FORMATS: Keywords = {
  int32: { minimum: -(2n ** 31n), maximum: 2n ** 31n - 1n },
  int64: { minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n },
};
const UNCHECKED_FORMATS = [...Object.keys(INTEGER_FORMATS), 'float', 'double', 'password'];

/**
 * Clients of the older contract send requests, which the newer one accepts; replies go the other way. What one side sends
 * has to be what the other accepts. Only what is certain counts: keywords such as `not` and `if` are not compared.
 */
export function createSchemaComparison(before: Document, after: Document, isReply: boolean): CompareSchemas {
  const [sender, receiver] = isReply ? [after, before] : [before, after];
  const excluded = isReply ? 'writeOnly' : 'readOnly';
  // Of alternatives: whether one fits another.
  const trials: Known = new Map();
  return (old, now, place) => {
    const [sent, accepted] = isReply ? [now, old] : [old, now];
    return [...new Set(compare([sent], [accepted], place, new Map()))];
  };

  // A value matches all schemas of its side.
  function compare(given: readonly Schema[], asked: readonly Schema[], place: string, known: Known): readonly string[] {
    const sent = [...new Set(given.flatMap((schema) => partsOf(sender, schema, ['allOf'])))];
    const accepted = [...new Set(asked.flatMap((schema) => partsOf(receiver, schema, ['allOf'])))];
    const key = [sent, accepted].map((parts) => parts.map(numberOf).join()).join(' ');
    const found = known.get(key);
    if (found) return found;
    const changes: string[] = [];
    known.set(key, changes);
    if (sent.some(isNothing)) return changes;
    if (accepted.some(isNothing)) {
      changes.push(`${place} is ${isReply ? 'new' : 'refused now'}`);
      return changes;
    }
    const own = [
      ...compareValues(sent, accepted),
      ...compareAlternatives(sent, accepted),
      ...findOptional(sent, accepted),
    ];
    changes.push(...own.map((text) => `${place}: ${text}`), ...compareBelow(sent, accepted, place, known));
    return changes;
  }

  function compareValues(sent: readonly Schema[], accepted: readonly Schema[]): string[] {
    const [sentTypes, types] = [allowed(sender, sent, typesOf), allowed(receiver, accepted, typesOf)];
    const [sentValues, values] = [allowed(sender, sent, valuesOf), allowed(receiver, accepted, valuesOf)];
    const found = [
      ...(isNarrower(sentTypes, types) ? [show('type', showValues(sentTypes), showValues(types))] : []),
      ...(isNarrower(sentValues, values) ? [show('enum', showValues(sentValues), showValues(values))] : []),
    ];
    // What an enum has says more than limits.
    if (sentValues) return found;
    const keywords = RESTRICTIONS.flatMap(([type, own]) => (sentTypes?.has(type) === false ? [] : own));
    return [...found, ...keywords.flatMap((keyword) => compareRestrictions(keyword, sent, accepted))];
  }

  function compareRestrictions(keyword: string, sent: readonly Schema[], accepted: readonly Schema[]): string[] {
    if (/^m(in|ax)/.test(keyword)) {
      const [given, asked] = [readLimit(sent, keyword), readLimit(accepted, keyword)];
      return asked && isTighter(keyword, asked, given) ? [show(keyword, showLimit(given), showLimit(asked))] : [];
    }
    const [given, asked] = [readRules(sent, keyword), readRules(accepted, keyword)];
    const isFulfilled = asked.every((rule) => given.some((one) => fulfils(keyword, one, rule)));
    return isFulfilled ? [] : [show(keyword, showValues(given), showValues(asked))];
  }

  function show(keyword: string, given: string, asked: string): string {
    return `${keyword} ${isReply ? `${asked} -> ${given}` : `${given} -> ${asked}`}`;
  }

  // Each alternative that is sent has to fit one that is accepted.
  function compareAlternatives(sent: readonly Schema[], accepted: readonly Schema[]): string[] {
    const sentLists = [...listsOf(sent).map(({ schemas }) => schemas), [{}]];
    return listsOf(accepted)
      .filter(({ schemas }) => {
        const fits = (one: Schema): boolean =>
          schemas.some((other) => compare([...sent, one], [other], '', trials).length === 0);
        return !sentLists.some((alternatives) => alternatives.every(fits));
      })
      .map(({ keyword }) => `${keyword} ${isReply ? 'gives more' : 'takes less'}`);
  }

  function findOptional(sent: readonly Schema[], accepted: readonly Schema[]): string[] {
    const mayBeObject = allowed(sender, sent, typesOf)?.has('object') !== false;
    const names = new Set(mayBeObject ? accepted.flatMap((part) => part.required ?? []) : []);
    const isOptional = (name: string): boolean => !sent.some((part) => part.required?.includes(name));
    const isKnown = (name: string): boolean => !isReply || namesOf(sent).has(name);
    const optional = [...names].filter((name) => isOptional(name) && isKnown(name) && isVisible(sent, accepted, name));
    return optional.map((name) => `${name} is ${isReply ? 'optional' : 'required'} now`);
  }

  function compareBelow(sent: readonly Schema[], accepted: readonly Schema[], place: string, known: Known): string[] {
    const names = new Set([...namesOf(sent), ...namesOf(accepted)]);
    const properties = [...names].filter((name) => isVisible(sent, accepted, name));
    return [
      ...properties.flatMap((name) => {
        const given = propertyOf(sent, name);
        if (isReply && !namesOf(sent).has(name)) return [`${place}/${name} is gone`];
        // A new property of requests breaks nothing, unless the older contract said what others are.
        return given.length === 0 ? [] : compare(given, propertyOf(accepted, name), `${place}/${name}`, known);
      }),
      ...(['additionalProperties', 'items'] as const).flatMap((keyword) => {
        const [given, asked] = [sent, accepted].map((parts) => parts.flatMap((part) => toSchemas(part[keyword])));
        return compare(given ?? [], asked ?? [], `${place}/${keyword}`, known);
      }),
    ];
  }

  function isVisible(sent: readonly Schema[], accepted: readonly Schema[], name: string): boolean {
    const isExcluded = (document: Document, schemas: readonly Schema[]): boolean =>
      schemas.some((schema) => partsOf(document, schema, ['allOf']).some((part) => part[excluded] === true));
    return !isExcluded(sender, propertyOf(sent, name)) && !isExcluded(receiver, propertyOf(accepted, name));
  }
}

function showValues(values: Iterable<unknown> | undefined): string {
  return [...(values ?? [])].join(', ').replace('integer, fraction', 'number') || 'any';
}

function showLimit(limit: Limit | undefined): string {
  return limit ? `${String(limit.value)}${limit.isExclusive ? ' (exclusive)' : ''}` : 'none';
}

function isNothing({ not }: Schema): boolean {
  return not !== undefined && Object.keys(not).length === 0;
}

function namesOf(parts: readonly Schema[]): Set<string> {
  return new Set(parts.flatMap((part) => Object.keys(part.properties ?? {})));
}

function propertyOf(parts: readonly Schema[], name: string): Schema[] {
  return parts.flatMap(({ properties = {}, patternProperties, additionalProperties }) => {
    if (Object.hasOwn(properties, name)) return properties[name] ?? [];
    return patternProperties ? [] : toSchemas(additionalProperties);
  });
}

function toSchemas(schema: boolean | Schema | undefined): Schema[] {
  if (schema === false) return [NOTHING];
  return typeof schema === 'object' ? [schema] : [];
}

function listsOf(parts: readonly Schema[]): { keyword: string; schemas: readonly Schema[] }[] {
  return parts.flatMap((part) =>
    (['anyOf', 'oneOf'] as const).flatMap((keyword) => (part[keyword] ? [{ keyword, schemas: part[keyword] }] : [])),
  );
}

type Values = ReadonlySet<string> | undefined;

/** The types, or the values, that all parts allow, and one alternative of each list; undefined if any is allowed. */
function allowed(document: Document, parts: readonly Schema[], read: (schema: Schema) => Values): Values {
  const ofLists = listsOf(parts).map(({ schemas }) => {
    const each = schemas.map((schema) => allowed(document, partsOf(document, schema, ['allOf']), read));
    return each.includes(undefined) ? undefined : new Set(each.flatMap((values) => [...(values ?? [])]));
  });
  const all = [...parts.map(read), ...ofLists].filter((values) => values !== undefined);
  return all.length === 0
    ? undefined
    : all.reduce((one, other) => new Set([...one].filter((value) => other.has(value))));
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

// As JSON, without those that every value fulfils.
function readRules(parts: readonly Schema[], keyword: string): string[] {
  const rules = parts.map((part) => (part as Keywords)[keyword]);
  return rules.filter((rule) => Boolean(rule) && !UNCHECKED_FORMATS.includes(String(rule))).map(toJson);
}

function fulfils(keyword: string, given: string, asked: string): boolean {
  return keyword === 'multipleOf' ? Number(given) % Number(asked) === 0 : given === asked;
}

interface Limit {
  readonly value: number | bigint;
  /** The bound itself is not allowed. */
  readonly isExclusive: boolean;
}

// The tightest. `exclusiveMinimum` is a number of its own, or in OpenAPI 3.0 a flag beside `minimum`.
function readLimit(parts: readonly Schema[], keyword: string): Limit | undefined {
  const limits = parts.flatMap((part): Limit[] => {
    const exclusive = exactValueOf(part, keyword.replace(/^m(in|ax)imum$/, 'exclusiveM$1imum'));
    const ofFormat = (INTEGER_FORMATS[part.format ?? ''] as Keywords | undefined)?.[keyword];
    const values = [exactValueOf(part, keyword), ofFormat].filter(isNumber);
    return [
      ...(isNumber(exclusive) ? [{ value: exclusive, isExclusive: keyword.endsWith('imum') }] : []),
      ...values.map((value) => ({ value, isExclusive: exclusive === true })),
    ];
  });
  // A size of at least 0 is no limit.
  const real = limits.filter(({ value }) => value != 0 || !/^min[A-Z]/.test(keyword));
  return real.sort((one, other) => (isTighter(keyword, one, other) ? -1 : 1))[0];
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function isTighter(keyword: string, one: Limit, than: Limit | undefined): boolean {
  if (than === undefined) return true;
  if (one.value == than.value) return one.isExclusive && !than.isExclusive;
  return keyword.startsWith('min') ? one.value > than.value : one.value < than.value;
}

const numbers = new WeakMap<object, number>();
let count = 0;

// Always the same number for a schema: those of two lists of schemas make the key of their pair.
function numberOf(schema: object): number {
  const number = numbers.get(schema) ?? count++;
  numbers.set(schema, number);
  return number;
}
