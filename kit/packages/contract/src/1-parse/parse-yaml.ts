// Parses YAML contracts without rounding integers, and finds their references.
import {
  CORE_SCHEMA,
  load,
  YAMLException,
  mapTag,
  mergeTag,
  type Schema,
  intCoreTag,
  type ScalarTagDefinition,
} from 'js-yaml';
import { ContractError } from '../text/document-error';

const EXACT_INTEGER_TAG: ScalarTagDefinition<number | bigint> = {
  ...intCoreTag,
  resolve(source, isExplicit, tagName) {
    const value = intCoreTag.resolve(source, isExplicit, tagName);
    return typeof value === 'number' && !Number.isSafeInteger(value) ? BigInt(source) : value;
  },
};

// The key of an object's exact values. It is a symbol, so that Object.entries does not list them.
const EXACT_VALUES = Symbol('as it was written');

interface WithExactValues {
  [EXACT_VALUES]?: Readonly<Record<string, unknown>>;
}

/** Converts bigints to doubles, even in arrays. Nested objects were already converted when they were parsed. */
function toDoubles(value: unknown, converted = new Map<unknown, unknown>()): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (!Array.isArray(value)) return value;
  if (converted.has(value)) return converted.get(value);
  converted.set(value, value);
  const items = value.map((item) => toDoubles(item, converted));
  const isUnchanged = items.every((item, index) => item === value[index]);
  converted.set(value, isUnchanged ? value : items);
  return isUnchanged ? value : items;
}

export function copyExactValues<T extends object>(object: object, copy: T): T {
  const { [EXACT_VALUES]: exactValues } = object as WithExactValues;
  return exactValues === undefined ? copy : Object.assign(copy, { [EXACT_VALUES]: exactValues });
}

/**
 * Returns a key's value, with integers beyond 2^53 as bigints.
 *
 * @example exactValueOf(schema, 'maximum') // 9223372036854775807n
 */
export function exactValueOf(object: object, key: string): unknown {
  const rounded = (object as Readonly<Record<string, unknown>>)[key];
  const value = (object as WithExactValues)[EXACT_VALUES]?.[key] ?? rounded;
  return typeof value === 'number' ? toExact(value) : value;
}

/**
 * Converts the integers beyond 2^53 in a value from a contract to bigints, at any depth.
 *
 * @example toExact(exactValueOf(schema, 'enum')) // [1, 9007199254740993n]
 */
export function toExact(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toExact);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.keys(value).map((key) => [key, toExact(exactValueOf(value, key))]));
}

// The YAML types of a contract. Merge keys (<<) belong to YAML 1.1, but contracts use them.
const EXACT_SCHEMA = CORE_SCHEMA.withTags(mergeTag, EXACT_INTEGER_TAG);

/**
 * Parses a contract. It rejects references to other files, and aliases that repeat too much.
 *
 * @throws ContractError, `file:line:column reason`
 * @example const document = parseYaml('openapi: 3.1.0', 'openapi.yaml') as Document
 */
export function parseYaml(source: string, file: string): unknown {
  const document = parseText(source, file, ROUNDING_SCHEMA);
  const externalReference = [...findReferences(document)].find(
    ({ reference, isOutside }) => isOutside && reference !== '#' && !whyUnfollowed(reference),
  );
  return externalReference ? parseText(source, file, createRejectingSchema(externalReference.reference)) : document;
}

/**
 * Parses one file of a multi-file contract, without following references to the others. An integer that a double
 * cannot hold becomes a bigint.
 *
 * @throws ContractError, `file:line:column reason`
 * @example parsePart('$ref: ./pet.yaml', 'openapi.yaml') // { $ref: './pet.yaml' }
 */
export function parsePart(source: string, file: string): unknown {
  return parseText(source, file, EXACT_SCHEMA);
}

function parseText(source: string, file: string, schema: Schema): unknown {
  try {
    const document = localizeReferences(indentBrackets(source, schema).document);
    const repeated = countExpandedCharacters(document) - source.length;
    if (repeated > MAX_REPEATED_CHARACTERS) throw new YAMLException(TOO_MANY_REPEATS);
    return document;
  } catch (error) {
    // Without a mark, the error is about the whole file.
    const { reason, mark: { line, column } = { line: 0, column: 0 } } = error as YAMLException;
    // If the column is beyond the end of its line, indentBrackets moved the bracket.
    const isMovedBracket = column > String(source.split('\n')[line]).length;
    const position = `${String(line + 1)}:${String((isMovedBracket ? column - INDENTATION.length : column) + 1)}`;
    throw new ContractError(`${file}:${position} ${reason}`, { cause: error });
  }
}

// The spaces that are inserted before a bracket: more than there are before any key.
const INDENTATION = ' '.repeat(200);
const BRACKET_FIRST = /^[ \t]*[}\]]/;
// Matches the first line of a block scalar. Its text follows in lines that are indented further.
const BLOCK_SCALAR = /(?:^|[\s:-])[|>][-+\d]{0,2}(?:[ \t]+#.*)?[ \t]*\r?$/;

/**
 * Loads YAML, even if a closing bracket is in the same column as its key. YAML 1.2 forbids this, but other parsers
 * accept it. The returned text has such brackets indented.
 *
 * @throws YAMLException
 * @example indentBrackets('a: {\n}').document // { a: {} }
 */
export function indentBrackets(source: string, schema = EXACT_SCHEMA): { text: string; document: unknown } {
  try {
    return { text: source, document: load(source, { schema }) };
  } catch (error) {
    if ((error as YAMLException).reason !== 'deficient indentation') throw error;
    const text = indentBracketLines(source);
    return { text, document: load(text, { schema }) };
  }
}

// Indents closing brackets outside block scalars, where this does not change the document.
function indentBracketLines(source: string): string {
  let blockIndentation = Infinity;
  const lines = source.split('\n').map((line) => {
    if (line.trim() === '' || line.search(/[^ ]/) > blockIndentation) return line;
    blockIndentation = BLOCK_SCALAR.test(line) ? line.search(/[^ ]/) : Infinity;
    return BRACKET_FIRST.test(line) ? INDENTATION + line : line;
  });
  return lines.join('\n');
}

// The most that aliases may repeat: enough for a thousand operations that share a response of 500 characters.
const MAX_REPEATED_CHARACTERS = 500_000;
const TOO_MANY_REPEATS =
  'the aliases repeat more than 500,000 characters: move what they repeat into components, and refer to it';

// Counts the characters after expanding aliases, as validators do. Nested aliases multiply the count.
function countExpandedCharacters(value: unknown, sizes = new Map<object, number>()): number {
  if (typeof value !== 'object' || value === null) return 1 + String(value).length;
  const size = sizes.get(value);
  if (size === Infinity) throw new YAMLException('an alias refers to a collection that contains it');
  if (size !== undefined) return size;
  sizes.set(value, Infinity);
  let sum = 1;
  for (const [key, member] of Object.entries(value)) {
    sum += (Array.isArray(value) ? 0 : key.length) + countExpandedCharacters(member, sizes);
  }
  sizes.set(value, sum);
  return sum;
}

// Matches a JSON pointer in a fragment (RFC 6901 section 6). Redocly treats everything before a second # as a file name.
const LOCAL_REFERENCE = /^#\/[^#]*$/;
const COMPONENT_NAME = /^[\w.-]+$/;
const FILE_NAME = /\.(?:ya?ml|json)$/i;

/** Whether a reference has a scheme or begins with two slashes (RFC 3986 section 4.2). */
export function isRemote(reference: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(reference);
}

const REMOTE_MESSAGE =
  'is remote, and the kit fetches nothing: bundle it into the contract, for example with npx @redocly/cli bundle';
// Matches a fragment that is not a JSON pointer, such as the name of an $anchor.
const ANCHOR = /#(?!$|\/[^#]*$)/;

/**
 * Explains why the kit does not follow a reference; undefined if it does.
 *
 * @example whyUnfollowed('#pet') // 'is not a JSON pointer: write one, such as #/components/schemas/Pet'
 */
export function whyUnfollowed(reference: string): string | undefined {
  if (isRemote(reference)) return REMOTE_MESSAGE;
  return ANCHOR.test(reference) ? 'is not a JSON pointer: write one, such as #/components/schemas/Pet' : undefined;
}

/** Adds a value with its bigints rounded to doubles, and keeps the exact value separately. Returns an error message, or ''. */
function addRounded(map: Record<string, unknown>, key: unknown, value: unknown): string {
  const rounded = toDoubles(value);
  const target: WithExactValues = map;
  // A key can override a merged key, whose exact value must not remain.
  if (rounded !== value || target[EXACT_VALUES])
    target[EXACT_VALUES] = { ...target[EXACT_VALUES], [String(key)]: rounded === value ? undefined : value };
  return mapTag.addPair(map, key, rounded);
}

const ROUNDING_MAP_TAG = {
  ...mapTag,
  addPair: addRounded,
  // js-yaml calls this to read the values that a merge key copies.
  get: (map: Record<string, unknown>, key: unknown) => exactValueOf(map, String(key)),
};

const ROUNDING_SCHEMA = EXACT_SCHEMA.withTags(ROUNDING_MAP_TAG);

// Creates a schema that rejects a reference while js-yaml parses, so that the error has a line and column.
function createRejectingSchema(reference: string): typeof ROUNDING_SCHEMA {
  const reason = 'refers to another file: run contract-kit bundle, which makes one document from several files';
  return ROUNDING_SCHEMA.withTags({
    ...ROUNDING_MAP_TAG,
    addPair: (map: Record<string, unknown>, key: unknown, value: unknown) =>
      listReferences(key, value).some((candidate) => candidate.reference === reference)
        ? `${JSON.stringify(reference)} ${reason}`
        : addRounded(map, key, value),
  });
}

// The base URL for a `$self` that is only a path.
const BASE = 'file:///';

/**
 * Turns references to a document's own `$self` into fragments (OpenAPI 3.2, OpenAPI Object). All other references stay relative to the file.
 *
 * @returns the same document
 * @example localizeReferences({ openapi: '3.2.0', $self: 'https://a.example/b', c: { $ref: 'b#/d' } }) // c: { $ref: '#/d' }
 */
export function localizeReferences(document: unknown): unknown {
  const { openapi, $self } = Object(document) as Readonly<Record<string, unknown>>;
  if (!String(openapi).startsWith('3.2') || typeof $self !== 'string' || !URL.canParse($self, BASE)) return document;
  const self = new URL($self, BASE).href;
  for (const { reference, keys } of findReferences(document)) {
    if (reference.startsWith('#') || !URL.canParse(reference, self)) continue;
    const [uri, fragment = ''] = new URL(reference, self).href.split('#');
    const parent = keys.slice(0, -1).reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], document);
    const isName = keys.at(-1) !== '$ref' && COMPONENT_NAME.test(reference) && !FILE_NAME.test(reference);
    if (uri === self && !isName) Object.assign(parent as object, { [String(keys.at(-1))]: `#${fragment}` });
  }
  return document;
}

interface FoundReference {
  readonly reference: string;
  readonly keys: readonly string[];
  readonly isOutside: boolean;
}

/**
 * Finds the references in a document, including discriminator mappings. It skips data such as examples, and references
 * to remote examples, which are only documentation.
 *
 * @example [...findReferences({ $ref: './pet.yaml' })] // [{ reference: './pet.yaml', keys: ['$ref'], isOutside: true }]
 */
export function* findReferences(
  node: unknown,
  keys: readonly string[] = [],
  isNameMap = false,
  seen = new Set<object>(),
): Generator<FoundReference> {
  if (typeof node !== 'object' || node === null || seen.has(node)) return;
  seen.add(node);
  for (const [key, value] of Object.entries(node) as [string, unknown][]) {
    if (!isNameMap && isData(key, value)) continue;
    const path = [...keys, key];
    if (!isNameMap) for (const match of listReferences(key, value)) yield { ...match, keys: [...path, ...match.keys] };
    yield* findReferences(value, path, !isNameMap && isMapByName(key, value), seen);
  }
}

function listReferences(key: unknown, value: unknown): FoundReference[] {
  if (key === 'discriminator') return listMappingTargets(value);
  if (typeof value !== 'string' || !(key === '$ref' || (key === 'externalValue' && !isRemote(value)))) return [];
  return [{ reference: value, keys: [], isOutside: !LOCAL_REFERENCE.test(value) }];
}

// OpenAPI 3.1, section 4.8.25: the values of a mapping are schema names or references.
function listMappingTargets(discriminator: unknown): FoundReference[] {
  const { mapping, defaultMapping } = (discriminator ?? {}) as Record<string, unknown>;
  const mapped = Object.entries((mapping ?? {}) as Record<string, unknown>);
  const targets = [...mapped.map(([name, to]) => [to, 'mapping', name]), [defaultMapping, 'defaultMapping']];
  return targets.flatMap(([reference, ...keys]) =>
    typeof reference === 'string' ? [{ reference, keys: keys as string[], isOutside: !isLocalTarget(reference) }] : [],
  );
}

// A target such as pet.yaml could also be a schema name, but is treated as a file.
function isLocalTarget(target: string): boolean {
  return LOCAL_REFERENCE.test(target) || (COMPONENT_NAME.test(target) && !FILE_NAME.test(target));
}

const KEYWORDS_WITH_NAMES = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions', 'schemas', 'mapping', 'variables'],
  ...['headers', 'parameters', 'responses', 'requestBodies', 'pathItems', 'callbacks', 'webhooks', 'examples', 'links'],
  ...['content', 'encoding', 'paths', 'mediaTypes', 'additionalOperations', 'x-oai-additionalOperations'],
]);
const KEYWORDS_WITH_DATA = new Set(['example', 'value', 'dataValue', 'default', 'enum', 'const']);

/** Whether a keyword's value is keyed by name, as in `properties`. A key such as `default` in it is not a keyword. */
export function isMapByName(keyword: string, value: unknown): boolean {
  return KEYWORDS_WITH_NAMES.has(keyword) && !Array.isArray(value);
}

/** Whether a keyword's value is data, as in `default`. Its keys are not keywords. */
export function isData(keyword: string, value: unknown): boolean {
  // In a schema, `examples` is a list of data. In a media type, it holds Example Objects by name.
  return KEYWORDS_WITH_DATA.has(keyword) || (keyword === 'examples' && Array.isArray(value));
}
