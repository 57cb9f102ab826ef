// Refuses keywords that the kit cannot enforce.
import { assertDialect, findDialect } from './dialect';
import { resolveReference, type Document, type Schema } from './document';
import { isAnnotation, isOpenApi30, valueKindOf } from './keywords';
import type { Mark } from './read-write-only';
import { Mistake } from '../text/mistake';
import { subschemas, toRegExp } from './schema';

const UNSUPPORTED = new Map([['$dynamicRef', 'what it refers to depends on the schema around it: write $ref']]);

// OpenAPI 3.0, Schema Object: default.
const CONSEQUENCE = 'OpenAPI 3.0 demands that it is';

/**
 * Asserts that the kit can enforce a schema and every schema below it, but for those `seen`, to which it adds them.
 *
 * @param mark what the message must not have: of a request, readOnly
 *
 * @throws Mistake that names the keyword
 */
export function assertSupportedSchema(document: Document, node: Schema, seen: Set<Schema>, mark?: Mark): void {
  const schema = resolveReference(document, node);
  if (seen.has(schema)) return;
  seen.add(schema);
  assertDialect(document, schema);
  for (const keyword of Object.keys(schema)) {
    const problem = UNSUPPORTED.get(keyword);
    if (problem !== undefined) throw new Mistake(schema, problem, keyword);
    // In OpenAPI 3.1, an unknown keyword is allowed and ignored.
    if (isOpenApi30(document.openapi) && isUnknown(document, keyword)) {
      throw new Mistake(schema, `OpenAPI 3.0 has no schema keyword ${keyword}`, keyword);
    }
  }
  // In a reply nothing is filled in.
  const hasDefault = mark === 'readOnly' && isOpenApi30(document.openapi);
  const [wrongDefault] = hasDefault ? findWrongDefault(schema, CONSEQUENCE) : [];
  if (wrongDefault) throw wrongDefault;
  assertPatterns(schema);
  for (const name of [schema.required ?? [], ...Object.values(schema.dependentRequired ?? {})].flat()) {
    assertName(schema, name);
    if (name === '') throw new Mistake(schema, 'no property can be required whose name is empty: Ajv does not miss it');
  }
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    assertName(schema, name, resolveReference(document, child));
  }
  if (schema.readOnly === true && schema.writeOnly === true) {
    throw new Mistake(schema, 'what is readOnly cannot be writeOnly too: leave one of them out', 'writeOnly');
  }
  for (const child of subschemas(schema)) assertSupportedSchema(document, child, seen, mark);
}

/** Whether OpenAPI has no such schema keyword, so that nothing checks it. */
export function isUnknown({ openapi }: Document, keyword: string): boolean {
  return valueKindOf(keyword, openapi) === undefined && !isAnnotation(keyword);
}

/** Finds keywords whose values have the wrong type, such as `properties: 5`. All other readers rely on the types. */
export function findMalformed(document: Document, schemas: ReadonlySet<Schema>): Mistake[] {
  return [...schemas].flatMap((schema) => {
    // Whether exclusiveMinimum is a boolean in this dialect of JSON Schema; otherwise it is a number.
    const hasFlags = findDialect(document, schema)?.hasFlags;
    return Object.entries(schema).flatMap(([keyword, value]) => {
      const kind = valueKindOf(keyword, document.openapi, hasFlags);
      // OpenAPI does not define the values of a keyword that it does not know.
      if (kind === undefined || kind.isValid(value)) return [];
      return [new Mistake(schema, `${keyword} must be ${kind.expected}`, keyword)];
    });
  });
}

/** Finds a default of another type than its schema, or that is not one of its values. The validator finds what else is wrong. */
export function findWrongDefault(schema: Schema, consequence: string): Mistake[] {
  const { default: value, type = [], enum: allowed, nullable } = schema;
  if (value === undefined || (value === null && nullable === true)) return [];
  const types = [type].flat();
  const isOfType = types.length === 0 || typesOf(value).some((one) => types.includes(one));
  const isAllowed = allowed === undefined || typeof value === 'object' || allowed.includes(value);
  if (isOfType && isAllowed) return [];
  return [new Mistake(schema, `the default is not valid under its schema: ${consequence}`, 'default')];
}

function typesOf(value: unknown): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return Number.isInteger(value) ? ['integer', 'number'] : [typeof value];
}

/** @throws Mistake when `pattern` or a key of `patternProperties` is no regular expression; schemas inside are not checked */
function assertPatterns(schema: Schema): void {
  const { pattern, patternProperties = {} } = schema;
  if (pattern !== undefined) assertRegExp(pattern, schema, 'pattern');
  for (const key of Object.keys(patternProperties)) assertRegExp(key, schema, 'patternProperties');
}

function assertRegExp(pattern: string, schema: Schema, keyword: string): void {
  try {
    toRegExp(pattern);
  } catch (error) {
    throw new Mistake(schema, (error as Error).message, keyword);
  }
}

export const INHERITED_NAMES: readonly string[] = Object.getOwnPropertyNames(Object.prototype);

/**
 * Asserts that the validator can enforce a declared name of a property or parameter.
 *
 * @param owner what is named in the mistake
 * @throws Mistake for `__proto__`, and for an inherited name with a default, which it would not fill in
 */
export function assertName(owner: object, name: string, schema: { readonly default?: unknown } = {}): void {
  if (name === '__proto__') throw new Mistake(owner, 'no schema of __proto__ can be enforced: leave it out');
  if (schema.default === undefined || !INHERITED_NAMES.includes(name)) return;
  throw new Mistake(owner, `the default of ${name} would not be filled in: every object has this name already`);
}
