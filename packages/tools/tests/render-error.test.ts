import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { createValidators } from '../../server/src/pipeline/validators';
import { proveBuiltInReplies } from '../../server/src/pipeline/declared-refusal';
import { createRenderer } from '../../server/src/errors/create-renderer';
import type { AnyRenderError } from '../../server/src/errors/render';
import type { NormalizedSchema as Schema } from '../../server/src/contract/schema/schema';
import { FIXTURE_ERRORS } from '../../../tests/support/fixture-errors';
import { loadText } from '../../../tests/support/load-text';
import type { ErrorCatalogue } from '../src/lint/error-catalogue';
import { writeErrorValue } from '../src/new/render-error';
import { makeRenderError } from '../src/new/render-error';
import { expressOpenapiValidator } from '../../server/src/express-openapi-validator';

const read = (file: string): string => readFileSync(`tests/fixtures/${file}.yaml`, 'utf8');

/** Its operations declare different errors under the same status. */
const MIXED = `openapi: 3.1.0
info: { title: Mixed, version: 1.0.0 }
security: []
paths:
  /a: { get: { operationId: a, responses: { 4XX: &code { description: A code., content: { application/json: { schema: { $ref: '#/components/schemas/Code' } } } }, 500: *code } } }
  /b: { get: { operationId: b, responses: { 400: &list { description: A list., content: { application/json: { schema: { $ref: '#/components/schemas/List' } } } }, 500: *list } } }
  /c: { get: { operationId: c, responses: { 400: *code, 503: { description: A text., content: { text/plain: { schema: { type: string } } } } } } }
  /d: { get: { operationId: d, responses: { 500: { description: Problem details., content: { application/problem+json: { schema: { properties: { title: { type: string } } } } } } } } }
components:
  schemas:
    Code: { type: object, required: [code], properties: { code: { type: string, enum: [WRONG, LATE] } } }
    List: { type: object, properties: { errors: { type: array, minItems: 1, items: { type: object, required: [at], properties: { at: { type: string, format: date-time } } } } } }
`;

/** Problem details, as RFC 9457 has them, and a member of their own that is required. */
const EXTENDED = `openapi: 3.1.0
info: { title: Parcels, version: 1.0.0 }
security: []
paths:
  /a: { get: { operationId: a, responses: { 400: &problem { description: A problem., content: { application/problem+json: { schema: { $ref: '#/components/schemas/Problem' } } } }, 500: *problem } } }
components:
  schemas:
    Problem: { type: object, required: [type, title, status, code], properties: { type: { type: string }, title: { type: string }, status: { type: integer }, code: { type: string, minLength: 3 } } }
`;

function make(source: string, catalogue: ErrorCatalogue = {}): string | undefined {
  return makeRenderError({ ...loadText(source), catalogue })?.code;
}

/** Starts all but the server with what was made. */
function prove(source: string, code: string): void {
  const exports: { renderError?: AnyRenderError } = {};
  const { outputText } = ts.transpileModule(code, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- It is what a project would run.
  (new Function('exports', outputText) as (exports: object) => void)(exports);
  const contract = loadText(source);
  const verify = (): undefined => undefined;
  const checks = createValidators(contract, expressOpenapiValidator, { author: verify, keeper: verify });
  proveBuiltInReplies(contract, checks, createRenderer({ contract, renderError: exports.renderError }));
}

test.each([
  ['articles', read('errors/articles')],
  ['animals', read('errors/animals')],
  ['several at once', MIXED],
  ['problem details with a required member of their own', EXTENDED],
])('the first version of renderError fits: %s', (_, source) => {
  const code = make(source);
  expect(() => {
    prove(source, String(code));
  }).not.toThrow();
});

test('it is made of what a refusal is about', () => {
  expect(make(read('errors/articles'))).toContain(
    '= ({ message }) => {\n  return { "errors": { "body": [message] } };\n}',
  );
  expect(make(read('errors/animals'))).toContain(
    'return { "code": BigInt(status), "message": message.slice(0, 120) };',
  );
  expect(make(MIXED)).toMatch(
    /if \(status === 400 && \["b"\]\.includes\(String\(operation\)\)\) return \{ "errors": \[/,
  );
});

test('no renderer of errors is written where the kit makes the errors itself', () => {
  expect(make(read('errors/stations'))).toBeUndefined();
  expect(make(read('things'), FIXTURE_ERRORS)).toBeUndefined();
});

test.each<[Schema & Readonly<Record<string, unknown>>, string]>([
  [{ type: 'integer', minimum: 1000 }, 'todo("message", 1000)'],
  [{ type: 'number', maximum: 10 }, 'todo("message", 1)'],
  [{ const: 'no' }, '"no"'],
  [{ type: 'boolean' }, 'todo("message", true)'],
  [{ type: ['null', 'string'] }, 'message'],
  [{ type: 'array' }, '[]'],
  [{ type: 'string', pattern: '^A', example: 51 }, 'todo("message", "A")'],
  [{ type: 'string', pattern: '^E', examples: ['E2'] }, 'todo("message", "E2")'],
  [{ type: 'string', format: 'uuid' }, 'crypto.randomUUID()'],
  [
    { oneOf: [{ required: ['type'], properties: { type: { type: 'string' } } }, { type: 'string' }] },
    '{ "type": kind }',
  ],
  // One that fits both alternatives would fit none.
  [
    {
      oneOf: [{ type: 'integer' }, { type: 'string' }].map((items) => ({
        required: ['message'],
        properties: { message: {}, errors: { type: 'array', items } },
      })),
    },
    '{ "message": message, "errors": [status] }',
  ],
  [{ oneOf: [{ required: ['at'], properties: { at: {} } }, { properties: { reason: {} } }] }, '{ "reason": message }'],
  [{ properties: { id: { type: 'string' }, statusText: { type: 'string' } } }, '{ "statusText": String(status) }'],
  [{ allOf: [{ required: ['a'] }, { properties: { a: { type: 'integer' } } }] }, '{ "a": todo("a", 1) }'],
])('%j: %s', (schema, code) => {
  expect(writeErrorValue({} as never, schema, new Set())).toBe(code);
});

test('a schema that holds itself ends, or has no value', () => {
  const node = { required: ['inner'], properties: { inner: { $ref: '#/node' } } };
  const list = { properties: { errors: { type: 'array', items: { $ref: '#/list' } } } };
  expect(writeErrorValue({ list } as never, list, new Set())).toBe('{ "errors": [] }');
  expect(writeErrorValue({ node } as never, node, new Set())).toBeUndefined();
});
