// Finds the changes in a new version of a schema that break clients.
import {
  type NormalizedDocument as Document,
  INTEGER_RANGES,
  collectInPlaceSchemas,
  exactValueOf,
  type NormalizedSchema as Schema,
} from '@contract-kit/contract';

/** Compares the schema of an object with its new version, and returns a message for each change that breaks clients. */
export type CompareSchemas = (before: Schema, after: Schema) => string[];

type Keywords = Readonly<Record<string, unknown>>;
/** Schemas that a value must match together. */
type Parts = readonly Schema[];

const NEVER_SCHEMA: Schema = { not: {} };
// The keywords that restrict values, by the type that they apply to. `style` belongs to a parameter.
const RESTRICTIONS = Object.entries({
  integer: ['minimum', 'maximum', 'multipleOf'],
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  array: ['minItems', 'maxItems', 'uniqueItems'],
  object: ['minProperties', 'maxProperties'],
  any: ['style'],
});
// Integer formats are compared as ranges; validators do not check the others.
const UNCHECKED_FORMATS = [...Object.keys(INTEGER_RANGES), 'float', 'double', 'password'];

/**
 * Creates a comparison of schemas for requests or for responses. Clients of the older contract send requests that the newer
 * contract must accept; responses go the other way. Only certain breaks are reported: keywords such as `not` and `if` are
 * not compared.
 */
export function createSchemaComparison(before: Document, after: Document, isResponse: boolean): CompareSchemas {
  const [sender, receiver] = isResponse ? [after, before] : [before, after];
  const excluded = isResponse ? 'writeOnly' : 'readOnly';
  return (old, now) => {
    const [sent, accepted] = isResponse ? [now, old] : [old, now];
    return [...new Set(compare([sent], [accepted], '', new Set()))];
  };

  // `compared` has the pairs of schemas that were compared already, which ends the recursion in recursive schemas.
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
    if (accepted.some(allowsNothing)) yield `${path} ${isResponse ? 'was added' : 'is no longer accepted'}`;
    // Each alternative that may be sent must be accepted.
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
      if (!isAccepted) yield describe(`${keyword} ${isResponse ? 'allows more values' : 'accepts fewer values'}`);
    }
    yield* compareChildren(sent, accepted, path, compared);
  }

  function compareValues(sent: Parts, accepted: Parts): string[] {
    const [sentTypes, types] = [allowedBy(sent, typesOf), allowedBy(accepted, typesOf)];
    const [sentValues, values] = [allowedBy(sent, valuesOf), allowedBy(accepted, valuesOf)];
    const changes = [
      ...(isNarrower(sentTypes, types) ? [describeChange('type', showValues(sentTypes), showValues(types))] : []),
      ...(isNarrower(sentValues, values) ? [describeChange('enum', showValues(sentValues), showValues(values))] : []),
    ];
    // An enum is stricter than limits, so limits need no comparison.
    if (sentValues) return changes;
    const isPossible = (type: string): boolean => type === 'any' || sentTypes?.has(type) !== false;
    const keywords = RESTRICTIONS.flatMap(([type, names]) => (isPossible(type) ? names : []));
    return [...changes, ...keywords.flatMap((keyword) => compareRestrictions(keyword, sent, accepted))];
  }

  function compareRestrictions(keyword: string, sent: Parts, accepted: Parts): string[] {
    if (/^m(in|ax)/.test(keyword)) {
      const [given, asked] = [readLimit(sent, keyword), readLimit(accepted, keyword)];
      const isBreaking = asked && isTighter(keyword, asked, given);
      return isBreaking ? [describeChange(keyword, showLimit(given), showLimit(asked))] : [];
    }
    const [given, asked] = [readRules(sent, keyword), readRules(accepted, keyword)];
    const isFulfilled = asked.every((rule) => given.some((sentRule) => fulfils(keyword, sentRule, rule)));
    return isFulfilled ? [] : [describeChange(keyword, showValues(given), showValues(asked))];
  }

  function describeChange(keyword: string, sentText: string, acceptedText: string): string {
    return `${keyword} ${isResponse ? `${acceptedText} -> ${sentText}` : `${sentText} -> ${acceptedText}`}`;
  }

  function findNewlyRequired(sent: Parts, accepted: Parts): string[] {
    const mayBeObject = allowedBy(sent, typesOf)?.has('object') !== false;
    const names = new Set(mayBeObject ? accepted.flatMap((part) => part.required ?? []) : []);
    const isOptional = (name: string): boolean => !sent.some((part) => part.required?.includes(name));
    const isKnown = (name: string): boolean => !isResponse || namesOf(sent).has(name);
    const optional = [...names].filter((name) => isOptional(name) && isKnown(name) && isVisible(sent, accepted, name));
    return optional.map((name) => `${name} is now ${isResponse ? 'optional' : 'required'}`);
  }

  function* compareChildren(sent: Parts, accepted: Parts, path: string, compared: Set<string>): Generator<string> {
    const prefix = path === '' ? '' : `${path}/`;
    const names = new Set([...namesOf(sent), ...namesOf(accepted)]);
    for (const name of [...names].filter((name) => isVisible(sent, accepted, name))) {
      const sentProperty = propertyOf(sent, name);
      if (isResponse && !namesOf(sent).has(name)) yield `${prefix}${name} was removed`;
      // A new request property breaks nothing, unless the older contract has a schema for undeclared properties.
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

// Returns schemas together with those in their allOf.
function flatten(document: Document, schemas: Parts): Parts {
  return collectInPlaceSchemas(document, schemas, ['allOf']);
}

// Yields the schemas with one alternative from each oneOf and anyOf, in all combinations.
function* chooseAlternatives(document: Document, parts: Parts, chosen: readonly Parts[] = []): Generator<Parts> {
  const list = alternativesOf(parts).find(({ schemas }) => !chosen.includes(schemas))?.schemas;
  if (!list) yield parts;
  for (const alternative of list ?? [])
    yield* chooseAlternatives(document, [...parts, ...flatten(document, [alternative])], [...chosen, list ?? []]);
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

/** The types, or the values, that all schemas allow; undefined if every one is allowed. */
function allowedBy(parts: Parts, read: (schema: Schema) => Values): Values {
  const sets = parts.map(read).filter((values) => values !== undefined);
  if (sets.length === 0) return undefined;
  return sets.reduce((left, right) => new Set([...left].filter((value) => right.has(value))));
}

// A number is an integer or a fraction. Without a type, the values imply it.
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
  return JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? String(member) : member));
}

/** Whether some values that may be sent are not accepted. An undefined set contains all values. */
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
  // A double keeps 15 digits of a decimal such as 0.3, so that 0.3 is 3 times 0.1.
  return Number.isInteger(Number((Number(sentRule) / Number(acceptedRule)).toPrecision(15)));
}

interface Limit {
  readonly value: number | bigint;
  /** Whether the limit itself is excluded. */
  readonly isExclusive: boolean;
}

// Returns the tightest limit. `exclusiveMinimum` is a number, or in OpenAPI 3.0 a flag next to `minimum`.
function readLimit(parts: readonly Schema[], keyword: string): Limit | undefined {
  const limits = parts.flatMap((part): Limit[] => {
    const exclusive = exactValueOf(part, keyword.replace(/^m(in|ax)imum$/, 'exclusiveM$1imum'));
    const formatLimit = ((INTEGER_RANGES as Keywords)[part.format ?? ''] as Keywords | undefined)?.[keyword];
    const values = [exactValueOf(part, keyword), formatLimit].filter(isNumber);
    return [
      ...(isNumber(exclusive) ? [{ value: exclusive, isExclusive: keyword.endsWith('imum') }] : []),
      ...values.map((value) => ({ value, isExclusive: exclusive === true })),
    ];
  });
  // A minimum size of 0 limits nothing.
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

// Numbers each schema, so that the numbers of two lists of schemas form the key of the pair.
function idOf(schema: object): number {
  const number = numbers.get(schema) ?? count++;
  numbers.set(schema, number);
  return number;
}
