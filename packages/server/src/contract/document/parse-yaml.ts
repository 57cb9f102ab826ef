// Parses the YAML of contracts.
import { CORE_SCHEMA, load, YAMLException, type Schema } from 'js-yaml';
import { EXACT_INTEGER } from './exact-numbers';
import { ContractError } from './mistake';
import { DOUBLES, findOutside, refusing } from './self-contained';

/** The YAML tags of a document whose integers are exact. */
const EXACT = CORE_SCHEMA.withTags(EXACT_INTEGER);

/**
 * Parses a YAML text. An integer that a double cannot hold becomes a bigint.
 *
 * @throws YAMLException
 * @example parseExactYaml('id: 9007199254740993') // { id: 9007199254740993n }
 */
export function parseExactYaml(source: string): unknown {
  return load(source, { schema: EXACT });
}

/**
 * Parses the text of a contract. Every reader of a contract calls this first: it refuses huge aliases and references to
 * other documents.
 *
 * @throws ContractError, `file:line:column reason`
 * @example const document = parseYaml('openapi: 3.1.0', 'openapi.yaml') as Document
 */
export function parseYaml(source: string, file: string): unknown {
  const document = parseText(source, file, DOUBLES);
  const [outside] = findOutside(document);
  return outside ? parseText(source, file, refusing(outside.reference)) : document;
}

/**
 * Parses one of the files of a contract. References to the other files are allowed and not followed. An integer that a
 * double cannot hold becomes a bigint.
 *
 * @throws ContractError, `file:line:column reason`
 * @example parsePart('$ref: ./pet.yaml', 'openapi.yaml') // { $ref: './pet.yaml' }
 */
export function parsePart(source: string, file: string): unknown {
  return parseText(source, file, EXACT);
}

// `schema`: js-yaml's rules for scalars and mappings.
function parseText(source: string, file: string, schema: Schema): unknown {
  try {
    const document = load(source, { schema });
    const repeated = measure(document) - source.length;
    if (repeated > MAX_REPEATED_CHARACTERS) throw new YAMLException(TOO_MANY_REPEATS);
    return document;
  } catch (error) {
    // Without a mark, the error is about the whole file.
    const { reason, mark = { line: 0, column: 0 } } = error as YAMLException;
    throw new ContractError(`${file}:${String(mark.line + 1)}:${String(mark.column + 1)} ${reason}`, { cause: error });
  }
}

// Enough for a thousand operations that share replies of 500 characters.
const MAX_REPEATED_CHARACTERS = 500_000;
const TOO_MANY_REPEATS = `the aliases repeat more than ${MAX_REPEATED_CHARACTERS.toLocaleString('en')} characters: write what repeats into components and refer to it`;

/**
 * Measures a value in characters, with its aliases written out: an alias is the same object as the node that it stands for.
 * Validators and generators process it in that form, and nested aliases multiply its length.
 */
function measure(value: unknown, known = new Map<object, number>(), around = new Set<object>()): number {
  if (typeof value !== 'object' || value === null) return 1 + String(value).length;
  const size = known.get(value);
  if (size !== undefined) return size;
  // Written out, it would never end.
  if (around.has(value)) throw new YAMLException('an alias stands for a collection around it');
  around.add(value);
  let sum = 1;
  for (const [key, member] of Object.entries(value)) {
    sum += (Array.isArray(value) ? 0 : key.length) + measure(member, known, around);
  }
  around.delete(value);
  known.set(value, sum);
  return sum;
}
