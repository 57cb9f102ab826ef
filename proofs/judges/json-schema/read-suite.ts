// Reads the official test suite of JSON Schema, and makes a contract of each group of its tests.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A dialect of JSON Schema, as a contract says it. */
export interface Dialect {
  readonly name: string;
  readonly folder: string;
  readonly openapi: string;
  readonly jsonSchemaDialect?: string;
}

export const DIALECTS: readonly Dialect[] = [
  { name: '2020-12 in OpenAPI 3.1', folder: 'draft2020-12', openapi: '3.1.0' },
  { name: 'draft-04 in OpenAPI 3.0', folder: 'draft4', openapi: '3.0.3' },
  ...[
    ['draft-04', 'draft4', 'http://json-schema.org/draft-04/schema#'],
    ['draft-06', 'draft6', 'http://json-schema.org/draft-06/schema#'],
    ['draft-07', 'draft7', 'http://json-schema.org/draft-07/schema#'],
    ['2019-09', 'draft2019-09', 'https://json-schema.org/draft/2019-09/schema'],
  ].map(([name = '', folder = '', jsonSchemaDialect = '']) => ({
    name: `${name} by jsonSchemaDialect`,
    folder,
    openapi: '3.1.0',
    jsonSchemaDialect,
  })),
];

/** Tests of one schema. */
export interface Group {
  readonly description: string;
  /** The contract that takes values of the schema, and replies with them. */
  readonly contract: string;
  /** The values, as JSON texts. */
  readonly tests: readonly { readonly description: string; readonly text: string; readonly isValid: boolean }[];
}

interface WrittenGroup {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

/** A file of the suite. */
export interface SuiteFile {
  /** Such as `optional/format/date`: what is below `optional` the specifications do not demand. */
  readonly name: string;
  readonly groups: readonly Group[];
}

/** @param suite the folder of the suite */
export function readSuite(suite: string, dialect: Dialect): SuiteFile[] {
  const folder = join(suite, 'tests', dialect.folder);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));
  return files.toSorted().map((file) => {
    const groups = parseExactly(readFileSync(join(folder, file), 'utf8')) as readonly WrittenGroup[];
    const asText = groups.map(({ description, schema, tests }) => ({
      description,
      contract: JSON.stringify(toContract(dialect, schema)),
      tests: tests.map(({ data, valid, ...test }) => ({ ...test, text: JSON.stringify(data), isValid: valid })),
    }));
    return { name: file.slice(0, -'.json'.length), groups: asText };
  });
}

// Keeps the digits of numbers, as of 1.0, for JSON.stringify to write.
function parseExactly(json: string): unknown {
  return JSON.parse(json, (_name, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? JSON.rawJSON(context?.source ?? String(value)) : value,
  );
}

/** Makes a contract that takes values of a schema, and replies with them. */
export function toContract({ openapi, jsonSchemaDialect }: Dialect, suiteSchema: unknown): object {
  // OpenAPI 3.0 has no keyword for the schemas that others refer to.
  const { definitions, ...rest } = Object(suiteSchema) as { readonly definitions?: object };
  const isHoisted = openapi.startsWith('3.0') && definitions !== undefined;
  const move = (reference: string): string =>
    isHoisted && reference.startsWith('#/definitions/')
      ? reference.replace('#/definitions', '#/components/schemas')
      : reference.replace(/^#(?=\/|$)/, '#/components/schemas/S');
  const schemas = {
    ...(isHoisted ? (moveReferences(definitions, move, true) as object) : {}),
    S: moveReferences(isHoisted ? rest : suiteSchema, move),
  };
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/S' } } };
  return {
    openapi,
    ...(jsonSchemaDialect !== undefined && { jsonSchemaDialect }),
    info: { title: 'One schema', version: '1.0.0' },
    paths: {
      '/taken': {
        post: {
          operationId: 'take',
          requestBody: { required: true, content },
          responses: { 204: { description: 'Taken.' } },
        },
      },
      '/given': { get: { operationId: 'give', responses: { 200: { description: 'Given.', content } } } },
    },
    components: { schemas },
  };
}

const MAPS_BY_NAME = new Set('properties patternProperties $defs definitions dependentSchemas dependencies'.split(' '));
const DATA = new Set(['enum', 'const', 'default', 'examples']);

// Rewrites the references in a schema. `hasNames`: the keys are names that the schema chooses.
function moveReferences(node: unknown, move: (reference: string) => string, hasNames = false): unknown {
  if (Array.isArray(node)) return node.map((item) => moveReferences(item, move));
  // What is frozen is a number of parseExactly.
  if (typeof node !== 'object' || node === null || Object.isFrozen(node)) return node;
  const members = Object.entries(node).map(([key, value]: [string, unknown]) => {
    if (!hasNames && (key === '$ref' || key === '$dynamicRef') && typeof value === 'string') return [key, move(value)];
    if (!hasNames && DATA.has(key)) return [key, value];
    return [key, moveReferences(value, move, !hasNames && MAPS_BY_NAME.has(key))];
  });
  return Object.fromEntries(members) as object;
}
