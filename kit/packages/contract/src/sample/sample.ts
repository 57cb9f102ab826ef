// Creates a sample value for a schema, from the contract's examples if it has any.
import { narrowShape, itemShape, propertyShape, type Shape } from '../4-shape/shape';
import { resolveReference, type NormalizedDocument } from '../2-resolve/document';
import { itemSchemas, propertySchemas } from '../2-resolve/find-schemas';
import { isObjectOrArray, toRegExp, typesRestrictedBy, type NormalizedSchema } from '../2-resolve/schema';
import { jsonTypesOf } from '../2-resolve/supported';
import { exactValueOf } from '../1-parse/parse-yaml';

type Schemas = readonly NormalizedSchema[];

/** Returns the outermost value of a keyword in a schema, its allOf and its chosen alternatives. */
type ReadKeyword = (keyword: string) => unknown;

/** Selects one of the values that a schema allows. */
export interface SampleOptions {
  /** The name of the value's property, which string samples contain. */
  readonly name?: string;
  /** The index of the alternative to use in each anyOf and oneOf. Alternatives with fewer required properties come first. */
  readonly alternative?: number;
  /** Whether to include an optional property; `depth` is 0 at the top. */
  readonly wants?: (name: string, depth: number) => boolean;
  /** Whether to use the contract's examples, which are not always valid. The default is true. */
  readonly takesExamples?: boolean;
  /** Makes strings that match a pattern, which are tried last. */
  readonly makeMatching?: (pattern: string) => readonly string[];
}

// Optional properties are omitted from this depth on, or once the sample has this many values.
const MAX_DEPTH_OF_OPTIONAL = 4;
const MAX_VALUES = 1_000;

/**
 * Creates a value for a schema. Integers beyond 2^53 are bigints. For unusual schemas, the value can be invalid, so the
 * caller has to check it. It is undefined if none is found, such as for a schema that requires itself.
 *
 * @example makeSample(document, { type: 'object', required: ['name'], properties: { name: { type: 'string' } } }, {}) // { name: 'name' }
 */
export function makeSample(document: NormalizedDocument, node: NormalizedSchema, options: SampleOptions): unknown {
  const { name = 'text', alternative = 0, wants = () => true, takesExamples = true } = options;
  let count = 0;
  return sampleOf([node], name, []);

  function sampleOf(nodes: Schemas, name: string, ancestors: Schemas, depth = 0): unknown {
    const schemas = nodes.map((node) => resolveReference(document, node));
    // The sample of a schema that contains itself would never end.
    if (schemas.some((schema) => ancestors.includes(schema)) || ++count > 2 * MAX_VALUES) return undefined;
    const lineage = [...ancestors, ...schemas];
    const chosenSchemas = schemas.flatMap((schema) => chooseSchemas(document, schema, alternative, lineage));
    const read: ReadKeyword = (keyword) => {
      const owner = chosenSchemas.find((schema) => Object.hasOwn(schema, keyword));
      return owner && exactValueOf(owner, keyword);
    };
    const type = chooseType(chosenSchemas);
    const constant = readConstant(read);
    if (constant !== undefined) return constant;
    return (takesExamples ? readExample(read, type) : undefined) ?? makeValue();

    function makeValue(): unknown {
      if (type === 'object') return makeObject();
      if (type === 'array') return makeArray();
      if (type === 'null') return null;
      if (type === 'boolean') return true;
      return type === 'string' ? sampleText(name, read, options.makeMatching) : sampleNumber(read, type === 'integer');
    }

    function makeObject(): unknown {
      const required = new Set(chosenSchemas.flatMap((schema) => schema.required ?? []));
      const declared = chosenSchemas.flatMap((schema) => Object.keys(schema.properties ?? {}));
      const members: Record<string, unknown> = {};
      for (const key of new Set([...declared, ...required])) {
        const isIncluded = depth < MAX_DEPTH_OF_OPTIONAL && count < MAX_VALUES && wants(key, depth);
        if (!required.has(key) && !isIncluded) continue;
        const value = sampleOf(propertySchemas(chosenSchemas, key), key, lineage, depth + 1);
        if (value !== undefined) members[key] = value;
        else if (required.has(key)) return undefined;
      }
      return members;
    }

    function makeArray(): unknown {
      const { length: prefixCount } = chosenSchemas.find((schema) => schema.prefixItems)?.prefixItems ?? [];
      const minimum = Math.max(Number(read('minItems') ?? 0), prefixCount);
      const length = Math.min(Math.max(minimum, 1), Number(read('maxItems') ?? MAX_VALUES));
      const schemasAt = (index: number): Schemas => {
        const schemas = itemSchemas(chosenSchemas, index);
        return schemas.length > 0 ? schemas : chosenSchemas.flatMap(({ contains }) => contains ?? []);
      };
      if (minimum > MAX_VALUES) return undefined;
      if (minimum === 0 && schemasAt(0).length === 0) return [];
      const items = Array.from({ length }, (_, index) => sampleOf(schemasAt(index), name, lineage, depth + 1));
      if (!items.includes(undefined)) return items;
      return minimum === 0 ? [] : undefined;
    }
  }
}

const SAMPLE_BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T12:00:00Z',
  date: '2026-01-01',
  time: '12:00:00Z',
  duration: 'P1D',
  email: 'user@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  'uri-template': '/{id}',
  uuid: '00000000-0000-4000-8000-000000000000',
  byte: 'dGV4dA==',
  regex: '.*',
  'json-pointer': '/text',
};

/** The string formats that the server checks. @example CHECKED_FORMATS.has('date') // true */
export const CHECKED_FORMATS: ReadonlySet<string> = new Set([
  ...Object.keys(SAMPLE_BY_FORMAT),
  ...'iso-time iso-date-time uri-reference relative-json-pointer json-pointer-uri-fragment'.split(' '),
]);

// The greatest minLength for which a sample is made, because a contract can require strings that do not fit into memory.
const MAX_CHARACTERS = 100_000;

// If the name does not match a pattern, these strings are tried, and then repeated characters.
const PATTERN_CANDIDATES = [...Object.values(SAMPLE_BY_FORMAT), '2026-01-01T12:00:00.000Z'];
const REPEATED_CHARACTERS = ['A', 'a', '0'];
const MAX_REPEATS = 40;

/** Returns a string that matches the format, length and pattern, preferably the name itself; undefined if none is found. */
function sampleText(name: string, read: ReadKeyword, makeMatching: SampleOptions['makeMatching']): string | undefined {
  const format = String(read('format'));
  const sampleOfFormat = Object.hasOwn(SAMPLE_BY_FORMAT, format) ? SAMPLE_BY_FORMAT[format] : undefined;
  const formattedText = /^[iu]ri-reference$/.test(format) ? `/${encodeURIComponent(name)}` : sampleOfFormat;
  const [minimum, maximum] = [Number(read('minLength') ?? 0), Number(read('maxLength') ?? Infinity)];
  if (minimum > MAX_CHARACTERS) return undefined;
  const pattern = (read('pattern') ?? '') as string;
  const regExp = toRegExp(pattern);
  const isAllowed = (text: string): boolean => {
    const { length } = Array.from(text);
    return length >= minimum && length <= maximum && regExp.test(text);
  };
  const padded = name.padEnd(minimum, name || ' ').slice(0, Math.min(maximum, Math.max(minimum, name.length)));
  const simpleText = [...(formattedText === undefined ? [] : [formattedText]), padded].find(isAllowed);
  const repeatedTexts = REPEATED_CHARACTERS.flatMap((character) =>
    Array.from({ length: MAX_REPEATS }, (_, index) => character.repeat(index + 1)),
  );
  return (
    simpleText ?? [...PATTERN_CANDIDATES, ...repeatedTexts].find(isAllowed) ?? makeMatching?.(pattern).find(isAllowed)
  );
}

type Numeric = number | bigint;

const LIMITS = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'] as const;

/** Returns 1 or a number near a limit; undefined if none of them is allowed. */
function sampleNumber(read: ReadKeyword, isInteger: boolean): Numeric | undefined {
  const [minimum, aboveMinimum, maximum, belowMaximum] = LIMITS.map(read);
  const limits = [minimum, aboveMinimum, maximum, belowMaximum].filter(isNumeric);
  const step = read('multipleOf') as Numeric | undefined;
  const candidates = [1, ...limits].flatMap(neighboursOf);
  const middle = limits.reduce<number>((sum, limit) => sum + Number(limit), 0) / limits.length;
  const multiples = isNumeric(step) ? candidates.flatMap((value) => multiplesNear(value, step)) : [];
  return [...candidates, middle, ...multiples].find(isAllowedNumber);

  function isAllowedNumber(value: Numeric): boolean {
    if (typeof value === 'number' && (isInteger ? !Number.isSafeInteger(value) : !Number.isFinite(value))) return false;
    // In OpenAPI 3.0, exclusiveMinimum is a flag.
    if (isNumeric(minimum) && (aboveMinimum === true ? value <= minimum : value < minimum)) return false;
    if (isNumeric(maximum) && (belowMaximum === true ? value >= maximum : value > maximum)) return false;
    if (isNumeric(aboveMinimum) && value <= aboveMinimum) return false;
    if (isNumeric(belowMaximum) && value >= belowMaximum) return false;
    return !isNumeric(step) || multiplesNear(value, step)[0] === value;
  }
}

function isNumeric(value: unknown): value is Numeric {
  return typeof value === 'number' || typeof value === 'bigint';
}

function neighboursOf(value: Numeric): Numeric[] {
  if (typeof value === 'bigint') return [value, value + 1n, value - 1n];
  return [value, Math.ceil(value), Math.floor(value), value + 1, value - 1];
}

// Lists multiples of `step` near a value. If the value itself is one, it comes first.
function multiplesNear(value: Numeric, step: Numeric): Numeric[] {
  if (typeof value === 'bigint') {
    const exactStep = BigInt(step);
    const lower = (value / exactStep) * exactStep;
    return [lower, lower + exactStep, lower - exactStep];
  }
  const [up, down] = [Math.ceil(value / Number(step)), Math.floor(value / Number(step))];
  return [up * Number(step), down * Number(step)];
}

function readConstant(read: ReadKeyword): unknown {
  const constants = [read('const'), ...((read('enum') ?? []) as unknown[])].filter((value) => value !== undefined);
  return constants.find((value) => value !== null) ?? constants[0];
}

function readExample(read: ReadKeyword, type: string): unknown {
  const examples = read('examples');
  const listedExamples = Array.isArray(examples) ? (examples as unknown[]) : [];
  // YAML parses an unquoted example as a number, even if the author meant a string.
  return [read('example'), ...listedExamples, read('default')].find((value) => jsonTypesOf(value).includes(type));
}

function chooseType(schemas: Schemas): string {
  const lists = schemas.flatMap(({ type }) => (type === undefined ? [] : [[type].flat()]));
  const types = (lists[0] ?? []).filter((type) => lists.every((list) => list.includes(type) || type === 'integer'));
  const declared = types.find((type) => type !== 'null') ?? types[0];
  return declared ?? schemas.flatMap(typesRestrictedBy)[0] ?? 'string';
}

/** Lists the schemas that a sample has to match: the schema, its allOf, and one alternative of each anyOf and oneOf. */
function chooseSchemas(
  document: NormalizedDocument,
  node: NormalizedSchema,
  alternative: number,
  ancestors: Schemas,
): NormalizedSchema[] {
  const cache = new Map<NormalizedSchema, NormalizedSchema[]>();
  return listOf(node);

  function listOf(child: NormalizedSchema): NormalizedSchema[] {
    const schema = resolveReference(document, child);
    const { allOf = [], anyOf = [], oneOf = [] } = schema;
    const chosenSchemas = cache.get(schema) ?? [
      ...new Set([schema, ...allOf.flatMap(listOf), ...choose(anyOf), ...choose(oneOf)]),
    ];
    cache.set(schema, chosenSchemas);
    return chosenSchemas;
  }

  function choose(alternatives: Schemas): NormalizedSchema[] {
    const choices = alternatives.filter((alternative) => !ancestors.includes(resolveReference(document, alternative)));
    // In a oneOf, a value with few properties is less likely to match another alternative as well.
    const lists = choices.map(listOf).toSorted((left, right) => countRequired(left) - countRequired(right));
    return lists[alternative % lists.length] ?? [];
  }
}

// Alternatives other than objects are sorted last, and null after them.
function countRequired(schemas: Schemas): number {
  if (schemas.some(({ properties }) => properties)) return schemas.flatMap(({ required = [] }) => required).length;
  return schemas.some(({ type }) => type === 'null') ? Infinity : Number.MAX_VALUE;
}

/**
 * Converts a value from the contract, such as an example, to a handler's reply. Int64s become bigints. Properties that are
 * writeOnly or have no schema are omitted.
 *
 * @param shape the shape of the reply's body
 * @example toReplyValue(media.shape.properties.get('body'), { id: 1 }) // { id: 1n }, where id is an int64
 */
export function toReplyValue(shape: Shape | undefined, value: unknown): unknown {
  if (typeof value === 'number') return shape?.isInt64 === true && Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value === 'bigint') return shape?.isInt64 === true ? value : Number(value);
  if (!isObjectOrArray(value)) return value;
  if (Array.isArray(value)) return value.map((item, index) => toReplyValue(itemShape(shape, index), item));
  const owner = shape && narrowShape(shape, value);
  const members = Object.keys(value).flatMap((name) => {
    const child = propertyShape(owner, name);
    const isKept = !owner || (!owner.excluded.has(name) && (child !== undefined || owner.keepsUndeclared));
    return isKept ? [[name, toReplyValue(child, exactValueOf(value, name))] as const] : [];
  });
  return Object.fromEntries(members);
}
