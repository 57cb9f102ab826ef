import { generate } from '../src/generate/generate';

/** The types of schemas that a contract has, each on a line. */
async function typesOf(schemas: string): Promise<string[]> {
  const source = `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
paths: {}
components: { schemas: { ${schemas} } }
`;
  const { 'schemas.d.ts': types = '' } = await generate(source, 'openapi.yaml');
  const text = types.replace(/\/\*\*.*?\*\//gs, '').replace(/\s+/g, ' ');
  return text
    .split('export type ')
    .slice(1)
    .map((type) => type.replace(/;?( export \{\};)? $/, ''));
}

const ref = (name: string): string => `{ $ref: '#/components/schemas/${name}' }`;
const ID = 'id: { type: string, readOnly: true }';
const PIN = 'pin: { type: string, writeOnly: true }';

test.each([
  ['without readOnly and writeOnly, requests and replies have one type', 'A: { type: string }', ['A = string']],
  [
    'what is readOnly is in replies, what is writeOnly in requests',
    `A: { type: object, required: [id, pin], properties: { ${ID}, ${PIN} } }`,
    ['A = { id: string; }', 'A$Request = { pin: string; }'],
  ],
  [
    'a schema differs that refers to one that differs',
    `A: { type: object, properties: { ${ID} } }, B: { type: array, items: ${ref('A')} }, C: { type: array, items: ${ref('D')} }, D: {}`,
    ['A = { id?: string; }', 'A$Request = {}', 'B = A[]', 'B$Request = A$Request[]', 'C = D[]', 'D = unknown'],
  ],
  [
    'what another part of an allOf requires is readOnly as it is declared',
    `A: { type: object, properties: { ${ID} } }, B: { allOf: [${ref('A')}, { required: [id] }] }`,
    ['A = { id?: string; }', 'A$Request = {}', 'B = A & { id: unknown; }', 'B$Request = A$Request & {}'],
  ],
  [
    'what an allOf requires beside it is readOnly as it is declared',
    `A: { type: object, properties: { ${ID} } }, B: { type: object, allOf: [${ref('A')}], required: [id] }`,
    ['A = { id?: string; }', 'A$Request = {}', 'B = { id: unknown; } & A', 'B$Request = {} & A$Request'],
  ],
  [
    'a name that TypeScript does not allow, or that the types use',
    `a.b: ${ref('a_b')}, a_b: {}, a-b: {}, 2fa: {}, class: {}, File: {}, ARequest: {}`,
    [
      'a_b$ = a_b',
      'a_b = unknown',
      'a_b$$ = unknown',
      '_2fa = unknown',
      'class$ = unknown',
      'File$ = unknown',
      'ARequest = unknown',
    ],
  ],
])('%s', async (_, schemas, types) => {
  await expect(typesOf(schemas)).resolves.toEqual(types);
});

test('types of requests and replies refer to the schema in their mode', async () => {
  const body = `content: { application/json: { schema: ${ref('A')} } }`;
  const source = `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
paths:
  /a:
    post: { operationId: responses, security: [], requestBody: { ${body} }, responses: { '200': { $ref: '#/components/responses/A' }, '201': { description: A., ${body} } } }
components:
  responses: { A: { description: A., ${body} } }
  schemas: { A: { type: object, properties: { ${ID} } } }
`;
  const { 'api.d.ts': types = '' } = await generate(source, 'openapi.yaml');
  expect(types.match(/schemas\.[A-Z]\S*/g)).toEqual(['schemas.A;', 'schemas.A;', 'schemas.A$Request;', 'schemas.A;']);
});

test('what openapi-typescript cannot read is said to be so', async () => {
  await expect(typesOf('A: { properties: { hasOwnProperty: { type: string } } }')).rejects.toThrow(
    'openapi-typescript fails on this contract: ',
  );
});
