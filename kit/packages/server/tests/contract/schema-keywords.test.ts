import { postJson, serveOperation, statusesOf } from '@contract-kit/test-support/serve-operation';

const SCHEMAS = {
  Any: 'true',
  B: '{ $defs: { C: { type: integer }, D: true } }',
  None: '{ enum: [] }',
  Named: '{ properties: { name: {} } }',
};

/** The statuses of requests with such bodies, and of replies with them; and what the handler of the requests got. */
async function judge(schema: string, bodies: readonly string[]) {
  await using kept = await serveOperation({ body: schema, schemas: SCHEMAS });
  await using given = await serveOperation({ body: '{}', reply: schema, schemas: SCHEMAS });
  return [await statusesOf(kept, bodies), await statusesOf(given, bodies), kept.seen];
}

test('OpenAPI 3.2 is judged as 3.1', async () => {
  const body = "{ $schema: 'https://spec.openapis.org/oas/3.2/dialect/2025-09-17', type: [integer, 'null'] }";
  await using served = await serveOperation({ version: '3.2.0', body });
  await expect(statusesOf(served, ['1', 'null', '"1"'])).resolves.toEqual([204, 204, 400]);
});

const TO = '#/components/schemas';
// More than a few values of each type.
const MIXED = `1,1.5,"a",null,true,{"a":1,"b":[2]},[1,2],${Array.from({ length: 20 }, (_, index) => `"t${String(index)}"`).join()}`;

test.each([
  [
    "{ properties: { a: { type: string, nullable: true }, b: { type: [string, 'null'] } } }",
    '{"b":null}',
    '{"a":null}',
  ],
  ['{ properties: { a: { enum: [] }, b: { $ref: "#/components/schemas/None" } } }', '{}', '{"b":1}'],
  ['{ properties: { schema: { type: array, uniqueItems: true } } }', '{"schema":[1]}', '{"schema":[1,1]}'],
  ['{ properties: { schemas: { type: array, uniqueItems: true } } }', '{"schemas":[1]}', '{"schemas":[1,1]}'],
  ['{ properties: { a: { const: { schema: true } } } }', '{"a":{"schema":true}}', '{"a":{"schema":{}}}'],
  ['{ enum: [{ constructor: {} }, { valueOf: 1 }] }', '{"constructor":{}}', '{"valueOf":2}'],
  ['{ const: { a: 1, valueOf: [1] } }', '{"valueOf":[1],"a":1}', '{"a":1,"valueOf":[]}'],
  [`{ items: { enum: [${MIXED}] } }`, `[${MIXED},1.0,{"b":[2],"a":1}]`, '["1"]'],
  [`{ items: { enum: [${MIXED}] } }`, `[${MIXED}]`, '[[1,2,3]]'],
  [`{ items: { enum: [${MIXED}] } }`, `[${MIXED}]`, '[{"a":1,"b":2}]'],
  [`{ items: { not: { enum: [${MIXED}] } } }`, '["null",false,[],[2,1],{},0]', '[null]'],
  ["{ additionalProperties: { enum: [0, ''] } }", '{"a":0,"b":"","c":-0}', '{"a":null}'],
  ['{ patternProperties: { a: { type: integer }, b: { minimum: 2 }, c: {} } }', '{"a":1,"ab":2,"c":""}', '{"ab":1}'],
  ['{ patternProperties: { a: { type: integer }, b: { minimum: 2 }, c: {} } }', '{"bc":2}', '{"c":1,"ca":"","d":1}'],
  [`{ $defs: { A: { type: string } }, properties: { a: { $ref: '${TO}/B/$defs/C' } } }`, '{"a":1}', '{"a":"1"}'],
  ["{ properties: { a: { $ref: '#/components/schemas/Any' } }, required: [a] }", '{"a":1}', '{}'],
  ['{ type: array, contains: { const: 1 }, minContains: 0, unevaluatedItems: false }', '[1,1]', '[1,2]'],
  ['{ prefixItems: [{}, { type: integer }], contains: { type: string } }', '["a"]', '[1]'],
  ['{ prefixItems: [{}, {}, { type: integer }], uniqueItems: true }', '[1,2]', '[1,1]'],
  ['{ items: { type: array, contains: { const: 1 }, minItems: 0 } }', '[[1]]', '[[1],[]]'],
  ["{ type: array, dependentSchemas: { '1': { items: {} } }, unevaluatedItems: false }", '[]', '[1,2]'],
  [
    "{ allOf: [{ dependentSchemas: { a: { properties: { a: { const: 1 } }, required: [b] } } }], patternProperties: { '^[a-c]': { type: integer } } }",
    '{"b":1}',
    '{"a":1}',
  ],
  ['{ anyOf: [{ items: { type: string } }, { minItems: 2 }], unevaluatedItems: { type: boolean } }', '["a"]', '[1,2]'],
  ['{ anyOf: [{ prefixItems: [{ const: 1 }] }, { minItems: 1 }], unevaluatedItems: false }', '[1]', '[2]'],
  ['{ allOf: [{ unevaluatedItems: true }], unevaluatedItems: false }', '[1]', undefined],
  [
    '{ items: { oneOf: [{ required: [a], properties: { a: { const: 1 } } }, { required: [b], properties: { b: {} } }], unevaluatedProperties: false } }',
    '[{"a":1},{"b":1}]',
    '[{"a":1},{"a":2,"b":1}]',
  ],
  ['{ if: { required: [a], properties: { a: {} } }, unevaluatedProperties: false }', '{"a":1}', '{"b":1}'],
  [
    '{ properties: { b: {} }, if: { required: [a], properties: { a: { const: 1 } } }, then: { required: [b] }, unevaluatedProperties: false }',
    '{"a":1,"b":1}',
    '{"a":2}',
  ],
  [
    '{ properties: { a: {} }, dependentSchemas: { a: { patternProperties: { ^b: {} } } }, unevaluatedProperties: false }',
    '{"a":1,"b1":1}',
    '{"b1":1}',
  ],
  [
    "{ allOf: [{ $ref: '#/components/schemas/Named' }], unevaluatedProperties: { type: integer } }",
    '{"name":"a","b/c":1}',
    '{"name":"a","b/c":"1"}',
  ],
  [
    '{ allOf: [{ additionalProperties: { type: integer } }, { unevaluatedProperties: true }], unevaluatedProperties: false }',
    '{"a":1}',
    '{"a":"1"}',
  ],
  ['{ items: { multipleOf: 0.01 } }', '[19.99,-1.1,4.35,0.07,1e20,0,1e308]', '[19.995]'],
  ['{ items: { multipleOf: 1e-7 } }', '[3e-7,-25e-7,1]', '[1e-8]'],
  ['{ items: { multipleOf: 4.5e15 } }', '[9e300,0,-9e15]', '[1e300]'],
  ['{ properties: { valueOf: {}, a: {} }, dependentRequired: { valueOf: [a] } }', '{}', '{"valueOf":1}'],
])('requests and replies are held to the schema %s', async (schema, right, wrong) => {
  const [requests, replies] = await judge(schema, wrong === undefined ? [right] : [right, wrong]);
  expect([requests, replies]).toEqual(
    wrong === undefined
      ? [[204], [200]]
      : [
          [204, 400],
          [200, 500],
        ],
  );
});

test.each([
  ['{ type: string, contentEncoding: base64, contentMediaType: image/png, contentSchema: { type: integer } }', '"?"'],
  ['{ type: object, properties: { a: { type: string, format: binary } } }', '{"a":"é"}'],
  ['{ type: object, xml: { name: a }, properties: { a: { type: string, xml: { attribute: true } } } }', '{"a":"1"}'],
  [
    '{ $id: "https://example.org/a", $schema: "https://json-schema.org/draft/2020-12/schema", $anchor: a, $dynamicAnchor: b, $comment: A }',
    '1',
  ],
  ['{ type: integer, examples: [a], example: { id: a, $ref: 1 } }', '1'],
  ['{ type: integer, foo: 1, dependencies: { a: [b] }, additionalItems: false, id: a }', '1'],
  ['{ type: object }', '{"a":{"b":1}}'],
  ["{ type: [integer, 'null'], nullable: false }", 'null'],
  ['{ type: string, format: int64 }', '"a"'],
])('what is not a rule has no effect: %s', async (schema, right) => {
  expect(await judge(schema, [right])).toEqual([[204], [200], [JSON.parse(right)]]);
});

const DATA = `{ $ref: 'https://example.com/a#b' }`;
const VALUE = { $ref: 'https://example.com/a#b' };

test.each<[string, string, readonly unknown[], readonly unknown[]]>([
  [
    'what a condition or a pattern declares reaches the handler, and nothing else does',
    '{ properties: { a: { type: string } }, patternProperties: { ^x-: { type: integer } }, if: { required: [a] }, then: { properties: { b: { type: integer } } }, else: { properties: { c: { type: integer } } } }',
    [
      { a: '1', b: 2, 'x-a': 3, d: 4 },
      { c: 1, d: 2 },
    ],
    [{ a: '1', b: 2, 'x-a': 3 }, { c: 1 }],
  ],
  [
    'data with a member $ref is data',
    `{ properties: { a: { const: ${DATA} }, b: { enum: [${DATA}] }, c: { default: ${DATA} } }, example: ${DATA} }`,
    [{ a: VALUE, b: VALUE }],
    [{ a: VALUE, b: VALUE, c: VALUE }],
  ],
  [
    'a default that its schema refuses is not filled in in OpenAPI 3.1',
    '{ properties: { a: { type: integer, default: x }, b: { maximum: 3, default: 4 }, c: { default: 5 } } }',
    [{}],
    [{ c: 5 }],
  ],
  [
    'a default of a condition is not filled in',
    '{ properties: { a: { type: string } }, then: { properties: { b: { default: 1 } } }, if: { required: [a] } }',
    [{ a: '1' }],
    [{ a: '1' }],
  ],
])('%s', async (_, body, sent, seen) => {
  await using served = await serveOperation({ body });
  expect([await statusesOf(served, sent), served.seen]).toEqual([sent.map(() => 204), seen]);
});

test('400 for other data than a const with a member $ref', async () => {
  await using served = await serveOperation({ body: `{ properties: { a: { const: ${DATA} } } }` });
  await postJson(served, { a: { $ref: '#/info' } }).expect(400);
});

const TAGGED = `{ oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }], discriminator: { propertyName: kind } }`;
const KINDS = {
  Cat: '{ allOf: [true], type: object, properties: { kind: { type: string, readOnly: true }, claws: { type: integer, format: int64 }, size: { type: integer, format: int64 } } }',
  Dog: '{ type: object, properties: { kind: { type: string }, bark: { type: string }, size: { type: number } } }',
};
const NULLABLE = TAGGED.replace(']', ", { type: 'null' }]");
const PART = `{ type: object, properties: { pet: { allOf: [${NULLABLE}, { properties: { name: { type: string } } }] } } }`;

describe('alternatives that a discriminator tells apart', () => {
  test.each([
    [TAGGED, '{"kind":"Cat","claws":1,"bark":"x"}', { kind: 'Cat', claws: 1n }],
    [TAGGED, '{"kind":"Dog","claws":1,"bark":"x"}', { kind: 'Dog', bark: 'x' }],
    [TAGGED, '{"kind":"Cat","size":9007199254740993}', { kind: 'Cat', size: 9007199254740993n }],
    [TAGGED, '{"kind":"Dog","size":3}', { kind: 'Dog', size: 3 }],
    [PART, '{"pet":{"kind":"Cat","bark":"x","name":"a"}}', { pet: { kind: 'Cat', name: 'a' } }],
    [PART, '{"pet":null}', { pet: null }],
  ])('what only others declare does not reach the handler: %s %s', async (schema, body, seen) => {
    await using served = await serveOperation({ body: schema, schemas: KINDS });
    await postJson(served, body).expect(204);
    expect(served.seen).toEqual([seen]);
  });

  test('what only others declare is not in a reply', async () => {
    await using served = await serveOperation({ body: '{}', reply: TAGGED, schemas: KINDS });
    const bodies = ['{"kind":"Dog","bark":"x","size":3}', '{"kind":"Dog","claws":"x"}', '{"bark":"x"}'];
    expect(await statusesOf(served, bodies)).toEqual([200, 500, 500]);
  });

  test('a tag that is readOnly is sent all the same: without, nothing tells which schema counts', async () => {
    await using served = await serveOperation({ body: TAGGED, schemas: KINDS });
    expect(await statusesOf(served, ['{"claws":1}', '{"kind":"Cat"}'])).toEqual([400, 204]);
  });
});

// Each item that lacks them all gets 4,000 bytes of JSON. Ajv compiles more than 100 properties in parts.
test.each([
  ['one default', { a: 'x'.repeat(4000 - '{"a":""}'.length) }],
  [
    '200 defaults',
    Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`a${String(index + 100)}`, 'abcdefghi'])),
  ],
])('items with %s get at most 4 MB of them', async (_, item) => {
  const properties = Object.entries(item).map(([name, value]) => `${name}: { default: ${value} }`);
  const items = `{ type: array, items: { type: [object, array], properties: { ${properties.join()} } } }`;
  await using served = await serveOperation({ body: items });
  const lacking = Array.from({ length: 1000 }, () => ({}));
  expect(await statusesOf(served, [lacking, [...lacking, item, []], [...lacking, {}], lacking])).toEqual([
    204, 204, 400, 204,
  ]);
  expect(served.seen[0]).toEqual(lacking.map(() => item));
  const { text } = await postJson(served, [...lacking, {}]);
  expect(text).toContain('request/body/1000 must have more of its properties: a request gets at most 4 MB of defaults');
});

test.each([
  '{ type: object, properties: { a: { type: integer, default: x } } }',
  '{ type: object, properties: { a: { type: string, default: null } } }',
  '{ type: object, properties: { a: { type: string, enum: [b], default: a } } }',
])('a default that is not valid prevents the start in OpenAPI 3.0: %s', async (body) => {
  await expect(serveOperation({ body, version: '3.0.3' })).rejects.toThrow(
    /#\/paths\/~1a\/post\/.*\/properties\/a\/default the default does not match its schema/,
  );
});

test.each([
  // A default that breaks another rule than that of its type is not filled in either.
  ['{ type: object, properties: { a: { type: array, maxItems: 0, default: [1] } } }', {}],
  ['{ properties: { a: { type: number, default: 1 }, b: { enum: [1], default: 1 } } }', { a: 1, b: 1 }],
  ['{ properties: { a: { type: string, nullable: true, default: null } } }', { a: null }],
  ['{ properties: { a: { nullable: true, allOf: [{ type: string }], default: null } } }', {}],
])('a default that prevents no start in OpenAPI 3.0 is filled in where it is valid: %s', async (body, seen) => {
  await using served = await serveOperation({ body, version: '3.0.3' });
  await postJson(served, '{}').expect(204);
  expect(served.seen).toEqual([seen]);
});

test('a wrong default of a reply prevents no start, as nothing is filled in', async () => {
  const reply = '{ properties: { a: { type: string, maxLength: 1, default: ab }, b: { type: string, default: 1 } } }';
  await using served = await serveOperation({ body: '{}', reply, version: '3.0.3' });
  expect((await postJson(served, {})).body).toEqual({});
});

test('unevaluatedProperties is not a keyword of OpenAPI 3.0', async () => {
  const refused = serveOperation({ body: '{ unevaluatedProperties: false }', version: '3.0.3' });
  await expect(refused).rejects.toThrow('OpenAPI 3.0 has no schema keyword unevaluatedProperties');
});
