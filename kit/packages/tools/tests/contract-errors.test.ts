import { readFileSync } from 'node:fs';
import { generate } from '../src/generate/generate';
import { messageOf } from './closed';

const FAILURES = ['400', '401', '500', '503'].map(
  (status) => `        '${status}': { $ref: '#/components/responses/Failure' }`,
);

// Lines are counted below, and told by.
const CONTRACT = `openapi: 3.1.0
info: { title: Shelf, version: 1.0.0, license: { name: MIT, identifier: MIT } }
servers: [{ url: '/' }]
security: [{ token: [] }]
paths:
  /books/{id}:
    get:
      operationId: getBook
      summary: A book
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer, format: int64 } }
        - { name: full, in: query, schema: { type: boolean } }
      responses:
        '200':
          description: The book.
          content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } }
${FAILURES.join('\n')}
components:
  securitySchemes:
    token: { type: http, scheme: bearer }
  responses:
    Failure: { description: Failed., content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } } }
  schemas:
    Book: { type: object, properties: { id: { type: integer, format: int64 } } }
    Error:
      type: object
      required: [error, message]
      properties:
        error: { type: integer }
        message: { type: string }
`;

const mistakesOf = (source: string): Promise<string> => messageOf(() => generate(source, 'shelf.yaml'));

test('the contract that the tests change has no errors itself', async () => {
  await expect(mistakesOf(CONTRACT)).resolves.toBe('');
});

test('features of OpenAPI 3.2 that are not served are errors, and documentation is not', async () => {
  const content = '{ application/json: { itemSchema: {} } }';
  const streamed = CONTRACT.replace('3.1.0', '3.2.0').replace(/content: .*Book.*/, `content: ${content}`);
  await expect(mistakesOf(streamed)).resolves.toMatch(/^shelf\.yaml:16:\d+ application\/json has no items: [^\n]*$/);
  const file = 'packages/test-support/fixtures/contracts/openapi-3-2.yaml';
  await expect(mistakesOf(readFileSync(file, 'utf8'))).resolves.toBe('');
});

test.each([
  ['broken YAML', 'paths:', 'paths: {', 'shelf.yaml:'],
  ...["swagger: '2.0'", 'asyncapi: 3.0.0', 'openapi: 3.3.0', 'openapi: 3.1', '- openapi: 3.1.0\n- '].map((first) => [
    `a document that begins with ${first}`,
    CONTRACT,
    first.startsWith('-') ? first : CONTRACT.replace('openapi: 3.1.0', first),
    'shelf.yaml:1:1 the field openapi must be a string such as 3.1.0; convert a document that is not OpenAPI 3.0, 3.1 or 3.2',
  ]),
  ['a reference to nowhere', 'schemas/Book', 'schemas/Bok', 'shelf.yaml:16:52 #/components/schemas/Bok does not exist'],
  [
    'a reference to one that leads nowhere, once',
    '    Book: { type: object, properties: { id: { type: integer, format: int64 } } }',
    "    Book: { $ref: '#/components/schemas/Bok' }",
    'shelf.yaml:27:13 #/components/schemas/Bok does not exist',
  ],
  [
    'a path parameter that is not declared',
    'name: id, in: path',
    'name: ib, in: path',
    'shelf.yaml:8:7 the path parameter id is not declared: list it in parameters, with in: path',
  ],
  [
    'a keyword that is not enforced',
    'Book: { type: object',
    "Book: { $dynamicRef: '#a', type: object",
    'shelf.yaml:27:13 is not supported, because its target depends on the schemas around it: write $ref',
  ],
  [
    'an entry of a mapping that leads nowhere',
    'Book: { type: object',
    'Book: { discriminator: { propertyName: a, mapping: { b: Bok } }, type: object',
    'shelf.yaml:27:58 "Bok" does not exist',
  ],
  [
    'a security scheme that is not defined',
    '[{ token: [] }]',
    '[{ tokn: [] }]',
    'shelf.yaml:4:14 the security scheme tokn is not defined in components.securitySchemes',
  ],
])('%s', async (_, from, to, message) => {
  expect(CONTRACT).toContain(from);
  const told = await mistakesOf(CONTRACT.replace(from, () => to));
  expect(told).toMatch(/^shelf\.yaml:\d+:\d+ ./);
  expect(told.split('\n').filter((line) => line.startsWith(message))).toHaveLength(1);
});

test('the type null is an error in OpenAPI 3.0', async () => {
  const source = CONTRACT.replace('3.1.0', '3.0.3').replace('type: boolean', "type: 'null'");
  await expect(mistakesOf(source)).resolves.toMatch(/^shelf\.yaml:12:\d+ type must be a type, /);
});

test('all errors are reported together', async () => {
  const told = await mistakesOf(
    CONTRACT.replace('Book: {', `Book: { $dynamicRef: '#a',`)
      .replace("'200':\n", "'20X':\n")
      .replace('in: query', 'in: query, style: matrix'),
  );
  expect(
    told
      .split('\n')
      .map((line) => /^shelf\.yaml:(\d+):/.exec(line)?.[1])
      .sort(),
  ).toEqual(['12', '14', '27']);
});
