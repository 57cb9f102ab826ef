// Makes a value that a schema allows: an example from the contract, or else a simple one.
import { narrowShape, itemShape, propertyShape, type Shape } from '../4-shape/shape';
import { resolveReference, type NormalizedDocument } from '../2-resolve/document';
import { itemSchemas, propertySchemas } from '../2-resolve/find-schemas';
import { isObjectOrArray, toRegExp, typesAbout, type NormalizedSchema } from '../2-resolve/schema';
import { jsonTypesOf } from '../2-resolve/supported';
import { exactValueOf } from '../1-parse/parse-yaml';

type Schemas = readonly NormalizedSchema[];

/** Reads the outermost value of a keyword in a schema, its allOf and its chosen alternatives. */
type ReadKeyword = (keyword: string) => unknown;

/** Chooses among the allowed values. */
export interface SampleOptions {
  /** The name of the property that has the value, which strings repeat. */
  readonly name?: string;
  /** Which alternative of each anyOf and oneOf to take; 0 is the one that requires least. */
  readonly alternative?: number;
  /** Whether to include an optional property; `depth` is 0 at the top. */
  readonly wants?: (name: string, depth: number) => boolean;
  /** Whether to use the contract's examples, which may be invalid; true by default. */
  readonly takesExamples?: boolean;
  /** Makes strings that match a pattern, which are tried last. */
  readonly makeMatching?: (pattern: string) => readonly string[];
}

// Optional properties are left out below this depth, or once the sample has this many values.
const MAX_DEPTH_OF_OPTIONAL = 4;
const MAX_VALUES = 1_000;

/**
 * Makes a value for a schema, in which an int64 is a number, or a bigint beyond 2^53. The value may be invalid for unusual
 * schemas, so the caller has to check it. Undefined if none is found, such as for a schema that requires itself.
 *
 * @example makeSample(document, { type: 'object', required: ['name'], properties: { name: { type: 'string' } } }, {}) // { name: 'name' }
 */
export function makeSample(document: NormalizedDocument, node: NormalizedSchema, options: SampleOptions): unknown {
  const { name = 'text', alternative = 0, wants = () => true, takesExamples = true } = options;
  let count = 0;
  return sampleOf([node], name, []);

  // `enclosing` are the schemas of the values around this one.
  function sampleOf(nodes: Schemas, name: string, enclosing: Schemas, depth = 0): unknown {
    const schemas = nodes.map((node) => resolveReference(document, node));
    // A schema that contains itself would never end.
    if (schemas.some((schema) => enclosing.includes(schema)) || ++count > 2 * MAX_VALUES) return undefined;
    const around = [...enclosing, ...schemas];
    const chosen = schemas.flatMap((schema) => chooseSchemas(document, schema, alternative, around));
    const read: ReadKeyword = (keyword) => {
      const owner = chosen.find((schema) => Object.hasOwn(schema, keyword));
      return owner && exactValueOf(owner, keyword);
    };
    const type = chooseType(chosen);
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
      const required = new Set(chosen.flatMap((schema) => schema.required ?? []));
      const declared = chosen.flatMap((schema) => Object.keys(schema.properties ?? {}));
      const members: Record<string, unknown> = {};
      for (const key of new Set([...declared, ...required])) {
        const isIncluded = depth < MAX_DEPTH_OF_OPTIONAL && count < MAX_VALUES && wants(key, depth);
        if (!required.has(key) && !isIncluded) continue;
        const value = sampleOf(propertySchemas(chosen, key), key, around, depth + 1);
        if (value !== undefined) members[key] = value;
        else if (required.has(key)) return undefined;
      }
      return members;
    }

    function makeArray(): unknown {
      const { length: prefix } = chosen.find((schema) => schema.prefixItems)?.prefixItems ?? [];
      const minimum = Math.max(Number(read('minItems') ?? 0), prefix);
      const length = Math.min(Math.max(minimum, 1), Number(read('maxItems') ?? MAX_VALUES));
      const schemasAt = (index: number): Schemas => {
        const schemas = itemSchemas(chosen, index);
        return schemas.length > 0 ? schemas : chosen.flatMap(({ contains }) => contains ?? []);
      };
      if (minimum > MAX_VALUES) return undefined;
      if (minimum === 0 && schemasAt(0).length === 0) return [];
      const items = Array.from({ length }, (_, index) => sampleOf(schemasAt(index), name, around, depth + 1));
      if (!items.includes(undefined)) return items;
      return minimum === 0 ? [] : undefined;
    }
  }
}

const TEXT_OF_FORMAT: Readonly<Record<string, string>> = {
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
  ...Object.keys(TEXT_OF_FORMAT),
  ...'iso-time iso-date-time uri-reference relative-json-pointer json-pointer-uri-fragment'.split(' '),
]);

// A contract may ask for more characters than fit into memory.
const MAX_CHARACTERS = 100_000;

// Tried if the name does not match a pattern: sample strings, and these characters repeated.
const PATTERN_TEXTS = [...Object.values(TEXT_OF_FORMAT), '2026-01-01T12:00:00.000Z'];
const CHARACTERS = ['A', 'a', '0'];
const MAX_REPEATS = 40;

/** Returns a string of the format, or else the name at an allowed length; undefined if none is found that matches the pattern. */
function sampleText(name: string, read: ReadKeyword, makeMatching: SampleOptions['makeMatching']): string | undefined {
  const format = String(read('format'));
  const textOfFormat = Object.hasOwn(TEXT_OF_FORMAT, format) ? TEXT_OF_FORMAT[format] : undefined;
  const formatted = /^[iu]ri-reference$/.test(format) ? `/${encodeURIComponent(name)}` : textOfFormat;
  const [minimum, maximum] = [Number(read('minLength') ?? 0), Number(read('maxLength') ?? Infinity)];
  if (minimum > MAX_CHARACTERS) return undefined;
  const pattern = (read('pattern') ?? '') as string;
  const regExp = toRegExp(pattern);
  const isAllowed = (text: string): boolean => {
    const { length } = Array.from(text);
    return length >= minimum && length <= maximum && regExp.test(text);
  };
  const fitted = name.padEnd(minimum, name || ' ').slice(0, Math.min(maximum, Math.max(minimum, name.length)));
  const plain = [...(formatted === undefined ? [] : [formatted]), fitted].find(isAllowed);
  const repeated = CHARACTERS.flatMap((character) =>
    Array.from({ length: MAX_REPEATS }, (_, index) => character.repeat(index + 1)),
  );
  return plain ?? [...PATTERN_TEXTS, ...repeated].find(isAllowed) ?? makeMatching?.(pattern).find(isAllowed);
}

type Numeric = number | bigint;

const LIMITS = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'] as const;

/** Returns 1 if that is allowed, or else a number near a limit; undefined if none is found. */
function sampleNumber(read: ReadKeyword, isInteger: boolean): Numeric | undefined {
  const [minimum, aboveMinimum, maximum, belowMaximum] = LIMITS.map(read);
  const limits = [minimum, aboveMinimum, maximum, belowMaximum].filter(isNumeric);
  const step = read('multipleOf') as Numeric | undefined;
  const near = [1, ...limits].flatMap(neighboursOf);
  const middle = limits.reduce<number>((sum, limit) => sum + Number(limit), 0) / limits.length;
  const multiples = isNumeric(step) ? near.flatMap((value) => multiplesNear(value, step)) : [];
  return [...near, middle, ...multiples].find(fits);

  function fits(value: Numeric): boolean {
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

// If the value is a multiple, it comes first.
function multiplesNear(value: Numeric, step: Numeric): Numeric[] {
  if (typeof value === 'bigint') {
    const exactStep = BigInt(step);
    const lower = (value / exactStep) * exactStep;
    return [lower, lower + exactStep, lower - exactStep];
  }
  const [up, down] = [Math.ceil(value / Number(step)), Math.floor(value / Number(step))];
  return [up * Number(step), down * Number(step)];
}

// Prefers any value to null.
function readConstant(read: ReadKeyword): unknown {
  const constants = [read('const'), ...((read('enum') ?? []) as unknown[])].filter((value) => value !== undefined);
  return constants.find((value) => value !== null) ?? constants[0];
}

function readExample(read: ReadKeyword, type: string): unknown {
  const examples = read('examples');
  const listedExamples = Array.isArray(examples) ? (examples as unknown[]) : [];
  // An unquoted example may be a number in YAML although the author meant a string.
  return [read('example'), ...listedExamples, read('default')].find((value) => jsonTypesOf(value).includes(type));
}

function chooseType(schemas: Schemas): string {
  const lists = schemas.flatMap(({ type }) => (type === undefined ? [] : [[type].flat()]));
  const common = (lists[0] ?? []).filter((type) => lists.every((list) => list.includes(type) || type === 'integer'));
  const declared = common.find((type) => type !== 'null') ?? common[0];
  return declared ?? schemas.flatMap(typesAbout)[0] ?? 'string';
}

/** Lists the schemas that a sample has to match: the schema, its allOf, and one alternative of its anyOf and oneOf. */
function chooseSchemas(
  document: NormalizedDocument,
  node: NormalizedSchema,
  alternative: number,
  enclosing: Schemas,
): NormalizedSchema[] {
  // Many paths may lead to a schema, so each is read only once.
  const cache = new Map<NormalizedSchema, NormalizedSchema[]>();
  return listOf(node);

  function listOf(child: NormalizedSchema): NormalizedSchema[] {
    const schema = resolveReference(document, child);
    const { allOf = [], anyOf = [], oneOf = [] } = schema;
    const chosen = cache.get(schema) ?? [
      ...new Set([schema, ...allOf.flatMap(listOf), ...choose(anyOf), ...choose(oneOf)]),
    ];
    cache.set(schema, chosen);
    return chosen;
  }

  function choose(alternatives: Schemas): NormalizedSchema[] {
    const finite = alternatives.filter((alternative) => !enclosing.includes(resolveReference(document, alternative)));
    // In a oneOf, a value for the alternative that requires least is the least likely to match another.
    const lists = finite.map(listOf).toSorted((left, right) => countRequired(left) - countRequired(right));
    return lists[alternative % lists.length] ?? [];
  }
}

// Sorts alternatives that are not objects last, and null after them.
function countRequired(schemas: Schemas): number {
  if (schemas.some(({ properties }) => properties)) return schemas.flatMap(({ required = [] }) => required).length;
  return schemas.some(({ type }) => type === 'null') ? Infinity : Number.MAX_VALUE;
}

/**
 * Converts a value from the contract, such as an example, to a handler's reply: an int64 becomes a bigint, and writeOnly
 * properties and those that no schema describes are left out.
 *
 * @param shape the shape of the reply's body
 * @example toReplyValue(media.shape.properties.get('body'), { id: 1 }) // { id: 1n }, where id is an int64
 */
export function toReplyValue(shape: Shape | undefined, value: unknown): unknown {
  if (typeof value === 'number') return shape?.isInt64 === true && Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value === 'bigint') return shape?.isInt64 === true ? value : Number(value);
  if (!isObjectOrArray(value)) return value;
  if (Array.isArray(value)) return value.map((item, index) => toReplyValue(itemShape(shape, index), item));
  const narrow = shape && narrowShape(shape, value);
  const members = Object.keys(value).flatMap((name) => {
    const child = propertyShape(narrow, name);
    const isKept = !narrow || (!narrow.excluded.has(name) && (child !== undefined || narrow.keepsUndeclared));
    return isKept ? [[name, toReplyValue(child, exactValueOf(value, name))] as const] : [];
  });
  return Object.fromEntries(members);
}
