import request from 'supertest';
import type { ServiceOptions } from '../../src/pipeline/serve-contract';
import { postJson, serveOperation, statusesOf, type ServedOperation } from '@contract-kit/test-support/serve-operation';

/** A service of `Thing`, which replies with what it is told to. */
function serveThing(
  Thing: string,
  reply: unknown = {},
  { more = {}, options = {} }: { more?: Readonly<Record<string, string>>; options?: Partial<ServiceOptions> } = {},
): Promise<ServedOperation> {
  const thing = "{ $ref: '#/components/schemas/Thing' }";
  const filter = '{ type: object, properties: { name: { type: string }, rank: { type: integer, readOnly: true } } }';
  const members = `parameters: [{ name: filter, in: query, style: deepObject, schema: ${filter} }]`;
  const parts = { members, body: thing, reply: thing, schemas: { Thing, ...more } };
  return serveOperation(parts, (_, answer) => answer(200, reply), {}, options);
}

const THING = `{ type: object, required: [id, name, secret], properties: {
      id: { type: integer, format: int64, readOnly: true, default: 1 }, name: { type: string },
      secret: { type: string, writeOnly: true } } }`;
const RIGHT = { name: 'a', secret: 'b' };

function send(served: ServedOperation, body: unknown, status = 200, query = ''): request.Test {
  return postJson(served, body, `/a${query}`).expect(status);
}

describe('a readOnly property of a request', () => {
  const toReferring = (reference: string): string => THING.replace(/id: \{[^}]*\}/, `id: ${reference}`);
  const TO_ID = "$ref: '#/components/schemas/Id'";
  const CLOSED = THING.replace('{ type: object,', '{ type: object, additionalProperties: false,');
  const SIBLING = `{ allOf: [${THING.replace('[id, name, secret]', '[name, secret]')}, { required: [id] }] }`;
  const MARK = '{ properties: { id: { readOnly: true } } }';
  const OPEN = '{ type: object, required: [id, name], properties: { id: { type: integer }, name: {}, secret: {} } }';

  test.each([
    ['of a schema', THING, ''],
    ['of a closed schema', CLOSED, ''],
    ['required in a sibling', SIBLING, ''],
    ['marked in a sibling', `{ allOf: [${OPEN}, ${MARK}] }`, ''],
    ['behind a reference', toReferring(`{ ${TO_ID} }`), '{ type: integer, readOnly: true }'],
    ['marked beside a reference', toReferring(`{ ${TO_ID}, readOnly: true }`), '{ type: integer }'],
  ])('is dropped, whatever it is, and need not be there: %s', async (_, thing, Id) => {
    await using served = await serveThing(thing, { id: undefined, name: 'x' }, { more: Id === '' ? {} : { Id } });
    for (const id of [undefined, 5, 'no integer']) await postJson(served, { id, ...RIGHT });
    expect(served.seen).toEqual(Array(3).fill(RIGHT));
  });

  test('is dropped at any depth: in lists, in maps, in open objects, in parameters', async () => {
    const own =
      '{ type: object, required: [at], properties: { at: { type: string, readOnly: true }, text: { type: string } } }';
    const thing = `{ type: object, additionalProperties: ${own}, properties: {
      list: { type: array, items: ${own} }, open: { type: object, additionalProperties: true, required: [at], properties: { at: { readOnly: true } } } } }`;
    await using served = await serveThing(thing);
    const [one, kept] = [{ at: 'now', text: 'a' }, { text: 'a' }];
    await send(served, { list: [one, one], open: { at: 1, more: 2 }, other: one });
    expect(served.seen).toEqual([{ list: [kept, kept], open: { more: 2 }, other: kept }]);
  });

  test('of a parameter is dropped', async () => {
    const queries: unknown[] = [];
    const parameter =
      '{ type: object, properties: { name: { type: string }, rank: { type: integer, readOnly: true } } }';
    const members = `parameters: [{ name: filter, in: query, style: deepObject, schema: ${parameter} }]`;
    await using served = await serveOperation({ members }, ({ query }, reply) => (queries.push(query), reply(204)));
    await request(served.server).post('/a?filter[name]=a&filter[rank]=1').expect(204);
    expect(queries).toEqual([{ filter: { name: 'a' } }]);
  });

  test('is dropped where all alternatives that have the property mark it', async () => {
    const named = '{ type: object, required: [name], properties: { id: { readOnly: true }, name: {} } }';
    await using served = await serveThing(`{ oneOf: [${named}, { type: array }, { type: 'null' }] }`, {
      id: 1,
      name: 'x',
    });
    await send(served, { id: 5, name: 'a' });
    await send(served, [{ id: 5 }]);
    expect(served.seen).toEqual([{ name: 'a' }, [{ id: 5 }]]);
  });

  test('is refused where the team asks for it', async () => {
    await using served = await serveThing(THING, { id: 1n, name: 'a' }, { options: { readOnly: 'refuse' } });
    const refused = await send(served, { id: 5, ...RIGHT }, 400);
    expect(refused.body).toMatchObject({ message: 'request/body/id is readOnly, and must not be sent' });
    await send(served, RIGHT);
    await send(served, RIGHT, 400, '?filter[rank]=1');
    expect(served.seen).toEqual([RIGHT]);
  });

  test('of a request that is nested deeper than the stack is no failure of the server', async () => {
    const below = "{ $ref: '#/components/schemas/Thing' }";
    await using served = await serveThing(`{ type: object, properties: { id: { readOnly: true }, below: ${below} } }`);
    const depth = 100_000;
    expect(await statusesOf(served, [`${'{"below":'.repeat(depth)}{}${'}'.repeat(depth)}`])).toEqual([400]);
  });

  test('a mark of a parameter or a body itself says nothing: it is no property', async () => {
    await using served = await serveThing(`{ readOnly: true, type: object, properties: { name: { type: string } } }`);
    await send(served, { name: 'a' });
    expect(served.seen).toEqual([{ name: 'a' }]);
  });
});

describe('a writeOnly property of a reply', () => {
  test('need not be there', async () => {
    await using served = await serveThing(THING, { id: 1n, name: 'a', secret: undefined });
    expect((await send(served, RIGHT)).body).toEqual({ id: 1, name: 'a' });
  });

  const WRITE_ONLY = 'response/body/secret is writeOnly, and must not be in a reply';
  const OPEN = `{ allOf: [${THING}, { type: object, additionalProperties: true }] }`;

  test.each([
    ['it is there', THING, { id: 1n, name: 'a', secret: 'b' }, WRITE_ONLY],
    ['it is there in an open schema', OPEN, { id: 1n, name: 'a', secret: 'b' }, WRITE_ONLY],
    ['a readOnly one is not there', THING, { name: 'a' }, "must have required property 'id'"],
  ])('500 where %s, and the log names the rule', async (_, thing, reply, message) => {
    await using served = await serveThing(thing, reply);
    expect((await send(served, RIGHT, 500)).text).not.toContain('secret');
    expect(served.outcomes[0]?.refusal?.cause).toMatchObject({ message: expect.stringContaining(message) as string });
  });
});
