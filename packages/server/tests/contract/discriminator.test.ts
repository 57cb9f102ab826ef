import request from 'supertest';
import type { Document } from '../../src/contract/schema/document';
import { findSchemaAdvice } from '../../src/contract/advice';
import { serveText, type Served } from '../../../../tests/support/serve-text';

/** A service whose request and reply are a `Pet`; the handler replies with what it was sent, or with what it is told to. */
async function servePet(
  schemas: string,
  { reply, version = '3.0.3' }: { reply?: unknown; version?: string } = {},
): Promise<Served & { readonly seen: readonly unknown[] }> {
  const seen: unknown[] = [];
  const source = `openapi: ${version}
info: { title: Pets, version: 1.0.0 }
paths:
  /pets:
    post:
      operationId: keepPet
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
      responses: { '200': { description: Kept., content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } } }
components:
  schemas:
${schemas}
`;
  const served = await serveText(source, {
    keepPet: ({ body }, answer) => {
      seen.push(body);
      return answer(200, reply ?? body);
    },
  });
  return Object.assign(served, { seen });
}

async function statusesOf({ server }: Served, bodies: readonly object[]): Promise<number[]> {
  const statuses = [];
  for (const body of bodies) statuses.push((await request(server).post('/pets').send(body)).status);
  return statuses;
}

const CAT = `Cat: { type: object, properties: { kind: { type: string }, name: { type: string }, lives: { type: integer } } }`;
const DOG = `Dog: { type: object, properties: { kind: { type: string }, name: { type: string }, barks: { type: boolean } } }`;
const LIST = `oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]`;
const BASE = `{ type: object, required: [name], properties: { kind: { type: string }, name: { type: string } }, discriminator: DISCRIMINATOR }`;
const CHILDREN = `    Cat: { allOf: [{ $ref: '#/components/schemas/Pet' }, { type: object, properties: { lives: { type: integer } } }] }
    Dog: { allOf: [{ $ref: '#/components/schemas/Pet' }, { type: object, properties: { barks: { type: boolean } } }] }`;
const MAPPING = `{ propertyName: kind, mapping: { cat: '#/components/schemas/Cat', dog: Dog } }`;

const NAMED = ['Cat', 'Dog'] as const;
const MAPPED = ['cat', 'dog'] as const;

describe('the tag of a value decides which schema it has to match', () => {
  test.each([
    [
      'a list, names of schemas',
      `    Pet: { ${LIST}, discriminator: { propertyName: kind } }\n    ${CAT}\n    ${DOG}`,
      NAMED,
    ],
    [
      'anyOf',
      `    Pet: { ${LIST.replace('oneOf', 'anyOf')}, discriminator: { propertyName: kind } }\n    ${CAT}\n    ${DOG}`,
      NAMED,
    ],
    [
      'a mapping to a reference, and to a name',
      `    Pet: { ${LIST}, discriminator: ${MAPPING} }\n    ${CAT}\n    ${DOG}`,
      MAPPED,
    ],
    [
      'a mapping of some',
      `    Pet: { ${LIST}, discriminator: { propertyName: kind, mapping: { cat: Cat } } }\n    ${CAT}\n    ${DOG}`,
      ['cat', 'Dog'],
    ],
    [
      'values of their own, which are not their names',
      `    Pet: { ${LIST}, discriminator: { propertyName: kind } }\n    ${CAT.replace('{ type: string }', '{ enum: [a cat] }')}\n    ${DOG.replace('{ type: string }', '{ enum: [a dog] }')}`,
      ['a cat', 'a dog'],
    ],
    [
      'a property that only the discriminator names',
      `    Pet: { ${LIST}, discriminator: { propertyName: kind } }\n    ${CAT.replace('kind: { type: string }, ', '')}\n    ${DOG.replace('kind: { type: string }, ', '')}`,
      NAMED,
    ],
    [
      'a parent, names of its children',
      `    Pet: ${BASE.replace('DISCRIMINATOR', '{ propertyName: kind }')}\n${CHILDREN}`,
      NAMED,
    ],
    ['a parent with a mapping', `    Pet: ${BASE.replace('DISCRIMINATOR', MAPPING)}\n${CHILDREN}`, MAPPED],
    [
      'a parent that lists its children, which refer to it',
      `    Pet: ${BASE.replace('DISCRIMINATOR', `{ propertyName: kind }, ${LIST}`)}\n${CHILDREN}`,
      NAMED,
    ],
    [
      'a list of the children of a parent',
      `    Pet: { ${LIST} }\n    Base: ${BASE.replace('DISCRIMINATOR', '{ propertyName: kind }')}\n${CHILDREN.replaceAll('schemas/Pet', 'schemas/Base')}`,
      NAMED,
    ],
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

  test('of a reply too', async () => {
    const schemas = `    Pet: { ${LIST}, discriminator: { propertyName: kind } }\n    ${CAT}\n    ${DOG}`;
    await using served = await servePet(schemas, { reply: { kind: 'Dog', barks: 'loudly' } });
    expect(await statusesOf(served, [{ kind: 'Cat' }])).toEqual([500]);
    await using untagged = await servePet(schemas, { reply: { barks: true } });
    expect(await statusesOf(untagged, [{ kind: 'Cat' }])).toEqual([500]);
  });

  test('of alternatives in alternatives, of which each names its own', async () => {
    const dogs = `{ oneOf: [{ $ref: '#/components/schemas/Puppy' }, { $ref: '#/components/schemas/Hound' }], discriminator: { propertyName: kind } }`;
    await using served = await servePet(`    Pet: { ${LIST}, discriminator: { propertyName: kind } }
    ${CAT}
    Dog: ${dogs}
    ${DOG.replace('Dog', 'Puppy')}
    ${DOG.replace('Dog', 'Hound')}`);
    const right = [{ kind: 'Cat', lives: 9 }, { kind: 'Puppy', barks: true }, { kind: 'Hound' }];
    const wrong = [{ kind: 'Dog' }, { kind: 'Hound', barks: 'no' }, { kind: 'Bird' }];
    expect(await statusesOf(served, [...right, ...wrong])).toEqual([200, 200, 200, 400, 400, 400]);
    expect(served.seen).toEqual(right);
  });

  test('of a grandchild, which has the properties of all', async () => {
    const kitten = `    Kitten: { allOf: [{ $ref: '#/components/schemas/Cat' }, { type: object, required: [age], properties: { age: { type: integer } } }] }`;
    await using served = await servePet(
      `    Pet: ${BASE.replace('DISCRIMINATOR', '{ propertyName: kind }')}\n${CHILDREN}\n${kitten}`,
    );
    const body = { kind: 'Kitten', name: 'a', lives: 9, age: 1 };
    expect(await statusesOf(served, [body, { ...body, age: undefined }])).toEqual([200, 400]);
    expect(served.seen).toEqual([body]);
  });

  test('a parent without a mapping may be itself', async () => {
    await using served = await servePet(
      `    Pet: ${BASE.replace('DISCRIMINATOR', '{ propertyName: kind }')}\n${CHILDREN}`,
    );
    expect(await statusesOf(served, [{ kind: 'Pet', name: 'a' }, { kind: 'Pet' }])).toEqual([200, 400]);
  });

  test('of any schema that inherits, where another one has the name that stands for them', async () => {
    const base = BASE.replace('DISCRIMINATOR', '{ propertyName: kind }').replaceAll('name: {', 'of: ANY, name: {');
    const any = `{ $ref: '#/components/schemas/AnyPet' }`;
    await using served = await servePet(
      `    Pet: ${base.replace('ANY', any)}\n${CHILDREN}\n    AnyPet: { type: integer }`,
    );
    const bodies = [
      { kind: 'Cat', name: 'a', of: 1 },
      { kind: 'Cat', name: 'a', of: 'b' },
      { kind: 'Cat', name: 'a', lives: 'nine' },
    ];
    expect(await statusesOf(served, bodies)).toEqual([200, 400, 400]);
  });

  test('a name that the mapping gives to another schema is not its own', () => {
    const [Cat, Dog] = NAMED.map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const find = (mapping: object): unknown[] => {
      const Pet = { oneOf: [Cat, Dog], discriminator: { propertyName: 'kind', mapping } };
      const document = { openapi: '3.0.3', components: { schemas: { Pet, Cat: {}, Dog: {} } } };
      return findSchemaAdvice(document as unknown as Document).map(({ node }) => node);
    };
    expect(find({ Cat: 'Dog' })).toEqual([Cat]);
    expect(find({ cat: 'Dog' })).toEqual([]);
  });

  test('null and values without a name are alternatives as before', async () => {
    const list = LIST.replace(']', `, { type: 'null' }, { type: array, items: { type: integer } }]`);
    const schemas = `    Pet: { type: object, properties: { one: { ${list}, discriminator: { propertyName: kind } } } }\n    ${CAT}\n    ${DOG}`;
    await using served = await servePet(schemas, { version: '3.1.0' });
    const bodies = [{ one: null }, { one: [1] }, { one: { kind: 'Cat' } }, { one: ['a'] }, { one: { kind: 'Bird' } }];
    expect(await statusesOf(served, bodies)).toEqual([200, 200, 200, 400, 400]);
  });
});

test('alternatives that hold one another are read once, however many there are', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `Kind${String(index)}`);
  const list = names.map((name) => `{ $ref: '#/components/schemas/${name}' }`).join(', ');
  const kinds = names.map(
    (name) =>
      `    ${name}: { type: object, properties: { kind: { type: string }, below: { type: array, items: { $ref: '#/components/schemas/Pet' } } } }`,
  );
  await using served = await servePet(
    `    Pet: { oneOf: [${list}], discriminator: { propertyName: kind } }\n${kinds.join('\n')}`,
  );
  const body = { kind: 'Kind1', below: [{ kind: 'Kind2', below: [{ kind: 'Kind3' }] }] };
  expect(await statusesOf(served, [body, { kind: 'Kind1', below: [{ kind: 'Other' }] }])).toEqual([200, 400]);
});

test.each([
  `    Pet: { allOf: [{ oneOf: [{ $ref: '#/components/schemas/Pet' }] }] }`,
  `    Pet: { allOf: [{ $ref: '#/components/schemas/Cat' }] }
    Cat: { allOf: [{ $ref: '#/components/schemas/Pet' }] }
    Other: { type: object, discriminator: { propertyName: kind } }`,
])('a reference that inherits from itself is refused: %s', async (schemas) => {
  await expect(servePet(schemas)).rejects.toThrow('#/components/schemas/Pet is a part of itself');
});

const NONE = `{ $ref: '#/components/schemas/None' }`;

test.each([
  ['an alternative', `    Pet: { oneOf: [${NONE}] }`],
  [
    'an alternative that a tag names',
    `    Pet: { type: object, properties: { one: { oneOf: [${NONE}], discriminator: { propertyName: kind } } } }`,
  ],
  ['an alternative of a parent', `    Pet: { oneOf: [${NONE}], discriminator: { propertyName: kind } }`],
  ['a parent', `    Pet: { allOf: [${NONE}] }\n    Other: { type: object, discriminator: { propertyName: kind } }`],
])('what refers to %s that is not there is refused', async (_, schemas) => {
  await expect(servePet(schemas)).rejects.toThrow('#/components/schemas/None leads nowhere');
});

describe('what stands beside a reference', () => {
  const schemas = `    Pet: { type: object, properties: { age: { $ref: '#/components/schemas/Age', maximum: 5, default: 1 } } }\n    Age: { type: integer, description: In years. }`;

  test('counts in OpenAPI 3.1', async () => {
    await using served = await servePet(schemas, { version: '3.1.0' });
    expect(await statusesOf(served, [{ age: 5 }, { age: 6 }, { age: 'a' }, {}])).toEqual([200, 400, 400, 200]);
    expect(served.seen).toEqual([{ age: 5 }, { age: 1 }]);
  });

  test('counts in a list too', async () => {
    const listed = schemas.replace(/age: (\{[^}]*\})/, 'age: { allOf: [$1] }');
    await using served = await servePet(listed, { version: '3.1.0' });
    expect(await statusesOf(served, [{ age: 5 }, { age: 6 }])).toEqual([200, 400]);
  });

  test('is ignored in OpenAPI 3.0', async () => {
    await using served = await servePet(schemas);
    expect(await statusesOf(served, [{ age: 6 }, { age: 'a' }, {}])).toEqual([200, 400, 200]);
    expect(served.seen).toEqual([{ age: 6 }, {}]);
  });
});

describe('a default inside alternatives', () => {
  test.each(['oneOf', 'anyOf'])('is not filled in: no other alternative may have the property, %s', async (keyword) => {
    const a =
      'A: { type: object, required: [a], properties: { a: { type: string }, more: { type: string, default: x } } }';
    const b = 'B: { type: object, required: [b], additionalProperties: false, properties: { b: { type: string } } }';
    const list = `[{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }]`;
    await using served = await servePet(`    Pet: { ${keyword}: ${list} }\n    ${a}\n    ${b}`);
    expect(await statusesOf(served, [{ a: '1' }, { b: '2' }, { a: '1', more: 'y' }])).toEqual([200, 200, 200]);
    expect(served.seen).toEqual([{ a: '1' }, { b: '2' }, { a: '1', more: 'y' }]);
  });

  test('is filled in outside of them', async () => {
    const a = 'A: { type: object, properties: { more: { type: string, default: x } } }';
    await using served = await servePet(
      `    Pet: { type: object, properties: { out: { $ref: '#/components/schemas/A' }, in: { oneOf: [{ $ref: '#/components/schemas/A' }] } } }\n    ${a}`,
    );
    expect(await statusesOf(served, [{ out: {}, in: {} }])).toEqual([200]);
    expect(served.seen).toEqual([{ out: { more: 'x' }, in: {} }]);
  });
});

test('an id in an example is no name of a schema', async () => {
  const example = 'example: { id: geonames_1 }';
  await using served = await servePet(
    `    Pet: { type: object, ${example}, properties: { one: { type: object, ${example}, properties: { id: { type: string } } } } }`,
  );
  expect(await statusesOf(served, [{ one: { id: 'a' } }])).toEqual([200]);
});
