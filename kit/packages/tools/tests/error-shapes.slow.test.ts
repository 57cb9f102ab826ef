import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import {
  createRenderer,
  notBuilt,
  REFUSALS,
  Refusal,
  serveContract,
  type RefusalKind,
  type RendererOptions,
} from '@contract-kit/server';
import * as OpenApiValidator from 'express-openapi-validator';
import { loadText } from '@contract-kit/test-support/load-text';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { analyseServable, generateFiles } from '../src/generate/generate';
import { makeErrorSamples } from '../src/new/render-error';

// Each form of errors that a contract may have makes a project that compiles and starts.

const json = (schema: string): string => `content: { application/json: { schema: ${schema} } }`;
const problem = (schema: string): string => `content: { application/problem+json: { schema: ${schema} } }`;
const object = (required: string, properties: string): string =>
  `{ type: object, required: [${required}], properties: { ${properties} } }`;

/** The reply of an error, and what a new project writes for it: nothing if the kit makes the errors itself. */
const SHAPES: readonly [name: string, members: string, code: string | undefined][] = [
  [
    'problem details',
    problem(object('title, status', 'type: { type: string }, title: { type: string }, status: { type: integer }')),
    undefined,
  ],
  [
    'problem details with optional members of their own',
    problem(
      object(
        'type, title, status',
        'type: { type: string, format: uri-reference, default: "about:blank" }, title: { type: string }, status: { type: integer, format: int32 }, detail: { type: string }, code: { type: string }, errors: { type: array, items: { type: object, required: [pointer], properties: { pointer: { type: string } } } }',
      ),
    ),
    undefined,
  ],
  [
    'problem details with the headers of a limit',
    `headers: { X-Limit: { required: true, schema: { type: integer, minimum: 1 } } }, ${problem('{ type: object, required: [status], properties: { status: { type: integer, maximum: 599 } } }')}`,
    '{ "X-Limit": 1 }',
  ],
  [
    'problem details whose status is below 500',
    problem(
      object('status', 'title: { type: string }, status: { type: integer, minimum: 400, exclusiveMaximum: 500 }'),
    ),
    '{ "status": 400 }',
  ],
  ['a list of errors', json('{ type: array, items: { type: object } }'), '[{  }]'],
  ['a text', json('{ type: string }'), '"message"'],
  [
    'an int64',
    json(object('code', 'code: { type: integer, format: int64, minimum: 9007199254740993 }')),
    '{ "code": 9007199254740993n }',
  ],
  ['a pattern', json(object('code', 'code: { type: string, pattern: "^a-b$" }')), '{ "code": "a-b" }'],
  ['an error that may have a cause', json(`{ $ref: '#/components/schemas/Nested' }`), '{ "message": "message" }'],
  ['an error that requires itself', json(`{ $ref: '#/components/schemas/Endless' }`), '{} as never'],
  ['nothing', json('{ not: {} }'), '{} as never'],
  [
    'one of several values that overlap',
    json(
      '{ oneOf: [{ type: string }, { type: object, properties: { code: { type: string } } }, { type: object, properties: { message: { type: string } } }] }',
    ),
    '"message"',
  ],
  ['any media type as text', `content: { '*/*': { schema: { type: string } } }`, '"message"'],
  ['an image', `content: { image/jpeg: { schema: { type: string, format: binary } } }`, "Buffer.from('')"],
  [
    'headers',
    `headers: { X-Reason: { required: true, schema: { type: string } }, X-Code: { required: true, schema: { type: integer, minimum: 1000 } }, X-More: { schema: { type: string } } }, ${json(object('message', 'message: { type: string }'))}`,
    '{ "X-Reason": "X-Reason", "X-Code": 1000 }',
  ],
  [
    'a header that no sample fits, without a body',
    'headers: { X-Id: { required: true, schema: { type: string, pattern: "^(?=b)a$" } } }',
    '{ "X-Id": "" }',
  ],
  ['Retry-After', 'headers: { Retry-After: { required: true, schema: { type: integer } } }', undefined],
  ['no body', 'headers: { X-Reason: { schema: { type: string } } }', undefined],
];

const contractOf = (members: string): string => `openapi: 3.1.0
info: { title: Shapes, version: 1.0.0 }
servers: [{ url: https://shop.example }]
paths:
  /a/{id}:
    post:
      operationId: postA
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      requestBody: { content: { application/json: { schema: { type: object } } } }
      security: [{ key: [] }]
      responses: { '204': { description: Done. }, 4XX: { description: Wrong., ${members} }, 503: { description: Later., ${members} } }
components:
  securitySchemes: { key: { type: http, scheme: bearer } }
  schemas:
    Nested: { type: object, required: [message], properties: { message: { type: string }, cause: { $ref: '#/components/schemas/Nested' }, errors: { type: array, items: { $ref: '#/components/schemas/Nested' } } } }
    Endless: { type: object, required: [cause], properties: { cause: { $ref: '#/components/schemas/Endless' } } }
`;

const folder = useFolder();

interface Project {
  readonly source: string;
  readonly code: string | undefined;
}
const projects: Project[] = [];

beforeAll(async () => {
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  for (const [index, [, members]] of SHAPES.entries()) {
    const source = contractOf(members);
    const analysis = analyseServable(source, 'openapi.yaml');
    const { code } = makeErrorSamples(analysis);
    projects.push({ source, code });
    const files = {
      ...prefix('generated', await generateFiles(analysis, false)),
      ...(code !== undefined && { 'src/render-error.ts': code }),
    };
    for (const [name, text] of Object.entries(files)) {
      const file = join(folder, String(index), name);
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, text);
    }
  }
}, 120_000);

function prefix(name: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [`${name}/${file}`, text]));
}

test('the samples of errors in a new project compile', () => {
  const config = ts.parseJsonConfigFileContent(
    { extends: resolve('tsconfig.json'), include: ['*/src'] },
    ts.sys,
    folder,
  );
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram(config.fileNames, config.options));
  const errors = diagnostics.map(({ file, messageText }) => {
    const [index = ''] = relative(folder, String(file?.fileName)).split('/');
    return `${String(SHAPES[Number(index)]?.[0])}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}\n${String(file?.text)}`;
  });
  expect(errors).toEqual([]);
  expect(config.fileNames.length).toBeGreaterThan(SHAPES.length / 2);
});

test.each(SHAPES.map(([name, , sample], index) => ({ name, sample, index })))(
  'a new project starts, with a sample in todo() if the kit does not make the errors itself: $name',
  async ({ sample, index }) => {
    const { source = '', code } = projects[index] ?? {};
    const unwritten = await start(source, code ?? '');
    const samples = [...String(code).matchAll(/error \w+', (.*)\);$/gm)].map(([, written]) => written);
    expect(samples.at(-1)).toBe(sample);
    expect(unwritten.length > 0).toBe(code !== undefined);
  },
);

/** Starts all but the server with what was made. @returns what is still to be written */
async function start(source: string, code: string): Promise<string[]> {
  const contract = loadText(source);
  const { operations } = contract;
  const render = createRenderer({ contract, ...run(code) });
  const handlers = Object.fromEntries(operations.map(({ id }) => [id, () => notBuilt(id)]));
  const verifiers = { key: () => undefined };
  await serveContract({ contract, validator: OpenApiValidator, handlers, verifiers, render });
  const refusals = (Object.keys(REFUSALS) as RefusalKind[]).map((kind) => new Refusal(kind));
  const unwritten = operations.flatMap((operation) => refusals.flatMap((one) => render(one, operation).unwritten));
  return [...new Set(unwritten)];
}

function run(code: string): Pick<RendererOptions, 'renderError' | 'errorHeaders'> {
  const exports: Pick<RendererOptions, 'renderError' | 'errorHeaders'> = {};
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(code, { compilerOptions });
  // oxlint-disable-next-line typescript/no-implied-eval -- It is what a project would run.
  (new Function('exports', outputText) as (exports: object) => void)(exports);
  return exports;
}

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
    List: { type: object, required: [errors], properties: { errors: { type: array, minItems: 1, items: { type: object, required: [at], properties: { at: { type: string, format: date-time } } } } } }
`;

test('operations may declare different errors, which the samples of a new project tell apart', async () => {
  const code = String(makeErrorSamples(analyseServable(MIXED, 'openapi.yaml')).code);
  expect(await start(MIXED, code)).toEqual(['error bodies']);
  expect(code).toMatch(
    /if \(status === 400 && \["b"\]\.includes\(String\(operation\)\)\) return todo\('error bodies', \{ "errors": \[/,
  );
});

test('each sample that the contract does not allow is named, with what is wrong', () => {
  const none = makeErrorSamples(analyseServable(contractOf(json('{ not: {} }')), 'openapi.yaml'));
  expect(none.problems).toContain('postA 400 as application/json: /response/body must NOT be valid');
  expect(makeErrorSamples(analyseServable(MIXED, 'openapi.yaml')).problems).toEqual([]);
});
