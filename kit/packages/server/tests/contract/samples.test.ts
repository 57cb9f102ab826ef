import request from 'supertest';
import { serveOperation, type OperationParts } from '@contract-kit/test-support/serve-operation';
import { notBuilt } from '../../src/pipeline/handler';

/** The reply of an operation that is not built, as JSON with its numbers digit for digit. */
async function sample(parts: OperationParts, path = '/a', hasSamples = true) {
  await using served = await serveOperation({ method: 'get', ...parts }, () => notBuilt('a'), {}, { hasSamples });
  const reply = await request(served.server).get(path);
  const { status, text, headers } = reply;
  return { status, text, type: headers['content-type'] as unknown, mark: headers['x-contract-kit-sample'] as unknown };
}

const SAMPLED = { status: 200, mark: 'true' };
const NOT_SAMPLED = { status: 503, mark: undefined };
const content = (entry: string): string => `'200': { description: Done., content: { application/json: ${entry} } }`;

test.each([
  ['{ type: string }', '"text"'],
  ['{ type: string, minLength: 6, maxLength: 7 }', '"textte"'],
  ['{ type: string, maxLength: 2 }', '"te"'],
  ['{ type: string, format: date-time }', '"2026-01-01T12:00:00Z"'],
  ['{ properties: { type: { type: string, format: uri-reference } } }', '{"type":"/type"}'],
  ['{ type: string, enum: [b, a] }', '"b"'],
  ['{ type: [string, "null"], default: given }', '"given"'],
  ['{ type: string, pattern: "^[A-Z]{3}$" }', '"AAA"'],
  ['{ type: string, pattern: "^[0-9]+$", minLength: 6 }', '"000000"'],
  ["{ properties: { '': { type: string, minLength: 1 } } }", '{"":" "}'],
  ['{ allOf: [{ type: integer }, { type: number }] }', '1'],
  ['{ maximum: 3 }', '1'],
  ['{ multipleOf: 5 }', '0'],
  ['{ type: number, example: 9007199254740993 }', '9007199254740992'],
  ['{ type: integer, format: int64, multipleOf: 7, minimum: 9007199254740993 }', '9007199254740995'],
  ['{ type: integer, format: int64, minimum: 9007199254740993 }', '9007199254740993'],
  ['{ type: integer, format: int64, exclusiveMaximum: 0, multipleOf: 7 }', '-7'],
  ['{ type: integer, format: int64, example: 9223372036854775807 }', '9223372036854775807'],
  ['{ type: number, exclusiveMinimum: 0, exclusiveMaximum: 0.5 }', '0.25'],
  ['{ type: boolean }', 'true'],
  ['{ const: null }', 'null'],
  ['{ type: array, minItems: 2, items: { type: integer } }', '[1,1]'],
  ['{ type: array, contains: { const: 4 } }', '[4]'],
  ['{ type: array, items: {}, maxItems: 0 }', '[]'],
  ['{ type: array }', '[]'],
  ['{ prefixItems: [{ const: a }, { type: integer }], items: false }', '["a",1]'],
  ['{ properties: { a: { type: integer }, b: { type: string, writeOnly: true } } }', '{"a":1}'],
  [
    '{ allOf: [{ required: [a] }, { properties: { a: { type: integer }, b: { $ref: "#/components/schemas/Tree" } } }] }',
    '{"a":1,"b":{"name":"name","children":[]}}',
  ],
  [
    '{ oneOf: [{ required: [a, b], properties: { a: {}, b: {} } }, { required: [a], properties: { a: {} } }] }',
    '{"a":"a"}',
  ],
  ['{ oneOf: [{ type: "null" }, { type: integer }] }', '1'],
  ['{ anyOf: [{ required: [a], properties: { a: {} } }, { properties: { b: { type: integer } } }] }', '{"b":1}'],
  ['{ type: string, examples: [1, given] }', '"given"'],
  ['{ properties: { a: { type: integer } }, if: { required: [a] }, then: { maxProperties: 0 } }', '{}'],
  ['{ $ref: "#/components/schemas/Chain" }', '{"next":null}'],
])('%s: %s', async (reply, text) => {
  const schemas = {
    Tree: '{ properties: { name: { type: string }, parent: { $ref: "#/components/schemas/Tree" }, children: { type: array, items: { $ref: "#/components/schemas/Tree" } } } }',
    Chain:
      '{ type: object, required: [next], properties: { next: { anyOf: [{ $ref: "#/components/schemas/Chain" }, { type: "null" }] } } }',
  };
  expect(await sample({ reply, schemas })).toMatchObject({ ...SAMPLED, text });
});

test.each([
  ['nothing', '{ not: {} }'],
  [
    'a schema that requires itself',
    '{ type: object, required: [a], properties: { a: { $ref: "#/components/schemas/Endless" } } }',
  ],
  ['a pattern that no text of one character matches', '{ type: string, pattern: "^[A-Z]{3}-[0-9]+$" }'],
  ['limits without a number between them', '{ type: integer, minimum: 2, maximum: 1 }'],
  ['different items', '{ type: array, minItems: 2, uniqueItems: true, items: { type: integer } }'],
])('no value is made of %s: it stays refused', async (_, reply) => {
  const schemas = {
    Endless: '{ type: object, required: [a], properties: { a: { $ref: "#/components/schemas/Endless" } } }',
  };
  expect(await sample({ reply, schemas })).toMatchObject(NOT_SAMPLED);
});

describe('examples of the reply', () => {
  const schema =
    'schema: { type: object, properties: { id: { type: integer, format: int64 }, list: { type: array, items: { type: integer, format: int64 } } } }';

  test('come first, digit for digit, without what the schema does not list', async () => {
    const entry = `{ ${schema}, example: { id: 9007199254740993, list: [9007199254740995], more: 1 } }`;
    const text = '{"id":9007199254740993,"list":[9007199254740995]}';
    expect(await sample({ responses: content(entry) })).toMatchObject({ ...SAMPLED, text });
  });

  test('are passed over where they do not fit', async () => {
    const entry = `{ ${schema}, examples: { wrong: { value: { id: text } }, right: { $ref: "#/components/examples/Right" } } }`;
    const components = 'examples: { Right: { value: { id: 7 } } }';
    expect(await sample({ responses: content(entry), components })).toMatchObject({ ...SAMPLED, text: '{"id":7}' });
  });
});

describe('the other parts of the reply', () => {
  test('the parameters of the path are in the body, where they fit', async () => {
    const members =
      'parameters: [{ name: shop, in: path, required: true, schema: { type: string } }, { name: bookId, in: path, required: true, schema: { type: integer, format: int64 } }]';
    const path = '/shops/{shop}/books/{bookId}';
    const bodyOf = (shop: string) =>
      `{ properties: { id: { type: integer, format: int64 }, shop: ${shop}, bookId: { type: string } } }`;
    const target = '/shops/x/books/9007199254740993';
    const echoed = await sample(
      { path, members, reply: bodyOf('{ type: string }').replace(', bookId: { type: string }', '') },
      target,
    );
    expect(echoed).toMatchObject({ ...SAMPLED, text: '{"id":9007199254740993,"shop":"x"}' });
    const other = await sample({ path, members, reply: bodyOf('{ type: integer }') }, target);
    expect(other).toMatchObject({ ...SAMPLED, text: '{"id":1,"shop":1,"bookId":"bookId"}' });
  });

  test('required headers are there', async () => {
    const responses =
      "'201': { description: Done., headers: { X-Count: { required: true, schema: { type: integer, format: int64 } }, Link: { schema: { type: string } }, Location: { required: true, schema: { type: string, format: uri-reference } }, X-Next: { required: true, schema: { type: string }, example: a2 } } }";
    await using served = await serveOperation({ responses }, () => notBuilt('a'), {}, { hasSamples: true });
    const { headers, text } = await request(served.server).post('/a').expect(201);
    expect(headers).toMatchObject({
      'x-count': '1',
      'x-contract-kit-sample': 'true',
      location: '/location',
      'x-next': 'a2',
    });
    expect(headers).not.toHaveProperty('link');
    expect(text).toBe('');
  });

  test.each([
    [
      "'2XX': { description: Done., content: { text/csv: {}, application/json: { schema: { type: integer } } } }",
      'application/json',
      '1',
    ],
    ['default: { description: Done., content: { text/csv: {} } }', 'text/csv', 'text'],
    ["'200': { description: Done., content: { 'image/*': {} } }", 'image/octet-stream', 'text'],
    [
      "'404': { description: None. }, '200': { description: Done., content: { application/pdf: { example: bytes } } }",
      'application/pdf',
      'bytes',
    ],
  ])('%s', async (responses, type, text) => {
    await using served = await serveOperation({ responses }, () => notBuilt('a'), {}, { hasSamples: true });
    const reply = await request(served.server)
      .post('/a')
      .buffer()
      .parse((response, done) => {
        let read = '';
        response
          .on('data', (chunk) => (read += String(chunk)))
          .on('end', () => {
            done(null, read);
          });
      });
    expect([reply.status, reply.headers['content-type'], reply.body]).toEqual([200, type, text]);
  });

  test('a status comes before ranges', async () => {
    const responses = "default: { description: Failed. }, '2XX': { description: Done. }, '201': { description: Made. }";
    expect(await sample({ responses })).toMatchObject({ status: 201 });
  });

  test('there is none where no success is declared', async () => {
    expect(await sample({ responses: "'404': { description: None. }" })).toMatchObject(NOT_SAMPLED);
  });
});

test.each([
  ['{ type: integer, minimum: 5, exclusiveMinimum: true }', '6'],
  ['{ type: integer, maximum: 1, exclusiveMaximum: true }', '0'],
])('a limit of OpenAPI 3.0 may exclude itself: %s', async (reply, text) => {
  expect(await sample({ reply, version: '3.0.3' })).toMatchObject({ ...SAMPLED, text });
});

test('by default an operation that is not built is refused', async () => {
  expect(await sample({ reply: '{ type: string }' }, '/a', false)).toMatchObject(NOT_SAMPLED);
});
