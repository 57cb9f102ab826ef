// Judges requests, replies and the suite's validator by the official test suite of JSON Schema.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as OpenApiValidator from 'express-openapi-validator';
import { readContract } from '../../packages/conformance/src/contract/read-contract';
import { createValidator } from '../../packages/conformance/src/validation/validator';
import { readJson } from '../../packages/conformance/src/wire/json';
import { parseYaml } from '../../packages/contract/src/1-parse/parse-yaml';
import type { Document } from '../../packages/contract/src/2-resolve/document';
import type { Operation } from '../../packages/contract/src/5-messages/operation';
import { parseExactJson } from '../../packages/contract/src/json/exact-json';
import { readOperations } from '../../packages/contract/src/load-contract';
import { describeErrors } from '../../packages/contract/src/text/document-error';
import { Refusal } from '../../packages/server/src/errors/refusal';
import { createValidators, proveValidators, type Validators } from '../../packages/server/src/pipeline/validators';
import { EXPECTED_DIFFERENCES, EXPECTED_REFUSALS, type Expected } from './exceptions';
import type { Judged } from './judge';

/** @param suite the folder of a clone of json-schema-org/JSON-Schema-Test-Suite */
export async function judgeJsonSchema(suite: string): Promise<Judged> {
  const judged = { tests: 0, exceptions: 0, unexpected: [] as string[] };
  for (const [index, dialect] of DIALECTS.entries()) {
    const folder = join(suite, 'tests', dialect.folder);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));
    const found = { tests: 0, refusals: [] as string[], differences: new Map<string, string[]>() };
    for (const file of files.toSorted()) {
      const groups = parseExactly(readFileSync(join(folder, file), 'utf8')) as readonly Group[];
      await judgeFile(file.slice(0, -'.json'.length), groups, dialect, found);
    }
    const refused = Map.groupBy(found.refusals.map(toReason), (reason) => reason);
    const unexpected = [
      ...findUnexpected(found.differences, EXPECTED_DIFFERENCES, index),
      ...findUnexpected(refused, EXPECTED_REFUSALS, index),
    ];
    judged.tests += found.tests;
    judged.exceptions += [...found.differences.values(), ...refused.values()].flat().length;
    judged.unexpected.push(...unexpected.map((line) => `${dialect.name}, ${line}`));
  }
  return judged;
}

/** The reason of a refusal, without its place and what it quotes. */
function toReason(refusal: string): string {
  const [first = ''] = refusal.split('\n');
  return first
    .replace(/^(?:contract)?(?::\d+:\d+|#\S*)? /, '')
    .replaceAll(/"[^"]*"|(?:https?:|#)\S+/g, '...')
    .replace(/ \(\d+ times\)$/, '');
}

/** Lists what was found more, or less, often than it is expected of a dialect. */
function findUnexpected(
  found: ReadonlyMap<string, readonly string[]>,
  expected: readonly Expected[],
  dialect: number,
): string[] {
  const counts = new Map(expected.map(([what, ofDialects]) => [what, ofDialects[dialect] ?? 0]));
  return [...new Set([...found.keys(), ...counts.keys()])].flatMap((what) => {
    const lines = found.get(what) ?? [];
    const wanted = counts.get(what) ?? 0;
    return lines.length === wanted ? [] : [`${what}: ${String(lines.length)}, not ${String(wanted)}`, ...lines];
  });
}

/** What came of the files of a dialect. */
interface Found {
  /** How many tests have a schema that is served. */
  tests: number;
  /** Why schemas are not served. */
  readonly refusals: string[];
  /** The tests that disagree in either direction, one line each, by file. */
  readonly differences: Map<string, string[]>;
}

/** @param name such as `optional/format/date`: what is below `optional` the specifications do not demand */
async function judgeFile(name: string, groups: readonly Group[], dialect: Dialect, found: Found): Promise<void> {
  const differences: string[] = [];
  for (const { description, schema, tests } of groups) {
    const contract = JSON.stringify(toContract(dialect, schema));
    const service = await load(contract);
    if (typeof service === 'string') {
      found.refusals.push(service);
      continue;
    }
    const conforms = createConformance(contract);
    for (const { data, valid, ...test } of tests) {
      const text = JSON.stringify(data);
      const sent = isSent(service, text);
      const isRight = {
        request: isTaken(service, text) === valid,
        reply: (sent === true) === valid,
        conformance: (await conforms(text)) === valid,
      };
      found.tests += 1;
      // Formats are optional for it: validator.test.ts has those that it asserts.
      const isExcused: Readonly<Record<string, boolean>> = {
        reply: valid && sent === 'undeclared',
        conformance: name.startsWith('optional/') || name === 'format',
      };
      const wrong = Object.entries(isRight).flatMap(([by, is]) => (is || isExcused[by] ? [] : by));
      const expected = valid ? 'is valid' : 'is not valid';
      if (wrong.length > 0)
        differences.push(`${name}: ${description}, ${test.description} ${expected}: ${wrong.join(', ')}`);
    }
  }
  found.differences.set(name, differences);
}

type LoadedService = Readonly<Record<'take' | 'give', readonly [operation: Operation, enforcement: Validators]>>;

/** Returns the service, or why the contract is refused. */
export async function load(source: string): Promise<LoadedService | string> {
  try {
    const read = readOperations(parseYaml(source, 'contract') as Document);
    if (read.errors.length > 0) return describeErrors('contract', [read.document], read.errors);
    const identity = { version: '1.0.0', sha256: '' };
    const loaded = { ...read, source: Buffer.from(source), identity, serverPath: '' };
    const [take, give] = createValidators(loaded, OpenApiValidator, {});
    if (!take || !give) throw new Error('the contract has two operations');
    for (const [operation, enforcement] of [take, give]) await proveValidators(enforcement, operation, new Set());
    return { take, give };
  } catch (error) {
    return (error as Error).message;
  }
}

export function isTaken(service: LoadedService, text: string): boolean {
  return takeBody(service, text) !== undefined;
}

/** The body that a handler gets for a text; undefined if it is refused. */
export function takeBody({ take: [{ body }, { checkRequest }] }: LoadedService, text: string): unknown {
  const [media] = body?.media.values() ?? [];
  if (!media) throw new Error('the operation has a body');
  try {
    const value = { body: parseExactJson(text, media.shape.properties.get('body')) };
    const checked = checkRequest({ message: media, value, unknownNames: [] });
    return checked instanceof Refusal ? undefined : checked.body;
  } catch {
    return undefined;
  }
}

export function isSent(
  { give: [, { checkReply }] }: LoadedService,
  text: string,
  read: (json: string) => unknown = JSON.parse,
): boolean | 'undeclared' {
  try {
    checkReply({ status: 200, body: read(text), headers: {} });
    return true;
  } catch (error) {
    return (error as Error).message.endsWith('is not declared by the contract') ? 'undeclared' : false;
  }
}

export function createConformance(contract: string): (text: string) => boolean | Promise<boolean> {
  const validate = createValidator(readContract(contract));
  return (text) => {
    try {
      return validate('#/components/schemas/S', readJson(text)).length === 0;
    } catch {
      return false;
    }
  };
}

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
interface Group {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
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
