import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { findUnwritten } from '../../server/src/errors/built-in-replies';
import { createRenderer, type RendererOptions } from '../../server/src/errors/create-renderer';
import { proveBuiltInReplies } from '../../server/src/pipeline/declared-refusal';
import { createValidators } from '../../server/src/pipeline/validators';
import * as OpenApiValidator from 'express-openapi-validator';
import { loadText } from '../../../tests/support/load-text';
import { useFolder } from '../../../tests/support/use-folder';
import { analyseServable, generateFiles } from '../src/generate/generate';
import { makeRenderError } from '../src/new/render-error';

// Each form of errors that a contract may have makes a project that compiles and starts.

const json = (schema: string): string => `content: { application/json: { schema: ${schema} } }`;
const problem = (schema: string): string => `content: { application/problem+json: { schema: ${schema} } }`;
const object = (required: string, properties: string): string =>
  `{ type: object, required: [${required}], properties: { ${properties} } }`;

/** The members of a declared error, and what of it is to be written; undefined if the kit makes it without renderError. */
const SHAPES: readonly [name: string, members: string, unwritten: readonly string[] | undefined][] = [
  [
    'problem details',
    problem(object('title, status', 'type: { type: string }, title: { type: string }, status: { type: integer }')),
    undefined,
  ],
  [
    'problem details that require a code',
    problem(object('code, title', 'code: { type: string }, title: { type: string }')),
    [],
  ],
  [
    'problem details that require an instance',
    problem(object('instance', 'instance: { type: string, format: uri-reference }')),
    [],
  ],
  [
    'problem details whose status is text',
    problem(object('status, title', 'status: { type: string }, title: { type: string }')),
    [],
  ],
  [
    'problem details whose title is one of a list',
    problem(object('title', 'title: { type: string, enum: [Wrong, Late] }, status: { type: integer }')),
    ['title'],
  ],
  [
    'a short detail',
    problem(
      object('detail', 'detail: { type: string, maxLength: 10 }, title: { type: string }, status: { type: integer }'),
    ),
    [],
  ],
  [
    'a time',
    json(
      object(
        'status, timestamp',
        'status: { type: integer }, timestamp: { type: string, format: date-time, readOnly: true }',
      ),
    ),
    [],
  ],
  ['a time without a format', json(object('timestamp', 'timestamp: { type: string }')), []],
  ['a time as a number', json(object('timestamp', 'timestamp: { type: integer, format: int64 }')), []],
  ['a date', json(object('date', 'date: { type: string, format: date }')), []],
  [
    'links',
    json(
      object(
        'message, _links',
        'message: { type: string }, _links: { type: object, required: [self], properties: { self: { type: object, required: [href], properties: { href: { type: string, format: uri } } } } }',
      ),
    ),
    [],
  ],
  [
    'links of any names',
    json(object('_links', '_links: { type: object, additionalProperties: { type: string } }')),
    [],
  ],
  [
    'violations',
    json(
      object(
        'violations',
        'violations: { type: array, items: { type: object, required: [message], properties: { field: { type: string }, message: { type: string } } } }',
      ),
    ),
    [],
  ],
  [
    'violations that name a field',
    json(
      object(
        'violations',
        'violations: { type: array, minItems: 1, items: { type: object, required: [field, message], properties: { field: { type: string }, message: { type: string } } } }',
      ),
    ),
    ['field'],
  ],
  [
    'an error in an error',
    json(
      object(
        'error',
        'error: { type: object, required: [code, message], properties: { code: { type: integer }, message: { type: string } } }',
      ),
    ),
    [],
  ],
  ['a list of errors', json('{ type: array, items: { type: object, properties: { message: { type: string } } } }'), []],
  ['a text', json('{ type: string }'), []],
  ['anything', json('{}'), []],
  ['a code of a list', json(object('code', 'code: { type: string, enum: [WRONG, LATE] }')), ['code']],
  ['a code of a list of one', json(object('code', 'code: { type: string, enum: [WRONG] }')), []],
  ['a constant', json(object('kind', 'kind: { const: error }')), []],
  ['a pattern', json(object('code', 'code: { type: string, pattern: "^[A-Z]{4}$" }')), ['code']],
  [
    'a pattern that no text of one character matches',
    json(object('code', 'code: { type: string, pattern: "^[A-Z]{2}-[0-9]{4}$" }')),
    ['a body'],
  ],
  ['a number with limits', json(object('code', 'code: { type: integer, minimum: 1000, maximum: 9999 }')), ['code']],
  ['an int64', json(object('code', 'code: { type: integer, format: int64, minimum: 9007199254740993 }')), ['code']],
  [
    'a flag',
    json(object('success, retryable', 'success: { type: boolean }, retryable: { type: boolean }')),
    ['retryable'],
  ],
  ['a flag that is false', json(object('success', 'success: { type: boolean, enum: [false] }')), []],
  ['an id', json(object('id', 'id: { type: string, format: uuid }')), []],
  ['the id of a trace', json(object('traceId', 'traceId: { type: string, minLength: 32 }')), ['traceId']],
  ['null', json(object('data, message', 'data: { type: "null" }, message: { type: [string, "null"] }')), []],
  [
    'one of two',
    json(
      '{ oneOf: [{ type: object, required: [a], properties: { a: { type: string } } }, { type: object, required: [b], properties: { b: { type: integer } } }] }',
    ),
    ['a', 'a body'],
  ],
  [
    'all of two',
    json(
      '{ allOf: [{ type: object, required: [message], properties: { message: { type: string } } }, { type: object, required: [code], properties: { code: { type: integer } } }] }',
    ),
    [],
  ],
  [
    'a closed object',
    json(
      '{ type: object, required: [message], additionalProperties: false, properties: { message: { type: string }, more: { type: string } } }',
    ),
    [],
  ],
  [
    'an object of names',
    json('{ type: object, minProperties: 1, additionalProperties: { type: array, items: { type: string } } }'),
    ['a body'],
  ],
  [
    'a property that nothing describes',
    json('{ type: object, required: [message, extra], properties: { message: { type: string } } }'),
    ['extra'],
  ],
  ['an error that may have a cause', json(`{ $ref: '#/components/schemas/Nested' }`), []],
  ['an error that requires itself', json(`{ $ref: '#/components/schemas/Endless' }`), ['a body']],
  ['nothing', json('{ not: {} }'), ['a body']],
  ['any media type', `content: { '*/*': { schema: ${object('message', 'message: { type: string }')} } }`, []],
  ['any media type as text', `content: { '*/*': { schema: { type: string } } }`, []],
  ['an image', `content: { image/jpeg: { schema: { type: string, format: binary } } }`, []],
  ['a range of images', `content: { 'image/*': {} }`, []],
  [
    'a media type that is misspelt',
    `content: { applicaiton/json: { schema: ${object('message', 'message: { type: string }')} } }`,
    [],
  ],
  [
    "a vendor's JSON",
    `content: { application/vnd.shop+json: { schema: ${object('message', 'message: { type: string }')} } }`,
    [],
  ],
  [
    'JSON and XML',
    `content: { application/xml: { schema: { type: object } }, application/json: { schema: ${object('message', 'message: { type: string }')} } }`,
    [],
  ],
  ['text/plain', 'content: { text/plain: { schema: { type: string, maxLength: 20 } } }', []],
  ['text/html', 'content: { text/html: {} }', []],
  [
    'headers',
    `headers: { X-Reason: { required: true, schema: { type: string } }, X-Code: { required: true, schema: { type: integer, minimum: 1000 } }, X-More: { schema: { type: string } } }, ${json(object('message', 'message: { type: string }'))}`,
    ['X-Code'],
  ],
  ['a header without a body', 'headers: { X-Id: { required: true, schema: { type: string, format: uuid } } }', []],
  ['a header that nothing fits', 'headers: { X-Id: { required: true, schema: { not: {} } } }', ['X-Id']],
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
  readonly unwritten: readonly string[] | undefined;
}
const projects: Project[] = [];

beforeAll(async () => {
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  for (const [index, [, members]] of SHAPES.entries()) {
    const source = contractOf(members);
    const analysis = await analyseServable(source, 'openapi.yaml');
    const made = makeRenderError(analysis);
    projects.push({ source, code: made?.code, unwritten: made?.unwritten });
    const files = {
      ...prefix('generated', await generateFiles(analysis, false)),
      ...(made && { 'src/render-error.ts': made.code }),
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

test('what is made compiles', () => {
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

test.each(SHAPES.map(([name, , unwritten], index) => ({ name, unwritten, index })))(
  'it starts, and lists what is to be written: $name',
  ({ unwritten, index }) => {
    const {
      source,
      code,
      unwritten: listed,
    } = projects[index] ?? { source: '', code: undefined, unwritten: undefined };
    expect([listed, code]).toEqual([unwritten, code]);
    expect(new Set(prove(source, code ?? ''))).toEqual(new Set(listed ?? []));
  },
);

/** Starts all but the server with what was made. @returns what the start lists */
function prove(source: string, code: string): readonly string[] {
  const contract = loadText(source);
  const render = createRenderer({ contract, ...run(code) });
  const checks = createValidators(contract, OpenApiValidator, { key: () => undefined });
  proveBuiltInReplies(contract, checks, render);
  return findUnwritten(contract.operations, render);
}

function run(code: string): Pick<RendererOptions, 'renderError' | 'errorHeaders'> {
  const exports: Pick<RendererOptions, 'renderError' | 'errorHeaders'> = {};
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(code, { compilerOptions });
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- It is what a project would run.
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
    List: { type: object, properties: { errors: { type: array, minItems: 1, items: { type: object, required: [at], properties: { at: { type: string, format: date-time } } } } } }
`;

test('operations may declare different errors, which what is made of a refusal tells apart', async () => {
  const made = makeRenderError(await analyseServable(MIXED, 'openapi.yaml'));
  prove(MIXED, String(made?.code));
  expect(made?.code).toMatch(
    /if \(status === 400 && \["b"\]\.includes\(String\(operation\)\)\) return \{ "errors": \[/,
  );
});

test.each([
  ['articles', '= ({ message }) => {\n  return { "errors": { "body": [message] } };\n}'],
  ['animals', 'return { "code": BigInt(status), "message": message.slice(0, 120) };'],
])('it is made of what a refusal is about: %s', async (name, code) => {
  const source = readFileSync(`tests/fixtures/errors/${name}.yaml`, 'utf8');
  expect(makeRenderError(await analyseServable(source, 'openapi.yaml'))?.code).toContain(code);
});
