import request from 'supertest';
import { serveText, type Served } from '../../../../../tests/support/serve-text';

/** `list` has a list of itself in each alternative, and nothing tells them apart; `tree` has no alternatives. */
const SOURCE = `openapi: 3.1.0
info: { title: Lists, version: 1.0.0 }
security: []
paths:
  /lists: { post: { operationId: list, requestBody: &list { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/List' } } } }, responses: &replies { '204': { description: Taken. }, '400': &failed { description: Failed., content: { application/json: { schema: { type: object } } } }, '500': *failed, '503': *failed } } }
  /trees: { post: { operationId: tree, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Tree' } } } }, responses: *replies } }
  /replies: { get: { operationId: reply, responses: { '200': { description: A list., content: { application/json: { schema: { $ref: '#/components/schemas/List' } } } }, '500': *failed, '503': *failed } } }
components:
  schemas:
    List: { anyOf: [{ $ref: '#/components/schemas/Some' }, { $ref: '#/components/schemas/Other' }] }
    Some: { type: object, required: [name], properties: { of: { type: array, items: { $ref: '#/components/schemas/List' } } } }
    Other: { type: object, required: [name], properties: { of: { type: array, items: { $ref: '#/components/schemas/List' } } } }
    Tree: { type: object, properties: { of: { type: array, items: { $ref: '#/components/schemas/Tree' } } } }
`;

let served: Served;
beforeAll(async () => {
  const seen: Record<string, unknown> = {};
  for (let depth = 0, value: unknown = {}; depth < 30; depth++) value = seen['deep'] = { name: 1, of: [value] };
  served = await serveText(SOURCE, {
    list: (_request, reply) => reply(204),
    tree: (_request, reply) => reply(204),
    reply: (_request, reply) => reply(200, seen['deep']),
  });
});
afterAll(() => served[Symbol.asyncDispose]());

async function post(path: string, body: string): Promise<readonly [status: number, message: unknown]> {
  const reply = await request(served.server).post(path).set('Content-Type', 'application/json').send(body);
  return [reply.status, (reply.body as { message?: unknown }).message];
}

const nest = (depth: number, leaf: string): string => '{"name":1,"of":['.repeat(depth) + leaf + ']}'.repeat(depth);

test('a right list is accepted at a depth at which the alternatives take few steps', async () => {
  expect(await post('/lists', nest(8, '{"name":1}'))).toEqual([204, undefined]);
});

test.each([
  ['the alternatives take few steps', 4],
  ['looking for all wrong fields takes too many steps, so that those of the first look are told', 11],
])('a list is refused with its wrong fields at a depth at which %s', async (_, depth) => {
  const message = expect.stringContaining("must have required property 'name'") as string;
  expect(await post('/lists', nest(depth, '{}'))).toEqual([400, message]);
});

test.each([25, 500])('a list of depth %i is refused: its alternatives take exponential time', async (depth) => {
  const refused = [400, 'request/body nests alternatives too deeply to be validated'];
  expect(await post('/lists', nest(depth, '{}'))).toEqual(refused);
});

test('a reply whose alternatives would take exponential time is 500', async () => {
  expect((await request(served.server).get('/replies')).status).toBe(500);
});

test('a body of many values is accepted in which each value takes one step', async () => {
  const items = `{"of":[${'{},'.repeat(100)}{}]},`.repeat(1000);
  expect(await post('/trees', `{"of":[${items}{}]}`)).toEqual([204, undefined]);
});
