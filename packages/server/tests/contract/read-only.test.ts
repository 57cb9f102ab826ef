import request from 'supertest';
import { loadText } from '../../../../tests/support/load-text';
import { serveText, type Served } from '../../../../tests/support/serve-text';
import type { ServiceOptions } from '../../src/pipeline/serve-contract';

/** A service of `Thing`, which keeps the bodies that its handler gets, and replies with what it is told to. */
async function serveThing(
  thing: string,
  { more = '', reply = {}, options = {} }: { more?: string; reply?: unknown; options?: Partial<ServiceOptions> } = {},
): Promise<Served & { readonly seen: readonly unknown[] }> {
  const seen: unknown[] = [];
  const source = `openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /things:
    post:
      operationId: keepThing
      parameters: [{ name: filter, in: query, style: deepObject, schema: { $ref: '#/components/schemas/Filter' } }]
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
      responses: { '200': { description: Kept., content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } } }
components:
  schemas:
    Thing: ${thing}
    Filter: { type: object, properties: { name: { type: string }, rank: { type: integer, readOnly: true } } }
    ${more}
`;
  const served = await serveText(
    source,
    {
      keepThing: ({ body, query }, answer) => {
        seen.push(Object.keys(query).length > 0 ? { body, query } : body);
        return answer(200, reply);
      },
    },
    {},
    options,
  );
  return Object.assign(served, { seen });
}

const THING = `{ type: object, required: [id, name, secret], properties: {
      id: { type: integer, format: int64, readOnly: true, default: 1 }, name: { type: string },
      secret: { type: string, writeOnly: true } } }`;

async function send(served: Served, body: object, status = 200, query = ''): Promise<request.Response> {
  return request(served.server).post(`/things${query}`).send(body).expect(status);
}

describe('a readOnly property of a request', () => {
  test.each([
    ['of a schema', THING, ''],
    ['of a closed schema', THING.replace('{ type: object,', '{ type: object, additionalProperties: false,'), ''],
    [
      'required in a sibling',
      `{ allOf: [${THING.replace('[id, name, secret]', '[name, secret]')}, { required: [id] }] }`,
      '',
    ],
    [
      'marked in a sibling',
      `{ allOf: [{ type: object, required: [id, name], properties: { id: { type: integer }, name: {}, secret: {} } }, { properties: { id: { readOnly: true } } }] }`,
      '',
    ],
    [
      'behind a reference',
      THING.replace(/id: \{[^}]*\}/, `id: { $ref: '#/components/schemas/Id' }`),
      'Id: { type: integer, readOnly: true }',
    ],
    [
      'marked beside a reference',
      THING.replace(/id: \{[^}]*\}/, `id: { $ref: '#/components/schemas/Id', readOnly: true }`),
      'Id: { type: integer }',
    ],
  ])('is dropped, whatever it is, and need not be there: %s', async (_, thing, more) => {
    await using served = await serveThing(thing, { more, reply: { id: undefined, name: 'x' } });
    await request(served.server).post('/things').send({ name: 'a', secret: 'b' });
    await request(served.server).post('/things').send({ id: 5, name: 'a', secret: 'b' });
    await request(served.server).post('/things').send({ id: 'no integer', name: 'a', secret: 'b' });
    expect(served.seen).toEqual(Array(3).fill({ name: 'a', secret: 'b' }));
  });

  test('is dropped at any depth: in lists, in maps, in open objects, in parameters', async () => {
    const own =
      '{ type: object, required: [at], properties: { at: { type: string, readOnly: true }, text: { type: string } } }';
    const thing = `{ type: object, additionalProperties: ${own}, properties: {
      list: { type: array, items: ${own} }, open: { type: object, additionalProperties: true, required: [at], properties: { at: { readOnly: true } } } } }`;
    await using served = await serveThing(thing);
    const one = { at: 'now', text: 'a' };
    await send(
      served,
      { list: [one, one], open: { at: 1, more: 2 }, other: one },
      200,
      '?filter[name]=a&filter[rank]=1',
    );
    const kept = { text: 'a' };
    expect(served.seen).toEqual([
      { body: { list: [kept, kept], open: { more: 2 }, other: kept }, query: { filter: { name: 'a' } } },
    ]);
  });

  test('is dropped where all alternatives that have the property mark it', async () => {
    const named = '{ type: object, required: [name], properties: { id: { readOnly: true }, name: {} } }';
    await using served = await serveThing(`{ oneOf: [${named}, { type: array }, { type: 'null' }] }`, {
      reply: { id: 1, name: 'x' },
    });
    await send(served, { id: 5, name: 'a' });
    await send(served, [{ id: 5 }]);
    expect(served.seen).toEqual([{ name: 'a' }, [{ id: 5 }]]);
  });

  test('is refused where the team asks for it', async () => {
    await using served = await serveThing(THING, { reply: { id: 1n, name: 'a' }, options: { readOnly: 'refuse' } });
    const refused = await send(served, { id: 5, name: 'a', secret: 'b' }, 400);
    expect(refused.body).toMatchObject({ message: 'request/body/id is readOnly' });
    await send(served, { name: 'a', secret: 'b' });
    await send(served, { name: 'a', secret: 'b' }, 400, '?filter[rank]=1');
    expect(served.seen).toEqual([{ name: 'a', secret: 'b' }]);
  });

  test('of a request that is nested deeper than the stack is no failure of the server', async () => {
    await using served = await serveThing(
      `{ type: object, properties: { id: { readOnly: true }, below: { $ref: '#/components/schemas/Thing' } } }`,
    );
    const depth = 100_000;
    const text = `${'{"below":'.repeat(depth)}{}${'}'.repeat(depth)}`;
    await request(served.server).post('/things').type('json').send(text).expect(400);
  });

  test('a mark of a parameter or a body itself says nothing: it is no property', async () => {
    await using served = await serveThing(`{ readOnly: true, type: object, properties: { name: { type: string } } }`);
    await send(served, { name: 'a' });
    expect(served.seen).toEqual([{ name: 'a' }]);
  });
});

describe('a writeOnly property of a reply', () => {
  test('need not be there', async () => {
    await using served = await serveThing(THING, { reply: { id: 1n, name: 'a', secret: undefined } });
    expect((await send(served, { name: 'a', secret: 'b' })).body).toEqual({ id: 1, name: 'a' });
  });

  test.each([
    [THING, 'response/body/secret is writeOnly: no reply has it'],
    [
      `{ allOf: [${THING}, { type: object, additionalProperties: true }] }`,
      'response/body/secret is writeOnly: no reply has it',
    ],
  ])('is a 500, and the log names the rule', async (thing, message) => {
    await using served = await serveThing(thing, { reply: { id: 1n, name: 'a', secret: 'b' } });
    const { text } = await send(served, { name: 'a', secret: 'b' }, 500);
    expect(text).not.toContain('secret');
    expect(served.outcomes[0]?.refusal?.cause).toMatchObject({ message });
  });

  test('readOnly ones are required of it', async () => {
    await using served = await serveThing(THING, { reply: { name: 'a' } });
    await send(served, { name: 'a', secret: 'b' }, 500);
    expect(served.outcomes[0]?.refusal?.cause).toMatchObject({
      message: expect.stringContaining("must have required property 'id'") as string,
    });
  });
});

test.each([
  ['{ properties: { a: { readOnly: true, writeOnly: true } } }', 'what is readOnly cannot be writeOnly too'],
  [
    '{ oneOf: [{ properties: { a: { readOnly: true } } }, { properties: { a: { type: string } } }] }',
    'a is readOnly in one alternative of oneOf and not in the next: mark it in all',
  ],
  [
    '{ patternProperties: { a: { properties: { b: { readOnly: true } } } } }',
    'readOnly inside patternProperties or prefixItems',
  ],
])('refused, since the kit could not tell what to drop: %s', (schema, message) => {
  const source = `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
paths: { /a: { post: { requestBody: { content: { application/json: { schema: ${schema} } } }, responses: { '204': { description: A. } } } } }`;
  expect(() => loadText(source)).toThrow(message);
});
