import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadText } from '@contract-kit/test-support/load-text';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { checkContract } from '../src/check/check-contract';
import { analyseServable, generateFiles } from '../src/generate/generate';
import { runCommand } from '../src/run-command';
import { messageOf, useCounter } from './closed';

const folder = useFolder();
const file = join(folder, 'openapi.yaml');
const counter = useCounter();
let remote: string;

beforeAll(() => {
  remote = `http://127.0.0.1:${counter.port}/a.yaml`;
});

const OTHER = "/b: { get: { operationId: b, responses: { '200': { description: Any. } } } }";

/** A contract with a path item that is tried, and one that is right. */
function contractWith(item: string, components = '{}', version = '3.1.0'): string {
  return `openapi: ${version}
info: { title: A, version: 1.0.0 }
security: []
paths:
  /a: ${item}
  ${OTHER}
components: ${components}
`;
}

function getWith(members: string, schema = '{}'): string {
  const content = `content: { application/json: { schema: ${schema} } }`;
  return `{ get: { operationId: a, ${members} responses: { '200': { description: Any., ${content} } } } }`;
}

const NO_POINTER = 'is not a JSON pointer: write one, such as #/components/schemas/Pet';
const MESSAGE =
  'is remote, and the kit fetches nothing: bundle it into the contract, for example with npx @redocly/cli bundle';

const ONE_OF = (mapping: string): string =>
  `{ discriminator: { propertyName: k, mapping: ${mapping} }, oneOf: [{ $ref: '#/components/schemas/Cat' }] }`;
const CAT = 'Cat: { type: object, required: [k], properties: { k: { type: string } } }';
const REF = "{ $ref: 'URL' }";

/** Where a reference is, the contract, the line and column of the reference, and what is not served. */
const PLACES: readonly (readonly [string, string, string, string?])[] = [
  ['a schema', contractWith(getWith('', `{ type: array, items: { $ref: 'URL#/Pet' } }`)), '5:'],
  [
    'a schema of a component',
    contractWith(getWith('', "{ $ref: '#/components/schemas/P' }"), `{ schemas: { P: ${REF} } }`),
    '7:',
  ],
  ['a parameter', contractWith(getWith(`parameters: [${REF}],`)), '5:'],
  ['a response', contractWith(`{ get: { operationId: a, responses: { '200': ${REF} } } }`), '5:'],
  [
    'a header of a response',
    contractWith(`{ get: { operationId: a, responses: { '200': { description: Any., headers: { A: ${REF} } } } } }`),
    '5:',
  ],
  ['a request body', contractWith(`{ post: { operationId: a, requestBody: ${REF}, responses: {} } }`), '5:', 'POST /a'],
  ['a path item', contractWith(REF), '5:', '/a'],
  [
    'a path item of a component',
    contractWith("{ $ref: '#/components/pathItems/A' }", `{ pathItems: { A: ${REF} } }`),
    '7:',
    '/a',
  ],
  [
    'a mapping',
    contractWith(
      getWith('', "{ $ref: '#/components/schemas/P' }"),
      `{ schemas: { ${CAT}, P: ${ONE_OF("{ cat: Cat, dog: 'URL' }")} } }`,
    ),
    '7:',
  ],
  [
    'a mapping of a parent',
    contractWith(
      getWith('', "{ $ref: '#/components/schemas/P' }"),
      `{ schemas: { P: { type: object, required: [k], properties: { k: { type: string } }, discriminator: { propertyName: k, mapping: { dog: 'URL' } } } } }`,
    ),
    '7:',
  ],
  ['a security scheme', contractWith(getWith('security: [{ S: [] }],'), `{ securitySchemes: { S: ${REF} } }`), '7:'],
];

const UNFOLLOWED = ['a remote reference', '#anchor', './openapi.yaml#anchor', '#/a#b'];

test.each(UNFOLLOWED.flatMap((one) => PLACES.map((place) => [one, ...place])))(
  '%s in %s costs only the operation that needs it',
  async (...[kind = '', , text = '', place = '', name = 'GET /a']) => {
    const reference = kind === 'a remote reference' ? remote : kind;
    const source = text.replace('URL', reference);
    writeFileSync(file, source);
    const lines = (await messageOf(() => analyseServable(source, file))).split('\n');
    expect(lines).toEqual([expect.stringMatching(new RegExp(`openapi\\.yaml:${place}\\d+ "${reference}`))]);
    expect(lines[0]).toContain(reference === remote ? MESSAGE : NO_POINTER);
    const { errors } = await checkContract(file, 'none');
    expect(errors).toEqual(lines);
    const analysis = analyseServable(source, file, true);
    expect(analysis.notes).toContain(`Because of these errors, the service does not serve ${name}`);
    const { 'openapi.yaml': served = '' } = await generateFiles(analysis, false);
    expect(loadText(served).operations.map(({ id }) => id)).toEqual(['b']);
  },
);

test.each([
  'http://a.example/b.yaml',
  'https://a.example/b.yaml#/c',
  '//a.example/b.yaml',
  'file:///etc/passwd',
  'urn:a:b',
])('a service does not start with an operation that needs a remote reference: %s', (reference) => {
  const source = contractWith(getWith('', `{ items: { $ref: '${reference}' } }`));
  expect(() => loadText(source)).toThrow(`/items/$ref "${reference}" ${MESSAGE}`);
});

test('a remote reference that no operation needs is advice, and the contract is served unchanged', async () => {
  const source = `${contractWith(getWith(''), `{ schemas: { P: { $ref: '${remote}' } } }`)}x-a: { $ref: '${remote}#/a' }\n`;
  writeFileSync(file, source);
  const { errors, advice } = await checkContract(file, 'none');
  expect(errors).toEqual([]);
  expect(advice.filter((line) => line.includes('(no-unresolved-refs)'))).toEqual([
    expect.stringMatching(/openapi\.yaml:7:29 Can't resolve \$ref: .* \(2 times, also at 8:6\)$/),
  ]);
  expect(await generateFiles(analyseServable(source, file), false)).not.toHaveProperty(['openapi.yaml']);
  expect(loadText(source).operations.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('a remote reference in an extension of info is advice as well', async () => {
  const source = contractWith(getWith('')).replace('1.0.0 }', `1.0.0, x-logo: { $ref: '${remote}' } }`);
  writeFileSync(file, source);
  expect((await checkContract(file, 'none')).advice.join('\n')).toMatch(/:2:43 Can't resolve \$ref/);
  expect(await generateFiles(analyseServable(source, file), false)).toHaveProperty(['api.d.ts']);
});

test('a remote example is documentation, in one file and in several', () => {
  writeFileSync(join(folder, 'pet.yaml'), 'type: object\n');
  for (const schema of ['{}', '{ $ref: pet.yaml }']) {
    const content = `content: { application/json: { schema: ${schema}, examples: { a: { externalValue: '${remote}' } } } }`;
    const source = contractWith(`{ get: { responses: { '200': { description: Any., ${content} } } } }`);
    const { bundle } = analyseServable(source, file);
    expect(bundle.source).toMatch(new RegExp(`externalValue: '?${remote}`));
    expect(loadText(bundle.source).operations).toHaveLength(2);
  }
});

describe('a contract of several files', () => {
  const PARTS = `Direct: { type: object, properties: { a: { $ref: 'URL' } } }
Chained: { $ref: 'URL' }
Again: { $ref: '#/Chained' }
Mapped:
  discriminator: { propertyName: k, mapping: { dog: 'URL', cat: '#/Cat' } }
  oneOf: [{ $ref: '#/Cat' }]
${CAT}
Item: { $ref: 'URL' }
`;

  test.each([
    ['a schema', getWith('', "{ $ref: 'parts.yaml#/Direct' }"), '1:44'],
    ['what is referred to itself', getWith('', "{ $ref: 'parts.yaml#/Chained' }"), '2:12'],
    ['what is referred to twice', getWith('', "{ $ref: 'parts.yaml#/Again' }"), '2:12'],
    ['a mapping', getWith('', "{ $ref: 'parts.yaml#/Mapped' }"), '5:48'],
    ['a path item', "{ $ref: 'parts.yaml#/Item' }", '8:9', '/a'],
  ])('a remote reference in %s is reported at its place', async (_, item, place, name = 'GET /a') => {
    writeFileSync(
      join(folder, 'parts.yaml'),
      PARTS.replaceAll('URL', (_, at) => `${remote}#${String(at)}`),
    );
    const source = contractWith(item, '{}', '3.0.3');
    const lines = (await messageOf(() => analyseServable(source, file))).split('\n');
    expect(lines).toEqual([expect.stringContaining(`parts.yaml:${place} "${remote}`)]);
    const analysis = analyseServable(source, file, true);
    expect(analysis.notes).toContain(`Because of these errors, the service does not serve ${name}`);
    const { 'openapi.yaml': served = '' } = await generateFiles(analysis, false);
    expect(loadText(served).operations.map(({ id }) => id)).toEqual(['b']);
  });
});

test('references to an $anchor of another file, or in one, cost only the operations that need them', async () => {
  writeFileSync(join(folder, 'dog.yaml'), "Dog: { $anchor: dog, type: object }\nOwn: { items: { $ref: '#dog' } }\n");
  const source = contractWith(getWith('', "{ $ref: 'dog.yaml#dog' }")).replace(
    OTHER,
    `/c: ${getWith('', "{ $ref: 'dog.yaml#/Own' }").replace('a,', 'c,')}\n  ${OTHER}`,
  );
  expect((await messageOf(() => analyseServable(source, file))).split('\n')).toEqual([
    expect.stringMatching(/dog\.yaml:2:\d+ "#dog" is not a JSON pointer/),
    expect.stringMatching(/openapi\.yaml:5:\d+ "dog\.yaml#dog" is not a JSON pointer/),
  ]);
  const { operations, notes } = analyseServable(source, file, true);
  expect(notes).toContain('Because of these errors, the service does not serve GET /a, GET /c');
  expect(operations.map(({ id }) => id)).toEqual(['b']);
});

test('a reference to the whole document costs only the operation that needs it', () => {
  const { notes } = analyseServable(contractWith(getWith('', "{ $ref: '#' }")), file, true);
  expect(notes).toContain('Because of these errors, the service does not serve GET /a');
});

test('a reference to a reference in another file that leads nowhere is still reported', () => {
  writeFileSync(join(folder, 'lost.yaml'), "A: { $ref: '#/B' }\nB: { $ref: '#/Nope' }\n");
  const source = contractWith(getWith('', "{ $ref: 'lost.yaml#/A' }"));
  expect(() => analyseServable(source, file, true)).toThrow(/lost\.yaml:2:\d+ "#\/Nope" does not exist/);
});

test.each([[[]], [['--fetch']]])('bundle rejects a remote reference with the options %j', async (options) => {
  writeFileSync(file, contractWith(getWith('', `{ $ref: '${remote}' }`)));
  expect(await runCommand(['bundle', ...options, file])).toBe(1);
});

test('nothing of these contracts was fetched', () => {
  expect(counter.connections).toBe(0);
});
