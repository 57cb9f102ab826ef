import Ajv from 'ajv/dist/2020';
import * as OpenApiValidator from 'express-openapi-validator';
import {
  readOperations,
  type Document,
  type MessageSchema,
  type NormalizedSchema as Schema,
} from '@contract-kit/contract';
import { postJson, serveOperation, statusesOf, type ServedOperation } from '@contract-kit/test-support/serve-operation';
import { createValidator } from '../../src/validate/eov/eov';

type Schemas = Readonly<Record<string, string>>;

/** A service whose request and reply are a `Pet`; the handler replies with what it was sent, or with what it is told to. */
function servePet(schemas: Schemas, version = '3.0.3', replied?: unknown): Promise<ServedOperation> {
  const pet = "{ $ref: '#/components/schemas/Pet' }";
  return serveOperation({ version, body: pet, reply: pet, schemas }, ({ body }, reply) => reply(200, replied ?? body));
}

const toRef = (name: string): string => `{ $ref: '#/components/schemas/${name}' }`;
const Cat =
  '{ type: object, properties: { kind: { type: string }, name: { type: string }, lives: { type: integer } } }';
const Dog =
  '{ type: object, properties: { kind: { type: string }, name: { type: string }, barks: { type: boolean } } }';
const LIST = `oneOf: [${toRef('Cat')}, ${toRef('Dog')}]`;
const KIND = '{ propertyName: kind }';
const MAPPING = `{ propertyName: kind, mapping: { cat: '#/components/schemas/Cat', dog: Dog } }`;
const LISTED = { Pet: `{ ${LIST}, discriminator: ${KIND} }`, Cat, Dog };

/** @param more members of the parent */
function toBase(discriminator: string, more = ''): string {
  return `{ type: object, required: [name], properties: { kind: { type: string }, name: { type: string } }, discriminator: ${discriminator}${more} }`;
}

function toChildren(parent = 'Pet'): Schemas {
  const toChild = (own: string): string => `{ allOf: [${toRef(parent)}, { type: object, properties: { ${own} } }] }`;
  return { Cat: toChild('lives: { type: integer }'), Dog: toChild('barks: { type: boolean }') };
}

const NAMED = ['Cat', 'Dog'] as const;
const MAPPED = ['cat', 'dog'] as const;
const setKind = (schema: string, kind: string): string => schema.replace('kind: { type: string }', kind);
const toEnum = (value: string): string => `kind: { enum: [${value}] }`;

describe('the tag of a value decides which schema it has to match', () => {
  test.each<[string, Schemas, readonly [string, string]]>([
    ['a list, names of schemas', LISTED, NAMED],
    ['anyOf', { ...LISTED, Pet: LISTED.Pet.replace('oneOf', 'anyOf') }, NAMED],
    ['a mapping to a reference, and to a name', { ...LISTED, Pet: `{ ${LIST}, discriminator: ${MAPPING} }` }, MAPPED],
    [
      'a mapping of some',
      { ...LISTED, Pet: `{ ${LIST}, discriminator: { propertyName: kind, mapping: { cat: Cat } } }` },
      ['cat', 'Dog'],
    ],
    [
      'values of their own, which are not their names',
      { ...LISTED, Cat: setKind(Cat, toEnum('a cat')), Dog: setKind(Dog, toEnum('a dog')) },
      ['a cat', 'a dog'],
    ],
    [
      'a property that only the discriminator names',
      { ...LISTED, Cat: setKind(Cat, 'a: {}'), Dog: setKind(Dog, 'a: {}') },
      NAMED,
    ],
    ['a parent, names of its children', { Pet: toBase(KIND), ...toChildren() }, NAMED],
    ['a parent with a mapping', { Pet: toBase(MAPPING), ...toChildren() }, MAPPED],
    ['a parent that lists its children, which refer to it', { Pet: toBase(KIND, `, ${LIST}`), ...toChildren() }, NAMED],
    ['a list of the children of a parent', { Pet: `{ ${LIST} }`, Base: toBase(KIND), ...toChildren('Base') }, NAMED],
  ])('%s', async (_, schemas, [cat, dog]) => {
    await using served = await servePet(schemas);
    const right = [
      { kind: cat, name: 'a', lives: 9 },
      { kind: dog, name: 'b', barks: true },
    ];
    const wrong = [
      { kind: cat, name: 'a', lives: 'nine' },
      { kind: dog, name: 'b', barks: 'no' },
      { kind: 'bird', name: 'c' },
      { kind: 1, name: 'c' },
      { name: 'd', lives: 9 },
    ];
    expect(await statusesOf(served, [...right, ...wrong])).toEqual([200, 200, 400, 400, 400, 400, 400]);
    expect(served.seen).toEqual(right);
  });

  const WRONG_PETS = [{ kind: 'Dog', barks: 'loudly' }, { barks: true }];

  test.each(WRONG_PETS)('500 for a reply of another schema: %j', async (pet) => {
    await using served = await servePet(LISTED, '3.0.3', pet);
    expect(await statusesOf(served, [{ kind: 'Cat' }])).toEqual([500]);
  });

  test('alternatives in alternatives have the tags that each names', async () => {
    const dogs = `{ oneOf: [${toRef('Puppy')}, ${toRef('Hound')}], discriminator: ${KIND} }`;
    await using served = await servePet({ ...LISTED, Dog: dogs, Puppy: Dog, Hound: Dog });
    const right = [{ kind: 'Cat', lives: 9 }, { kind: 'Puppy', barks: true }, { kind: 'Hound' }];
    const wrong = [{ kind: 'Dog' }, { kind: 'Hound', barks: 'no' }, { kind: 'Bird' }];
    expect(await statusesOf(served, [...right, ...wrong])).toEqual([200, 200, 200, 400, 400, 400]);
    expect(served.seen).toEqual(right);
  });

  test('a grandchild has the properties of all', async () => {
    const Kitten = `{ allOf: [${toRef('Cat')}, { type: object, required: [age], properties: { age: { type: integer } } }] }`;
    await using served = await servePet({ Pet: toBase(KIND), ...toChildren(), Kitten });
    const body = { kind: 'Kitten', name: 'a', lives: 9, age: 1 };
    expect(await statusesOf(served, [body, { ...body, age: undefined }])).toEqual([200, 400]);
    expect(served.seen).toEqual([body]);
  });

  test('a parent without a mapping may be itself', async () => {
    await using served = await servePet({ Pet: toBase(KIND), ...toChildren() });
    expect(await statusesOf(served, [{ kind: 'Pet', name: 'a' }, { kind: 'Pet' }])).toEqual([200, 400]);
  });

  test('any schema may inherit, where another one has the name that stands for them', async () => {
    const Pet = toBase(KIND).replace('name: {', `of: ${toRef('AnyPet')}, name: {`);
    await using served = await servePet({ Pet, ...toChildren(), AnyPet: '{ type: integer }' });
    const bodies = [
      { kind: 'Cat', name: 'a', of: 1 },
      { kind: 'Cat', name: 'a', of: 'b' },
      { kind: 'Cat', name: 'a', lives: 'nine' },
    ];
    expect(await statusesOf(served, bodies)).toEqual([200, 400, 400]);
  });

  test('null and values without a name are alternatives as before', async () => {
    const list = LIST.replace(']', `, { type: 'null' }, { type: array, items: { type: integer } }]`);
    const Pet = `{ type: object, properties: { one: { ${list}, discriminator: ${KIND} } } }`;
    await using served = await servePet({ Pet, Cat, Dog }, '3.1.0');
    const bodies = [{ one: null }, { one: [1] }, { one: { kind: 'Cat' } }, { one: ['a'] }, { one: { kind: 'Bird' } }];
    expect(await statusesOf(served, bodies)).toEqual([200, 200, 200, 400, 400]);
  });
});

describe('what is wrong is told of the alternative that the tag names, and of the tag if it names none', () => {
  const Card =
    '{ type: object, required: [type, last4, expires], properties: { type: { const: card }, last4: {}, expires: {} } }';
  const Iban = '{ type: object, required: [type, iban], properties: { type: { enum: [iban] }, iban: {} } }';
  const list = `oneOf: [${toRef('Card')}, ${toRef('Iban')}]`;
  const mapping = "mapping: { card: '#/components/schemas/Card', iban: '#/components/schemas/Iban' }";

  test.each([
    ['a discriminator', { Pet: `{ ${list}, discriminator: { propertyName: type, ${mapping} } }`, Card, Iban }],
    ['const and enum', { Pet: `{ ${list} }`, Card, Iban }],
    ['const and enum of anyOf', { Pet: `{ ${list.replace('oneOf', 'anyOf')} }`, Card, Iban }],
    ['const, and enum elsewhere', { Pet: `{ oneOf: [${Card}, { allOf: [${toRef('Iban')}] }] }`, Iban }],
  ])('%s', async (_, schemas) => {
    await using served = await servePet(schemas, '3.1.0');
    const messageFor = async (body: unknown): Promise<unknown> =>
      ((await postJson(served, body)).body as { readonly message: unknown }).message;
    expect(await messageFor({ type: 'card', last4: '12' })).toBe("request/body must have required property 'expires'");
    expect(await messageFor({ type: 'cash' })).toBe(
      'request/body/type must be equal to one of the allowed values: card, iban',
    );
    expect(await messageFor({})).toBe("request/body must have required property 'type'");
    expect(await messageFor(1)).toBe('request/body must be object');
  });

  test('a tag that is readOnly is no tag of a request', async () => {
    const tag = (schema: string): string => schema.replace('type: {', 'type: { readOnly: true,');
    await using served = await servePet({ Pet: `{ anyOf: [${tag(Card)}, ${tag(Iban)}] }` }, '3.1.0', {});
    expect((await postJson(served, { iban: 1 })).status).toBe(500);
    expect((await postJson(served, { type: 'iban' })).text).toContain('must match a schema in anyOf');
  });
});

test('alternatives that hold one another are read once, however many there are', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `Kind${String(index)}`);
  const kind = `{ type: object, properties: { kind: { type: string }, below: { type: array, items: ${toRef('Pet')} } } }`;
  const Pet = `{ oneOf: [${names.map(toRef).join(', ')}], discriminator: ${KIND} }`;
  await using served = await servePet({ Pet, ...Object.fromEntries(names.map((name) => [name, kind])) });
  const body = { kind: 'Kind1', below: [{ kind: 'Kind2', below: [{ kind: 'Kind3' }] }] };
  expect(await statusesOf(served, [body, { kind: 'Kind1', below: [{ kind: 'Other' }] }])).toEqual([200, 400]);
});

const OTHER = `{ type: object, discriminator: ${KIND} }`;
const LOOP = 'Pet refers to itself for the same value';
const NOWHERE = 'None does not exist';

test.each<[string, Schemas]>([
  [LOOP, { Pet: `{ allOf: [{ oneOf: [${toRef('Pet')}] }] }` }],
  [LOOP, { Pet: `{ allOf: [${toRef('Cat')}] }`, Cat: `{ allOf: [${toRef('Pet')}] }`, Other: OTHER }],
  [NOWHERE, { Pet: `{ oneOf: [${toRef('None')}] }` }],
  [NOWHERE, { Pet: `{ properties: { one: { oneOf: [${toRef('None')}], discriminator: ${KIND} } } }` }],
  [NOWHERE, { Pet: `{ oneOf: [${toRef('None')}], discriminator: ${KIND} }` }],
  [NOWHERE, { Pet: `{ allOf: [${toRef('None')}] }`, Other: OTHER }],
])('a contract is refused: %s: %j', async (message, schemas) => {
  await expect(servePet(schemas)).rejects.toThrow(`#/components/schemas/${message}`);
});

test.each<[string, string, number[], object[]]>([
  ['counts in OpenAPI 3.1', '3.1.0', [200, 400, 400, 200], [{ age: 5 }, { age: 1 }]],
  ['is ignored in OpenAPI 3.0', '3.0.3', [200, 200, 400, 200], [{ age: 5 }, { age: 6 }, {}]],
])('what stands beside a reference %s', async (_, version, statuses, seen) => {
  const age = `{ ${toRef('Age').slice(2, -2)}, maximum: 5, default: 1 }`;
  const schemas = { Pet: `{ type: object, properties: { age: ${age} } }`, Age: '{ type: integer }' };
  await using served = await servePet(schemas, version);
  expect(await statusesOf(served, [{ age: 5 }, { age: 6 }, { age: 'a' }, {}])).toEqual(statuses);
  expect(served.seen).toEqual(seen);
});

describe('a default', () => {
  test.each(['oneOf', 'anyOf'])('inside %s is not filled in: others may not have it', async (keyword) => {
    const A =
      '{ type: object, required: [a], properties: { a: { type: string }, more: { type: string, default: x } } }';
    const B = '{ type: object, required: [b], additionalProperties: false, properties: { b: { type: string } } }';
    await using served = await servePet({ Pet: `{ ${keyword}: [${toRef('A')}, ${toRef('B')}] }`, A, B });
    const bodies = [{ a: '1' }, { b: '2' }, { a: '1', more: 'y' }];
    expect([await statusesOf(served, bodies), served.seen]).toEqual([[200, 200, 200], bodies]);
  });

  test('outside of alternatives is filled in', async () => {
    const A = '{ type: object, properties: { more: { type: string, default: x } } }';
    const Pet = `{ type: object, properties: { out: ${toRef('A')}, in: { oneOf: [${toRef('A')}] } } }`;
    await using served = await servePet({ Pet, A });
    expect(await statusesOf(served, [{ out: {}, in: {} }])).toEqual([200]);
    expect(served.seen).toEqual([{ out: { more: 'x' }, in: {} }]);
  });
});

test('an id in an example is not the name of a schema', async () => {
  const example = 'example: { id: geonames_1 }';
  const one = `{ type: object, ${example}, properties: { id: { type: string } } }`;
  await using served = await servePet({ Pet: `{ type: object, ${example}, properties: { one: ${one} } }` });
  expect(await statusesOf(served, [{ one: { id: 'a' } }])).toEqual([200]);
});

const A = { type: 'object', required: ['a'], properties: { kind: { type: 'string' }, a: { type: 'integer' } } };
const B = { type: 'object', required: ['b'], properties: { kind: { type: 'string' }, b: { type: 'integer' } } };
const TAGS = { a: '#/components/schemas/A', b: '#/components/schemas/B' };
const AB = [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }];
const discriminator = { propertyName: 'kind', mapping: TAGS };
const TAGGED_A = { ...A, required: ['kind', 'a'], properties: { ...A.properties, kind: { const: 'a' } } };
const TAGGED_B = { ...B, required: ['b', 'kind'], properties: { ...B.properties, kind: { enum: ['b', 'c'] } } };

const VALUES = JSON.parse(`[
  {"kind":"a","a":1}, {"kind":"a","b":1}, {"kind":"b","b":1}, {"kind":"b","a":1,"b":"x"}, {"kind":"a","a":1,"b":"x"},
  {"kind":"a","a":1,"other":true}, {"kind":"c","a":1,"b":1}, {"kind":1,"a":1,"b":1}, {"a":1}, {}, [], "a", 5, null
]`) as readonly unknown[];

/** Compares what the kit accepts with Ajv itself, which judges each alternative and the rule of its tag. */
function createBoth(union: object, schemas: Readonly<Record<string, object>>): ((value: unknown) => boolean)[] {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Unions', version: '1.0.0' },
    paths: {},
    components: { schemas: { ...schemas, Union: union } },
  } as unknown as Document;
  const { document: plain } = readOperations(document);
  const schema = { type: 'object', properties: { body: { $ref: '#/components/schemas/Union' } } } as unknown as Schema;
  const message: MessageSchema = { schema, excluded: 'readOnly', shape: {} as MessageSchema['shape'] };
  const { judgeRequest } = createValidator(OpenApiValidator, plain, [{ requests: [message], replies: [] }]);
  const ajv = new Ajv({ strict: false, schemas: [{ ...plain, $id: 'https://example.org/' }] });
  const validate = ajv.compile({ $ref: 'https://example.org/#/components/schemas/Union' });
  const accepts = (value: unknown): boolean => judgeRequest(message, { body: structuredClone(value) }).length === 0;
  return [accepts, (value) => validate(value)];
}

test.each<[string, object, Readonly<Record<string, object>>]>([
  ['objects, oneOf', { oneOf: AB, discriminator }, { A, B }],
  ['objects or null', { oneOf: [...AB, { type: 'null' }], discriminator }, { A, B }],
  ['alternatives that need not be objects', { oneOf: AB, discriminator }, { A: { ...A, type: undefined }, B }],
  [
    'alternatives of any type',
    { anyOf: [...AB, { type: 'null' }], discriminator },
    { A: { required: ['a'] }, B: { required: ['b'] } },
  ],
  ['alternatives that may be null', { oneOf: AB, discriminator }, { A: { ...A, type: ['object', 'null'] }, B }],
  ['beside rules of its own', { required: ['other'], oneOf: AB, discriminator }, { A, B }],
  ['beside an allOf', { allOf: [{ required: ['other'] }], oneOf: AB, discriminator }, { A, B }],
  [
    'one or null, of which the one may be null',
    { oneOf: [{ type: 'null' }, AB[0]] },
    { A: { ...A, type: ['object', 'null'] }, B },
  ],
  ['one or null, closed', { anyOf: [AB[0], { type: 'null' }], unevaluatedProperties: false }, { A, B }],
  ['closed alternatives', { oneOf: AB, discriminator }, { A: { ...A, additionalProperties: false }, B }],
  ['a closed union', { oneOf: AB, discriminator, unevaluatedProperties: false }, { A, B }],
  [
    'a tag that means two alternatives',
    { oneOf: AB, discriminator: { propertyName: 'kind', mapping: { a: TAGS.a, b: TAGS.a, B: TAGS.b } } },
    { A, B: { ...B, properties: { ...B.properties, kind: { const: 'B' } } } },
  ],
  ['an alternative that no tag means', { anyOf: [...AB, { required: ['other'] }], discriminator }, { A, B }],
  ['texts of their own, oneOf', { oneOf: AB }, { A: TAGGED_A, B: TAGGED_B }],
  ['texts of their own, closed', { oneOf: AB, unevaluatedProperties: false }, { A: TAGGED_A, B: TAGGED_B }],
  [
    'texts of their own, and no objects',
    { oneOf: [{ const: 5 }, ...AB, { type: 'array' }] },
    { A: TAGGED_A, B: TAGGED_B },
  ],
  ['texts of their own, and text', { oneOf: [{ type: 'string' }, ...AB] }, { A: TAGGED_A, B: TAGGED_B }],
  ['texts of which two are the same', { oneOf: AB }, { A: TAGGED_A, B: { allOf: [B, TAGGED_A] } }],
  ['a text that may be missing', { oneOf: AB }, { A: { ...TAGGED_A, required: ['a'] }, B: TAGGED_B }],
  [
    'a tag that may be no text',
    { anyOf: AB },
    { A: { ...A, required: ['kind'], properties: { kind: { enum: ['a', 1] } } }, B: TAGGED_B },
  ],
])('a union of %s accepts what each of its alternatives with its tag accepts', (_what, union, schemas) => {
  // What is undefined is left out.
  const [accepts, acceptsByAjv] = createBoth(
    ...(JSON.parse(JSON.stringify([union, schemas])) as [object, typeof schemas]),
  );
  const results = VALUES.map((value) => [value, accepts?.(value)]);
  expect(results).toEqual(VALUES.map((value) => [value, acceptsByAjv?.(value)]));
  expect(new Set(results.map(([, isAccepted]) => isAccepted))).toEqual(new Set([true, false]));
});
