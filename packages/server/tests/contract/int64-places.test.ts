import request from 'supertest';
import { serveEcho } from '../../../../tests/support/serve-echo';
import { serveText } from '../../../../tests/support/serve-text';

const INT64 = '{ type: integer, format: int64 }';

function withBody(schema: string): string {
  return `requestBody: { required: true, content: { application/json: { schema: ${schema} } } }`;
}

describe('an int64 is exact wherever it stands', () => {
  test.each([
    [`{ oneOf: [${INT64}, { type: string }] }`, '9007199254740993', '9007199254740993n'],
    [`{ oneOf: [${INT64}, { type: string }] }`, '"9007199254740993"', '9007199254740993'],
    [`{ type: array, items: { anyOf: [${INT64}, { type: boolean }] } }`, '[true,1e3]', [true, '1000n']],
    [`{ type: object, additionalProperties: ${INT64} }`, '{"a":-9223372036854775808}', { a: '-9223372036854775808n' }],
    [`{ type: object, properties: { a: {} }, additionalProperties: ${INT64} }`, '{"a":1.5,"b":1}', { a: 1.5, b: '1n' }],
    [
      `{ oneOf: [{ type: object, required: [id], properties: { id: ${INT64} } }, { type: array, items: ${INT64} }] }`,
      '{"id":9007199254740993}',
      { id: '9007199254740993n' },
    ],
    // What is declared in one alternative may be another number where it is not.
    [
      `{ anyOf: [{ type: object, required: [id], properties: { id: ${INT64} } }, { type: object, properties: { name: { type: string } } }] }`,
      '{"id":1.5}',
      { id: 1.5 },
    ],
    [`{ type: [integer, 'null'], format: int64 }`, 'null', null],
    [`{ type: [integer, string], format: int64 }`, '9007199254740993', '9007199254740993n'],
    [`{ type: number, format: int64 }`, '9007199254740993', '9007199254740993n'],
    [`{ format: int64 }`, '[9007199254740993]', [9007199254740992]],
    [`{ format: int64 }`, '9007199254740993', '9007199254740993n'],
    [`{ prefixItems: [{ type: string }, ${INT64}] }`, '["a",9007199254740993,2]', ['a', '9007199254740993n', 2]],
    [`{ prefixItems: [{ type: string }], items: ${INT64} }`, '["a",9007199254740993]', ['a', '9007199254740993n']],
    [
      `{ patternProperties: { ^n: ${INT64} }, properties: { n1: {} }, additionalProperties: { type: number } }`,
      '{"n":9007199254740993,"n1":1,"x":1}',
      { n: '9007199254740993n', n1: '1n', x: 1 },
    ],
    [`{ type: object, unevaluatedProperties: ${INT64} }`, '{"a":9007199254740993}', { a: '9007199254740993n' }],
    [`{ type: integer, not: { type: integer, format: int64, minimum: 5 } }`, '4', 4],
    [`{ items: {}, contains: ${INT64} }`, '[4,"a"]', [4, 'a']],
    [
      `{ properties: { a: ${INT64} }, if: { required: [a] }, then: { properties: { a: { minimum: 5 } } } }`,
      '{"a":9007199254740993}',
      { a: '9007199254740993n' },
    ],
  ])('%s %s', async (schema, sent, body) => {
    await using echo = await serveEcho('/echo', withBody(schema));
    const reply = await request(echo.server).post('/echo').set('Content-Type', 'application/json').send(sent);
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect(echo.seen[0]?.['body']).toEqual(body);
  });

  test.each([
    [`{ oneOf: [${INT64}, { type: string }] }`, '9223372036854775808', 'request/body must be an integer in the range'],
    [`{ oneOf: [${INT64}, { type: string }] }`, '1.5', 'request/body must match exactly one schema in oneOf'],
    [`{ oneOf: [${INT64}, { type: string }] }`, '1e30', 'request/body must match exactly one schema in oneOf'],
    [`{ type: object, additionalProperties: ${INT64} }`, '{"a":"1"}', 'request/body/a must be integer'],
    [INT64, '9007199254740993.5', 'request/body must be an integer in the range of int64'],
    [INT64, '1.0000000000000000001', 'request/body must be an integer in the range of int64'],
    [`{ type: array, items: ${INT64} }`, '[-9223372036854775809]', 'request/body/0 must be an integer in the range'],
  ])('400: %s %s', async (schema, sent, message) => {
    await using echo = await serveEcho('/echo', withBody(schema));
    const reply = await request(echo.server).post('/echo').set('Content-Type', 'application/json').send(sent);
    expect([reply.status, reply.body]).toMatchObject([400, { message: expect.stringContaining(message) as string }]);
  });
});

describe('a reply in which an int64 of one alternative is another number in the next', () => {
  const alternative = (id: string): string => `{ type: object, required: [id], properties: { id: ${id} } }`;
  const source = `openapi: 3.0.3
info: { title: A, version: 1.0.0 }
paths: { /a: { get: { operationId: a, responses: { '200': { description: One., content: { application/json: {
  schema: { anyOf: [${alternative(INT64)}, ${alternative('{ type: integer, maximum: 5 }')}] } } } } } } } }
`;

  test.each([
    [9007199254740993n, 200, '{"id":9007199254740993}'],
    [5, 200, '{"id":5}'],
    [2n ** 63n, 500, ''],
    ['5', 500, ''],
  ])('%s', async (id, status, text) => {
    await using served = await serveText(source, { a: (_request, reply) => reply(200, { id }) });
    const reply = await request(served.server).get('/a');
    expect(reply.status).toBe(status);
    expect(reply.text).toContain(text);
  });
});
