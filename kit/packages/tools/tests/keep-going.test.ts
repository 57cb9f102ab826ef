import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { loadText } from '@contract-kit/test-support/load-text';
import { findAdvice } from '../src/check/check-contract';
import { toLines } from '../src/diagnostics/diagnostic';
import { analyseServable, generateFiles } from '../src/generate/generate';
import { runCommand } from '../src/run-command';

const FILE = 'packages/test-support/fixtures/contracts/almost-valid.yaml';
const SOURCE = readFileSync(FILE, 'utf8');
const RIGHT = SOURCE.split('\n')
  .filter((line) => !/post:|\/b:|getB/.test(line))
  .join('\n');

describe('a mistake', () => {
  test('in documentation, or in a component that no operation needs, is advice', async () => {
    const analysis = analyseServable(RIGHT.replace('    put:', '  /b:\n    put:'), FILE);
    const advice = toLines(await findAdvice(analysis)).join('\n');
    for (const text of ['but got `null`', 'field `description` must', "Can't resolve $ref", 'minLength must be']) {
      expect(advice).toContain(text);
    }
    const files = await generateFiles(analysis, false);
    expect(files).not.toHaveProperty(['openapi.yaml']);
    expect(loadText(analysis.bundle.source).operations.map(({ id }) => id)).toEqual(['getA', 'putB']);
  });

  test('in an operation stops generate, with all of them in one list', () => {
    expect(() => analyseServable(SOURCE, FILE)).toThrow(
      /^\S+:10:76 type must be [^\n]+\n\S+:13:104 examples is not a media type[^\n]+\n\S+:14:68 minLength must be [^\n]+$/,
    );
  });

  test('in an operation leaves out only that operation with --keep-going', async () => {
    const analysis = analyseServable(SOURCE, FILE, true);
    expect(analysis.notes[3]).toBe('Because of these errors, the service does not serve GET /b, POST /a');
    const {
      'openapi.yaml': served = '',
      'contract.js': constants,
      'api.d.ts': types,
    } = await generateFiles(analysis, false);
    expect(constants).toContain('"generated/openapi.yaml"');
    expect(types).not.toContain('postA');
    const { operations, document } = loadText(served);
    expect(operations.map(({ id }) => id)).toEqual(['getA', 'putB']);
    expect(document).toMatchObject({ 'x-not-served': ['GET /b', 'POST /a'] });
    expect(served).toContain('maximum: 9007199254740993');
  });

  test.each([
    [
      'a response without a description',
      SOURCE.replace('schema: { type: string }', "schema: { type: string, pattern: '[' }"),
    ],
    [
      'a path item that does not exist',
      `${RIGHT}\n`.replace('paths:\n', "paths:\n  /c: { $ref: '#/components/pathItems/C' }\n"),
    ],
  ])('is reported inside %s', (_, source) => {
    expect(() => analyseServable(source, FILE)).toThrow(/Invalid regular expression|does not exist/);
  });

  test('in what all operations need stops generate even with --keep-going', () => {
    const source = SOURCE.replace('servers: [{ url: / }]', 'servers: [{ url: 7 }]');
    expect(() => analyseServable(source, FILE, true)).toThrow('almost-valid.yaml:3:');
  });

  test('in the security of the document stops generate, unless an operation has its own', () => {
    const create = (own: string): string => `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
security: [{ lost: [] }]
paths:
  /a: { get: { operationId: a, responses: { default: { description: Any. } } } }
  /b: { get: { operationId: b, ${own} responses: { default: { description: Any. } } } }
`;
    expect(() => analyseServable(create(''), 'a.yaml', true)).toThrow('a.yaml:3:14 the security scheme lost');
    const { unserved, operations } = analyseServable(create('security: [],'), 'a.yaml', true);
    expect([unserved, operations.map(({ id }) => id)]).toEqual([['GET /a'], ['b']]);
  });

  test('in one method of a path leaves out only that method', () => {
    const name = (text: string): string =>
      `parameters: [{ name: ${text}, in: path, required: true, schema: {} }], responses: { default: { description: Any. } }`;
    const source = `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
paths:
  /{a}: { get: { operationId: a, ${name('a')} } }
  /{b}: { get: { operationId: b, ${name('b')} }, put: { operationId: c, ${name('b')} } }
`;
    expect(analyseServable(source, 'a.yaml', true).unserved).toEqual(['GET /{b}']);
  });
});

test.each([
  [
    'a shared parameter',
    "parameters: [{ $ref: '#/components/parameters/P' }]",
    'parameters: { P: { in: x, name: p } }',
  ],
  ['a security scheme', 'get: { security: [{ S: [] }], ', 'securitySchemes: { S: { type: apiKey } }'],
])('what an operation needs by %s is not served without', (_, members, components) => {
  const get = 'operationId: a, responses: { default: { description: Any. } } }';
  const item = members.startsWith('get') ? `{ ${members} ${get} }` : `{ ${members}, get: { ${get} }`;
  const source = `openapi: 3.0.3
info: { title: A, version: 1.0.0 }
paths: { /a: ${item}, /b: { get: { ${get.replace(': a', ': b')} } }
components: { ${components} }
`;
  const { notes, operations } = analyseServable(source, 'a.yaml', true);
  expect(notes).toContain('Because of these errors, the service does not serve GET /a');
  expect(operations.map(({ id }) => id)).toEqual(['b']);
});

test.each(['get: { operationId: c, responses: { default: { description: Any. } } }', 'parameters: []', 'summary: C.'])(
  'a path item that has a field of the one that it refers to is left out and told: %s',
  (field) => {
    const get = 'get: { operationId: a, responses: { default: { description: Any. } } }';
    const source = `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
paths: { /a: { $ref: '#/components/pathItems/A', ${field} }, /b: { ${get} } }
components: { pathItems: { A: { ${get}, post: {}, summary: A., parameters: [] } } }
`;
    const { notes, operations } = analyseServable(source, 'a.yaml', true);
    expect(notes[0]).toMatch(/^a\.yaml:3:16 \w+ is also in #\/components\/pathItems\/A: remove one of the two$/);
    expect(notes).toContain('Because of these errors, the service does not serve /a');
    expect(operations.map(({ id }) => id)).toEqual(['a']);
  },
);

test.each([
  ['3.2.0', 'query', 'additionalOperations'],
  ['3.1.0', 'x-oai-query', 'x-oai-additionalOperations'],
])('in OpenAPI %s, a mistake in %s or %s leaves out only that operation', (version, query, additions) => {
  const operation = (id: string, more = '') =>
    `{ operationId: ${id}, ${more} responses: { default: { description: Any. } } }`;
  const wrong = "parameters: [{ $ref: '#/components/parameters/P' }],";
  const methods = `{ COPY: ${operation('c')}, PURGE: ${operation('d', wrong)}, POST: ${operation('e')}, GREET: {} }`;
  const source = `openapi: ${version}
info: { title: A, version: 1.0.0 }
paths: { /a: { get: ${operation('a')}, post: ${operation('b')}, ${query}: ${operation('q', wrong)}, ${additions}: ${methods} } }
components: { parameters: { P: { name: p, in: path, schema: {} } } }
`;
  const { notes, operations } = analyseServable(source, 'a.yaml', true);
  const names = `QUERY /a, PURGE /a, ${additions}/POST /a, GREET /a`;
  expect(notes).toContain(`Because of these errors, the service does not serve ${names}`);
  expect(operations.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});

test.each([
  ['3.1.0', 'x-oai-additionalOperations: 5', '/a'],
  ['3.1.0', 'x-oai-query: 5', 'QUERY /a'],
  ['3.0.3', 'x-oai-additionalOperations: { PURGE: 5 }', 'PURGE /a'],
  ['3.2.0', 'additionalOperations: 5', '/a'],
  ['3.2.0', 'query: 5', 'QUERY /a'],
  ['3.0.3', 'parameters: 5', 'GET /a'],
])('in OpenAPI %s, where a path item has %s, %s is left out and told', (version, wrong, left) => {
  const toItem = (id: string, more = ''): string =>
    `{ get: { operationId: ${id}, responses: { default: { description: Any. } } }, ${more} }`;
  const inPlace = `paths: { /a: ${toItem('a', wrong)}, /b: ${toItem('b')} }`;
  const referred = `paths: { /a: { $ref: '#/components/pathItems/A' }, /b: ${toItem('b')} }
components: { pathItems: { A: ${toItem('a', wrong)} } }`;
  for (const paths of version === '3.0.3' ? [inPlace] : [inPlace, referred]) {
    const source = `openapi: ${version}\ninfo: { title: A, version: 1.0.0 }\n${paths}\n`;
    expect(() => analyseServable(source, 'a.yaml')).toThrow('a.yaml:');
    const { notes, operations } = analyseServable(source, 'a.yaml', true);
    expect(notes).toContain(`Because of these errors, the service does not serve ${left}`);
    expect(operations.map(({ id }) => id)).toEqual(/^(?:QUERY|PURGE)/.test(left) ? ['a', 'b'] : ['b']);
  }
});

test('children of a parent with a discriminator are needed where it is', () => {
  const of = (name: string): string =>
    `content: { application/json: { schema: { $ref: '#/components/schemas/${name}' } } }`;
  const source = `openapi: 3.0.3
info: { title: A, version: 1.0.0 }
paths: { /a: { get: { operationId: a, responses: { '200': { description: Any., ${of('Parent')} } } } } }
components: { schemas: {
  Parent: { type: object, required: [k], properties: { k: { type: string } }, discriminator: { propertyName: k } },
  Child: { allOf: [{ $ref: '#/components/schemas/Parent' }, { type: object, properties: { a: { minLength: -1 } } }] } } }
`;
  expect(() => analyseServable(source, 'a.yaml')).toThrow('a.yaml:6:');
});

describe('a mistake in another file', () => {
  const folder = useFolder();
  const OPENAPI = `openapi: 3.0.3
info: { title: Two files, version: 1.0.0 }
paths:
  /a: { get: { operationId: getA, responses: { '200': { description: It is this. } } } }
  /b: { $ref: b.yaml }
`;
  const B = `get:
  operationId: getB
  parameters: [{ name: n, in: query, schema: { type: 5 } }]
  responses: { '200': { description: It is this. } }
`;

  test('leaves out only the operations that need it', () => {
    const file = join(folder, 'openapi.yaml');
    writeFileSync(join(folder, 'b.yaml'), B);
    expect(() => analyseServable(OPENAPI, file)).toThrow(/b\.yaml:3:48 /);
    const { notes } = analyseServable(OPENAPI, file, true);
    expect(notes).toContain('Because of these errors, the service does not serve GET /b');
  });
});

test.each([
  [['--help'], 0],
  [['generate', '--help'], 0],
  [[], 1],
])('contract-kit %j lists the commands, and ends with %i', async (args, status) => {
  expect(await runCommand(args)).toBe(status);
});
