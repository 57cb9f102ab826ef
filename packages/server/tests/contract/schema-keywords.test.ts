import request from 'supertest';
import { serveText, type Served } from '../../../../tests/support/serve-text';

/** A service that keeps what its requests have, as `/keep` declares it, and replies with what it is sent at `/give`. */
async function serveSchema(
  schema: string,
  { version = '3.1.0', schemas = '' } = {},
): Promise<Served & { readonly seen: readonly unknown[] }> {
  const seen: unknown[] = [];
  const body = (one: string): string => `content: { application/json: { schema: ${one} } }`;
  const failures = ['400', '500', '503'].map((status) => `'${status}': { $ref: '#/components/responses/Failure' }`);
  const source = `openapi: ${version}
info: { title: Keywords, version: 1.0.0 }
paths:
  /keep:
    post:
      operationId: keep
      requestBody: { required: true, ${body(schema)} }
      responses: { '204': { description: Kept. }, ${failures.join(', ')} }
  /give:
    post:
      operationId: give
      requestBody: { required: true, ${body('{}')} }
      responses: { '200': { description: Given., ${body(schema)} }, ${failures.join(', ')} }
components:
  responses:
    Failure: { description: Failed., content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } } }
  schemas:
    Error: { type: object, required: [error, message], properties: { error: { type: integer }, message: { type: string } } }
${schemas}`;
  const served = await serveText(source, {
    keep: ({ body: kept }, reply) => {
      seen.push(kept);
      return reply(204);
    },
    give: ({ body: given }, reply) => reply(200, given),
  });
  return Object.assign(served, { seen });
}

async function post({ server }: Served, path: string, body: string): Promise<number> {
  const { status } = await request(server).post(path).set('Content-Type', 'application/json').send(body);
  return status;
}

const A_OR_B = 'properties: { a: { type: string }, b: { type: integer } }';

describe('keywords of OpenAPI 3.1 are enforced in requests and replies', () => {
  test.each([
    ['unevaluatedProperties', `{ allOf: [{ ${A_OR_B} }], unevaluatedProperties: false }`, '{"a":"1"}', '{"c":1}'],
    ['unevaluatedItems', '{ prefixItems: [{ type: string }], unevaluatedItems: false }', '["a"]', '["a",1]'],
    ['dependentRequired', `{ ${A_OR_B}, dependentRequired: { a: [b] } }`, '{"b":1}', '{"a":"1"}'],
    ['dependentSchemas', `{ ${A_OR_B}, dependentSchemas: { a: { required: [b] } } }`, '{"a":"1","b":1}', '{"a":"1"}'],
    ['prefixItems', '{ type: array, prefixItems: [{ type: string }, { type: integer }] }', '["a",1,null]', '["a","b"]'],
    ['if and then', `{ ${A_OR_B}, if: { required: [a] }, then: { required: [b] } }`, '{"b":1}', '{"a":"1"}'],
    ['else', `{ ${A_OR_B}, if: { required: [a] }, else: { required: [b] } }`, '{"a":"1"}', '{}'],
    ['contains', '{ type: array, contains: { const: 1 }, maxContains: 1 }', '[1,2]', '[2]'],
    ['maxContains', '{ type: array, contains: { const: 1 }, maxContains: 1 }', '[1,2]', '[1,1]'],
    ['minContains', '{ type: array, contains: { const: 1 }, minContains: 2 }', '[1,1]', '[1,2]'],
    ['propertyNames', '{ type: object, propertyNames: { maxLength: 2 } }', '{"ab":1}', '{"abc":1}'],
    ['const', '{ const: { a: [1] } }', '{"a":[1]}', '{"a":[2]}'],
    [
      'an object with members of JavaScript',
      '{ enum: [{ constructor: {} }, { valueOf: 1 }] }',
      '{"constructor":{}}',
      '{"valueOf":2}',
    ],
    [
      'an object in whatever order',
      '{ const: { a: 1, valueOf: [1] } }',
      '{"valueOf":[1],"a":1}',
      '{"a":1,"valueOf":[]}',
    ],
    ['a list of types', "{ type: [string, 'null'], maxLength: 1 }", 'null', '"ab"'],
    ['exclusiveMinimum', '{ type: number, exclusiveMinimum: 1, exclusiveMaximum: 2 }', '1.5', '1'],
    ['true', '{ type: object, properties: { a: true }, required: [a] }', '{"a":null}', '{}'],
    ['false', '{ type: object, properties: { a: false, b: {} } }', '{"b":1}', '{"a":1}'],
    ['false in a list', '{ oneOf: [true, false] }', '1', undefined],
    ['false for items', '{ type: array, prefixItems: [true], items: false }', '[1]', '[1,2]'],
    ['false for all', '{ anyOf: [{ type: object, additionalProperties: false }, false] }', '{}', '{"a":1}'],
    [
      'a reference to $defs',
      "{ $defs: { A: { type: string } }, properties: { a: { $ref: '#/components/schemas/B/$defs/C' } } }",
      '{"a":1}',
      '{"a":"1"}',
    ],
    [
      'a component that is true',
      "{ properties: { a: { $ref: '#/components/schemas/Any' } }, required: [a] }",
      '{"a":1}',
      '{}',
    ],
    [
      'items that contains finds',
      '{ type: array, contains: { const: 1 }, minContains: 0, unevaluatedItems: false }',
      '[1,1]',
      '[1,2]',
    ],
    [
      'contains of an array that is shorter than prefixItems',
      '{ prefixItems: [{}, { type: integer }], contains: { type: string } }',
      '["a"]',
      '[1]',
    ],
    [
      'uniqueItems of an array that is shorter than prefixItems',
      '{ prefixItems: [{}, {}, { type: integer }], uniqueItems: true }',
      '[1,2]',
      '[1,1]',
    ],
    [
      'contains of an empty array after another one',
      '{ items: { type: array, contains: { const: 1 }, minItems: 0 } }',
      '[[1]]',
      '[[1],[]]',
    ],
    [
      'unevaluatedItems beside a dependent schema whose name is an index',
      "{ type: array, dependentSchemas: { '1': { items: {} } }, unevaluatedItems: false }",
      '[]',
      '[1,2]',
    ],
    [
      'patternProperties beside dependentSchemas in allOf',
      "{ allOf: [{ dependentSchemas: { a: { properties: { a: { const: 1 } }, required: [b] } } }], patternProperties: { '^[a-c]': { type: integer } } }",
      '{"b":1}',
      '{"a":1}',
    ],
    [
      'items of an alternative',
      '{ anyOf: [{ items: { type: string } }, { minItems: 2 }], unevaluatedItems: { type: boolean } }',
      '["a"]',
      '[1,2]',
    ],
    [
      'a tuple of an alternative',
      '{ anyOf: [{ prefixItems: [{ const: 1 }] }, { minItems: 1 }], unevaluatedItems: false }',
      '[1]',
      '[2]',
    ],
    [
      'unevaluatedItems below allOf',
      '{ allOf: [{ unevaluatedItems: true }], unevaluatedItems: false }',
      '[1]',
      undefined,
    ],
    [
      'the alternative of each item by itself',
      '{ items: { oneOf: [{ required: [a], properties: { a: { const: 1 } } }, { required: [b], properties: { b: {} } }], unevaluatedProperties: false } }',
      '[{"a":1},{"b":1}]',
      '[{"a":1},{"a":2,"b":1}]',
    ],
    [
      'if alone, for unevaluatedProperties',
      '{ if: { required: [a], properties: { a: {} } }, unevaluatedProperties: false }',
      '{"a":1}',
      '{"b":1}',
    ],
    [
      'if that does not match, for unevaluatedProperties',
      '{ properties: { b: {} }, if: { required: [a], properties: { a: { const: 1 } } }, then: { required: [b] }, unevaluatedProperties: false }',
      '{"a":1,"b":1}',
      '{"a":2}',
    ],
    [
      'dependentSchemas, for unevaluatedProperties',
      '{ properties: { a: {} }, dependentSchemas: { a: { patternProperties: { ^b: {} } } }, unevaluatedProperties: false }',
      '{"a":1,"b1":1}',
      '{"b1":1}',
    ],
    [
      'a reference, for unevaluatedProperties',
      "{ allOf: [{ $ref: '#/components/schemas/Named' }], unevaluatedProperties: { type: integer } }",
      '{"name":"a","b/c":1}',
      '{"name":"a","b/c":"1"}',
    ],
    [
      'all that additionalProperties below allow',
      '{ allOf: [{ additionalProperties: { type: integer } }, { unevaluatedProperties: true }], unevaluatedProperties: false }',
      '{"a":1}',
      '{"a":"1"}',
    ],
    ['required names of every object', '{ required: [toString, constructor] }', '{"toString":1,"constructor":1}', '{}'],
    [
      'a property named as one of every object',
      '{ properties: { valueOf: { type: integer } } }',
      '{}',
      '{"valueOf":"1"}',
    ],
    [
      'dependentRequired of such a name',
      '{ properties: { valueOf: {}, a: {} }, dependentRequired: { valueOf: [a] } }',
      '{}',
      '{"valueOf":1}',
    ],
  ])('%s: %s', async (_, schema, right, wrong) => {
    const schemas =
      '    Any: true\n    B: { $defs: { C: { type: integer }, D: true } }\n    Named: { properties: { name: {} } }';
    await using served = await serveSchema(schema, { schemas });
    expect([await post(served, '/keep', right), await post(served, '/give', right)]).toEqual([204, 200]);
    if (wrong === undefined) return;
    expect([await post(served, '/keep', wrong), await post(served, '/give', wrong)]).toEqual([400, 500]);
  });
});

describe('what is no rule has no effect', () => {
  test.each([
    [
      'the content of a text',
      '{ type: string, contentEncoding: base64, contentMediaType: image/png, contentSchema: { type: integer } }',
      '"?"',
    ],
    ['binary in JSON', '{ type: object, properties: { a: { type: string, format: binary } } }', '{"a":"é"}'],
    [
      'xml',
      '{ type: object, xml: { name: a }, properties: { a: { type: string, xml: { attribute: true } } } }',
      '{"a":"1"}',
    ],
    [
      'names of schemas',
      '{ $id: "https://example.org/a", $schema: "https://json-schema.org/draft/2020-12/schema", $anchor: a, $dynamicAnchor: b, $comment: A }',
      '1',
    ],
    ['examples', '{ type: integer, examples: [a], example: { id: a, $ref: 1 } }', '1'],
    ['an unknown keyword', '{ type: integer, foo: 1, dependencies: { a: [b] }, additionalItems: false, id: a }', '1'],
    ['no rule', '{ type: object }', '{"a":{"b":1}}'],
    ['nullable: false', "{ type: [integer, 'null'], nullable: false }", 'null'],
    ['a text of the format int64', '{ type: string, format: int64 }', '"a"'],
  ])('%s: %s', async (_, schema, right) => {
    await using served = await serveSchema(schema);
    expect([await post(served, '/keep', right), await post(served, '/give', right)]).toEqual([204, 200]);
    expect(served.seen).toEqual([JSON.parse(right)]);
  });
});

test('what a condition or a pattern declares reaches the handler, and nothing else does', async () => {
  const schema = `{ properties: { a: { type: string } }, patternProperties: { ^x-: { type: integer } }, if: { required: [a] }, then: { properties: { b: { type: integer } } }, else: { properties: { c: { type: integer } } } }`;
  await using served = await serveSchema(schema);
  for (const body of ['{"a":"1","b":2,"x-a":3,"d":4}', '{"c":1,"d":2}']) await post(served, '/keep', body);
  expect(served.seen).toEqual([{ a: '1', b: 2, 'x-a': 3 }, { c: 1 }]);
});

test('data with a member $ref is data', async () => {
  const data = `{ $ref: 'https://example.com/a#b' }`;
  const schema = `{ properties: { a: { const: ${data} }, b: { enum: [${data}] }, c: { default: ${data} } }, example: ${data} }`;
  await using served = await serveSchema(schema);
  const value = { $ref: 'https://example.com/a#b' };
  expect(await post(served, '/keep', JSON.stringify({ a: value, b: value }))).toBe(204);
  expect(served.seen).toEqual([{ a: value, b: value, c: value }]);
  expect(await post(served, '/keep', '{"a":{"$ref":"#/info"}}')).toBe(400);
});

test('a default that its schema refuses is not filled in in OpenAPI 3.1', async () => {
  const schema = `{ properties: { a: { type: integer, default: x }, b: { maximum: 3, default: 4 }, c: { default: 5 } } }`;
  await using served = await serveSchema(schema);
  expect([await post(served, '/keep', '{}'), served.seen]).toEqual([204, [{ c: 5 }]]);
});

test('a default of a condition is not filled in', async () => {
  const schema =
    '{ properties: { a: { type: string } }, then: { properties: { b: { default: 1 } } }, if: { required: [a] } }';
  await using served = await serveSchema(schema);
  await post(served, '/keep', '{"a":"1"}');
  expect(served.seen).toEqual([{ a: '1' }]);
});

const TAGGED = `{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }], discriminator: { propertyName: kind } }`;
const KINDS = `    Cat: { allOf: [true], type: object, properties: { kind: { type: string, readOnly: true }, claws: { type: integer, format: int64 }, size: { type: integer, format: int64 } } }
    Dog: { type: object, properties: { kind: { type: string }, bark: { type: string }, size: { type: number } } }`;

describe('alternatives that a discriminator tells apart', () => {
  test.each([
    ['{"kind":"Cat","claws":1,"bark":"x"}', { kind: 'Cat', claws: 1n }],
    ['{"kind":"Dog","claws":1,"bark":"x"}', { kind: 'Dog', bark: 'x' }],
    ['{"kind":"Cat","size":9007199254740993}', { kind: 'Cat', size: 9007199254740993n }],
    ['{"kind":"Dog","size":3}', { kind: 'Dog', size: 3 }],
  ])('what only others declare does not reach the handler: %s', async (body, seen) => {
    await using served = await serveSchema(TAGGED, { schemas: KINDS });
    expect(await post(served, '/keep', body)).toBe(204);
    expect(served.seen).toEqual([seen]);
  });

  test('nor a reply', async () => {
    await using served = await serveSchema(TAGGED, { schemas: KINDS });
    expect(await post(served, '/give', '{"kind":"Dog","bark":"x","size":3}')).toBe(200);
    expect(await post(served, '/give', '{"kind":"Dog","claws":"x"}')).toBe(500);
    expect(await post(served, '/give', '{"bark":"x"}')).toBe(500);
  });

  test('so it is where they are a part of a schema, and beside null', async () => {
    const nullable = TAGGED.replace(']', ", { type: 'null' }]");
    const schema = `{ type: object, properties: { pet: { allOf: [${nullable}, { properties: { name: { type: string } } }] } } }`;
    await using served = await serveSchema(schema, { schemas: KINDS });
    for (const body of ['{"pet":{"kind":"Cat","bark":"x","name":"a"}}', '{"pet":null}']) {
      expect(await post(served, '/keep', body)).toBe(204);
    }
    expect(served.seen).toEqual([{ pet: { kind: 'Cat', name: 'a' } }, { pet: null }]);
  });

  test('a tag that is readOnly is sent all the same: without, nothing tells which schema counts', async () => {
    await using served = await serveSchema(TAGGED, { schemas: KINDS });
    expect(await post(served, '/keep', '{"claws":1}')).toBe(400);
    expect(await post(served, '/keep', '{"kind":"Cat"}')).toBe(204);
  });
});

test.each([
  ['of another type', '{ type: object, properties: { a: { type: integer, default: x } } }'],
  ['that is null', '{ type: object, properties: { a: { type: string, default: null } } }'],
  ['that is not one of its values', '{ type: object, properties: { a: { type: string, enum: [b], default: a } } }'],
])('a default %s prevents the start in OpenAPI 3.0: %s', async (_, schema) => {
  await expect(serveSchema(schema, { version: '3.0.3' })).rejects.toThrow(
    /#\/paths\/~1keep\/post\/.*\/properties\/a\/default the default is not valid under its schema/,
  );
});

test('a default that breaks another rule is not filled in, in OpenAPI 3.0 either', async () => {
  const schema = '{ type: object, properties: { a: { type: array, maxItems: 0, default: [1] } } }';
  await using served = await serveSchema(schema, { version: '3.0.3' });
  expect([await post(served, '/keep', '{}'), served.seen]).toEqual([204, [{}]]);
});

test('a wrong default of a reply prevents no start, as nothing is filled in', async () => {
  const source = `openapi: 3.0.3
info: { title: Replies, version: 1.0.0 }
paths:
  /a:
    get:
      operationId: give
      responses: { '200': { description: A., content: { application/json: { schema: { type: object, properties: { a: { type: string, maxLength: 1, default: ab }, b: { type: string, default: 1 } } } } } } }
`;
  await using served = await serveText(source, { give: (_request, reply) => reply(200, {}) });
  expect((await request(served.server).get('/a')).body).toEqual({});
});

test('a default prevents no start where it is valid', async () => {
  const schema =
    '{ type: object, properties: { a: { type: number, default: 1 }, b: { type: string, nullable: true, default: null }, c: { enum: [1], default: 1 }, d: { nullable: true, allOf: [{ type: string }], default: null } } }';
  await using served = await serveSchema(schema, { version: '3.0.3' });
  expect([await post(served, '/keep', '{}'), served.seen]).toEqual([204, [{ a: 1, b: null, c: 1 }]]);
});

test('unevaluatedProperties is not a keyword of OpenAPI 3.0', async () => {
  await expect(serveSchema('{ unevaluatedProperties: false }', { version: '3.0.3' })).rejects.toThrow(
    'OpenAPI 3.0 has no schema keyword unevaluatedProperties',
  );
});
