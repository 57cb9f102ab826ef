import { loadText } from '../../../../tests/support/load-text';
import { contractWith, serveEcho } from '../../../../tests/support/serve-operation';

const INT64 = '{ type: integer, format: int64 }';
const COLOR = `{ type: object, required: [R], properties: { R: ${INT64}, name: { type: string } } }`;

/** What a handler gets of a form with one field `a` beside `id`, or the refusal. */
async function send(field: string, encoding: string, text: string): Promise<unknown> {
  const schema = `{ type: object, properties: { id: ${INT64}, a: ${field} } }`;
  const media = `application/x-www-form-urlencoded: { schema: ${schema}, encoding: ${encoding} }`;
  await using echo = await serveEcho('/echo', `requestBody: { required: true, content: { ${media} } }`);
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const reply = await fetch(new URL('/echo', echo.base), { method: 'POST', headers, body: text });
  if (reply.status === 204) return echo.seen[0]?.['body'];
  const { error, message } = (await reply.json()) as { error: number; message: string };
  return `${String(error)} ${message}`;
}

const INT64S = `{ type: array, items: ${INT64} }`;
const STRINGS = '{ type: array, items: { type: string } }';

describe('the fields of a form, as its encoding says', () => {
  test.each([
    // By default, an object is JSON, an array is repeated, and all else is text.
    [COLOR, '{}', 'id=1&a={"R":9007199254740993}', { id: '1n', a: { R: '9007199254740993n' } }],
    [`{ type: array, items: ${COLOR} }`, '{}', 'a={"R":1}&a={"R":2}', { a: [{ R: '1n' }, { R: '2n' }] }],
    [STRINGS, '{}', 'a=x&a=y', { a: ['x', 'y'] }],
    // So is each of several.
    [`{ oneOf: [${INT64}, { type: string, enum: [all] }] }`, '{}', 'a=all', { a: 'all' }],
    [`{ oneOf: [${INT64}, { type: string, enum: [all] }] }`, '{}', 'a=2', { a: '2n' }],
    [`{ anyOf: [{ type: string }, { allOf: [{ properties: { b: {} } }] }] }`, '{}', 'a={"b":1}', { a: { b: 1 } }],
    ['{}', '{ a: { contentType: application/json } }', 'a=[1,null]', { a: [1, null] }],
    ['{ type: string }', '{ a: { contentType: text/csv } }', 'a=1,2', { a: '1,2' }],
    // The styles of parameters.
    [STRINGS, '{ a: { explode: false } }', 'a=x%2Cy,z', { a: ['x,y', 'z'] }],
    [STRINGS, '{ a: { style: spaceDelimited, explode: false } }', 'a=x+y', { a: ['x', 'y'] }],
    [INT64S, '{ a: { style: pipeDelimited, explode: false } }', 'a=1|2', { a: ['1n', '2n'] }],
    [
      COLOR,
      '{ a: { style: deepObject, explode: true } }',
      'id=1&a[R]=9007199254740993&a[name]=%C3%A9',
      { id: '1n', a: { R: '9007199254740993n', name: 'é' } },
    ],
    [COLOR, '{ a: { style: form, explode: true } }', 'R=1&id=2&name=x', { id: '2n', a: { R: '1n', name: 'x' } }],
    [COLOR, '{ a: { style: form, explode: false } }', 'a=R,1,name,x', { a: { R: '1n', name: 'x' } }],
    ['{ type: object }', '{ a: { style: form } }', 'id=2&x=1', { id: '2n', a: { x: '1' } }],
    ['{ type: string }', '{ a: { allowReserved: true } }', 'a=x+y%20', { a: 'x+y ' }],
    [COLOR, '{ a: { style: deepObject }, b: { style: form } }', 'id=1', { id: '1n' }],
  ])('%s %s %s', async (field, encoding, text, body) => {
    await expect(send(field, encoding, text)).resolves.toEqual(body);
  });

  test.each([
    [COLOR, '{}', 'a={', '40008'],
    [COLOR, '{}', 'a={"R":1}&a={"R":2}', '40009 request/body/a is there twice'],
    [COLOR, '{}', 'a={"name":"x"}', "40009 request/body/a must have required property 'R'"],
    [COLOR, '{ a: { style: deepObject } }', 'a[R]=1&a[R]=1', '40009 request/body: R is there twice'],
    [COLOR, '{ a: { style: deepObject } }', 'a[R]=x', '40009 request/body/a/R must be integer'],
    [COLOR, '{ a: { explode: false } }', 'a=R', '40009 request/body: a is not written in its style'],
    [COLOR, '{ a: { explode: false } }', 'a=R,1&a=R,1', '40009 request/body: a is there twice'],
    [
      COLOR,
      '{ a: { contentType: application/json } }',
      'a={"R":9223372036854775808}',
      '40009 request/body/a/R must be',
    ],
  ])('400: %s %s %s', async (field, encoding, text, message) => {
    await expect(send(field, encoding, text)).resolves.toEqual(expect.stringContaining(message));
  });
});

test('a field whose schema is a part of itself is a mistake', () => {
  const loop = '{ anyOf: [{ $ref: "#/components/schemas/Loop" }, { type: string }] }';
  const schema = '{ type: object, properties: { a: { $ref: "#/components/schemas/Loop" } } }';
  const members = `requestBody: { content: { multipart/form-data: { schema: ${schema} } } }`;
  const contract = contractWith({ members, schemas: { Loop: loop } });
  expect(() => loadText(contract)).toThrow('is a part of itself');
});
