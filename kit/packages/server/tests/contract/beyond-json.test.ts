import createExpress from 'express';
import request from 'supertest';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import {
  LINES,
  postJson,
  replying,
  serveOperation,
  statusesOf,
  type ServedOperation,
} from '@contract-kit/test-support/serve-operation';
import { readTable } from '@contract-kit/test-support/walk-page';
import { behind, postThing, startExisting } from '@contract-kit/test-support/start-things';

const NOT_NULL = "{ type: object, additionalProperties: { not: { type: 'null' } } }";
const ANY = '{ description: Fine., content: { application/json: {} } }';
const INT64 = '{ type: integer, format: int64 }';
const NOT_PLAIN = 'is not a plain object, and no toJSON() makes it one: map it to one';

function serveReply(reply: string, handler: UntypedHandler): Promise<ServedOperation> {
  return serveOperation({ method: 'get', responses: `'200': ${reply}` }, handler);
}

async function expectRefusal(declared: string, handler: UntypedHandler, message: string): Promise<void> {
  await using served = await serveReply(declared, handler);
  await request(served.server).get('/a').expect(500);
  expect(served.outcomes[0]?.refusal?.cause).toMatchObject({ message });
}

async function sentFor(declared: string, body: unknown): Promise<string> {
  await using served = await serveReply(declared, (_, reply) => reply(200, body));
  const { text } = await request(served.server).get('/a').expect(200);
  return text;
}

describe('a reply with a value that JSON does not have is refused with 500, and the log names its place', () => {
  const withHole: unknown[] = [1, , 3];
  test.each([
    [{ v: NaN }, 'response/body/v is NaN'],
    [{ v: [-Infinity] }, 'response/body/v/0 is -Infinity'],
    [Infinity, 'response/body is Infinity'],
    [{ v: [undefined] }, 'response/body/v/0 is undefined'],
    [withHole, 'response/body/1 is undefined'],
    [new Array<unknown>(2), 'response/body/0 is undefined'],
    [{ v: () => 1 }, 'response/body/v is a function'],
    [{ v: Symbol('a') }, 'response/body/v is a symbol'],
    [10n ** 400n, 'response/body is Infinity'],
  ])('%# %s', async (body, problem) => {
    await expectRefusal(ANY, (_, reply) => reply(200, body), `${problem}, which JSON cannot express`);
  });

  test.each([
    [{ v: Promise.resolve() }, 'response/body/v'],
    [[Object(1)], 'response/body/0'],
  ])('%p is not a plain object', async (body, place) => {
    await expectRefusal(ANY, (_, reply) => reply(200, body), `${place} ${NOT_PLAIN}`);
  });

  test('in a header and in a text as well', async () => {
    const header = '{ description: Fine., headers: { X-A: { schema: { type: number } } } }';
    const handler: UntypedHandler = (_, reply) => reply(200, undefined, { 'X-A': NaN });
    await expectRefusal(header, handler, 'response/headers/X-A is NaN, which JSON cannot express');
    const text = '{ description: Fine., content: { text/plain: { schema: { type: number } } } }';
    await expectRefusal(text, (_, reply) => reply(200, NaN), 'response/body is NaN, which JSON cannot express');
  });
});

describe('a reply is written as it was judged', () => {
  test('a property that is undefined is absent, also one that the contract does not declare', async () => {
    const declared = `{ description: Fine., content: { application/json: { schema: { type: object, properties: { a: { type: string } } } } } }`;
    await expect(sentFor(declared, { a: undefined, x: undefined })).resolves.toBe('{}');
    const required = declared.replace('type: object', 'type: object, required: [a]');
    const message = "/response/body must have required property 'a'";
    await expectRefusal(required, (_, reply) => reply(200, { a: undefined }), message);
  });

  test('a header of any type is written as text or JSON', async () => {
    const headers = `{ X-Scalar: { schema: {} }, X-Members: { schema: { type: object, properties: { a: {}, b: {} } } } }`;
    const values = { 'X-Scalar': { a: [1n] }, 'X-Members': { a: { c: 1 }, b: undefined } };
    const handler: UntypedHandler = (_, reply) => reply(200, undefined, values);
    await using served = await serveReply(`{ description: Fine., headers: ${headers} }`, handler);
    const reply = await request(served.server).get('/a').expect(200);
    expect(reply.headers).toMatchObject({ 'x-scalar': '{"a":[1]}', 'x-members': 'a,{"c":1}' });
  });
});

const DIFFERENT = readTable('packages/server/README.md', 'What a reply may contain').slice(1);
const EQUAL = [
  ['`{ a: new Date(0) }`', '`{"a":"1970-01-01T00:00:00.000Z"}`'],
  ["`[new (class { toJSON() { return 'a'; } })()]`", '`["a"]`'],
  ['`{ get a() { return 1; } }`', '`{"a":1}`'],
  ['`{ a: undefined }`', '`{}`'],
  ["`{ [Symbol('a')]: 1 }`", '`{}`'],
  ['`-0`', '`0`'],
].map(([code = '', text = '']) => [code, text, text]);

test.each([...DIFFERENT, ...EQUAL])('Express and the kit send what is listed for %s', async (code = '', ...sent) => {
  const url = `data:text/javascript,export const value = ${encodeURIComponent(code.slice(1, -1))}`;
  const { value } = (await import(url)) as { readonly value: unknown };
  const app = createExpress().get('/a', (_req, res) => void res.json(value));
  await using served = await serveReply(ANY, (_, reply) => reply(200, value));
  const replies = [await request(app).get('/a'), await request(served.server).get('/a')];
  expect(replies.map(({ status, text }) => (status === 200 ? `\`${text}\`` : '500'))).toEqual(sent.slice(0, 2));
});

describe('toJSON', () => {
  class Row {
    readonly #id = 2n ** 53n + 1n;
    toJSON(key: string): object {
      return { key, id: this.#id };
    }
  }
  const itself = Object.assign(new Row(), { toJSON: () => itself });
  const returning = (value: unknown): object => ({ toJSON: () => value });
  const fail = (): never => {
    throw new Error('no row');
  };

  test.each<[string, unknown, string]>([
    ['gets an empty key for a whole body', new Row(), '{"key":"","id":9007199254740993}'],
    ['gets the name or the index', { 'a/b': [new Row()] }, '{"a/b":[{"key":"0","id":9007199254740993}]}'],
    ['is called inside of what it returns', returning([new Date(NaN), new URL('http://a')]), '[null,"http://a/"]'],
    ['may leave a property out', { a: returning(undefined), b: 1 }, '{"b":1}'],
    ['is called on an array', Object.assign([1], { toJSON: () => 'one' }), '"one"'],
    ['is called before the members are read', Object.defineProperty(returning(1), 'a', { get: fail }), '1'],
    ['may be data', { a: { toJSON: 'a' } }, '{"a":{"toJSON":"a"}}'],
    ['is called in a changed row', { ...{ a: 1, at: new Date(0) }, a: 2 }, '{"a":2,"at":"1970-01-01T00:00:00.000Z"}'],
  ])('%s', async (_, body, text) => {
    await expect(sentFor(ANY, body)).resolves.toBe(text);
  });

  const again: Record<string, unknown> = { toJSON: () => ({ again }) };
  test.each<[string, unknown, string]>([
    ['throws', { toJSON: fail }, 'no row'],
    ['is a getter that throws', Object.defineProperty({}, 'toJSON', { get: fail }), 'no row'],
    ['returns its instance', { a: itself }, `response/body/a ${NOT_PLAIN}`],
    ['returns another instance', [returning(new Row())], `response/body/0 ${NOT_PLAIN}`],
    ['returns nothing for an item', [returning(undefined)], 'response/body/0 is undefined, which JSON cannot express'],
    ['returns nothing for the body', returning(undefined), "/response must have required property 'body'"],
    ['never ends', again, 'Maximum call stack size exceeded'],
  ])('that %s turns the reply into a 500', async (_, body, message) => {
    await expectRefusal(ANY, (_request, reply) => reply(200, body), message);
  });

  test('is called on items, not on a header, which is not JSON, and is data in the body of a client', async () => {
    await using echo = await serveOperation({ body: '{}', reply: '{}' });
    await postJson(echo, '{"toJSON":"a"}').expect(200, '{"toJSON":"a"}');
    const parts = replying([LINES, '{}']);
    await using served = await serveOperation(parts, (_, reply) => reply(200, [new Row(), new Date(0)]));
    const { text } = await request(served.server).get('/a').buffer();
    expect(text).toBe('{"key":"","id":9007199254740993}\n"1970-01-01T00:00:00.000Z"\n');
    const header = '{ description: Fine., headers: { X-A: { schema: {} } } }';
    const handler: UntypedHandler = (_, reply) => reply(200, undefined, { 'X-A': new Date(0) });
    await expectRefusal(header, handler, `response/headers/X-A ${NOT_PLAIN}`);
  });
});

const TOO_LARGE = 'The JSON has a number that is too large for a double.';

describe('a number that overflows a double is refused with 400', () => {
  test.each([
    ...['{"v":1e400}', '{"v":[{"a":-1E+309}]}', `{"v":${'9'.repeat(309)}}`, `{"v":${'9'.repeat(250)}e99}`],
    ...['1e400', '{"v":1.7976931348623159e308}'],
  ])('in a JSON body of any schema: %s', async (body) => {
    await using served = await serveOperation({ body: '{}', reply: '{}' });
    const sent = request(served.server).post('/a').type('json').send(body);
    const { text } = await sent.expect(400);
    expect(JSON.parse(text)).toMatchObject({ message: TOO_LARGE });
    expect(served.outcomes[0]?.refusal).toMatchObject({ kind: 'MALFORMED_JSON', rule: 'double' });
    expect(served.seen).toEqual([]);
  });

  test('what is not such a number reaches the handler', async () => {
    await using served = await serveOperation({ body: NOT_NULL, reply: NOT_NULL });
    const bodies = ['{"v":1.7976931348623157e308}', '{"v":1e-400}', '{"v":0e400}', '{"v":"1e400"}', '{"1e400":1}'];
    const digits = ['{"v":0.000000000001e319}', `{"v":${'9'.repeat(308)}}`];
    const all = [...bodies, ...digits];
    expect(await statusesOf(served, all)).toEqual(all.map(() => 200));
    expect(served.seen).toEqual(all.map((body) => JSON.parse(body) as unknown));
  });

  test('an alternative to an int64 that allows any number does not allow that one', async () => {
    await using served = await serveOperation({ body: `{ properties: { v: { anyOf: [${INT64}, {}] } } }` });
    expect(await statusesOf(served, ['{"v":1e300}', '{"v":1e400}'])).toEqual([204, 400]);
  });

  test('in a parameter, as text and as JSON', async () => {
    const members = `parameters: [
      { name: n, in: query, schema: { type: number } }, { name: i, in: query, schema: ${INT64} },
      { name: j, in: query, content: { application/json: { schema: {} } } } ]`;
    await using served = await serveOperation({ members, method: 'get' });
    const statuses: number[] = [];
    for (const query of ['n=1e308', 'n=1e400', 'n=-1e400', 'i=1e3', 'i=1e400', 'j=1e308', 'j=[1e400]'])
      statuses.push((await request(served.server).get(`/a?${query}`)).status);
    expect(statuses).toEqual([204, 400, 400, 204, 400, 204, 400]);
  });

  test('in a part of a form, as text and as JSON', async () => {
    const schema = '{ type: object, properties: { n: { type: number }, j: { type: object } } }';
    const content = `content: { application/x-www-form-urlencoded: { schema: ${schema} }, multipart/form-data: { schema: ${schema} } }`;
    await using served = await serveOperation({ members: `requestBody: { ${content} }` });
    const statuses: number[] = [];
    for (const [name, value] of [
      ['n', '1e308'],
      ['n', '1e400'],
      ['j', '{"a":1e308}'],
      ['j', '{"a":1e400}'],
    ] as const)
      statuses.push((await request(served.server).post('/a').field(name, value)).status);
    for (const text of ['n=1e308', 'n=1e400'])
      statuses.push((await request(served.server).post('/a').send(text)).status);
    expect(statuses).toEqual([204, 400, 204, 400, 204, 400]);
  });

  test('in a body that a parser of the application read', async () => {
    await using app = await startExisting(behind(createExpress.json()));
    await postThing(app.server, '{"id":1,"name":"Rose","other":1e300}').expect(200);
    const { text } = await postThing(app.server, '{"id":2,"name":"Rose","other":-1e400}').expect(400);
    expect(JSON.parse(text)).toMatchObject({ message: TOO_LARGE });
    await postThing(app.server, '{"id":1e400,"name":"Rose"}').expect(400);
  });
});
