import request from 'supertest';
import { sendRaw } from '@contract-kit/test-support/send-raw';
import { serveEcho, type Seen } from '@contract-kit/test-support/serve-operation';
import { parseCookies } from '@contract-kit/contract';

const INT64 = '{ type: integer, format: int64 }';
const INT64S = `{ type: array, items: ${INT64} }`;
const STRING = '{ type: string }';
const STRINGS = `{ type: array, items: ${STRING} }`;
const BIG = '9007199254740993';
const MAP = `{ type: object, additionalProperties: ${INT64} }`;
const COLOR = `{ type: object, properties: { R: { type: integer }, G: ${INT64}, name: { type: string } }, required: [R] }`;

/** What the handler gets of a request with one parameter, or the refusal. */
async function send(parameter: string, target: string, headers: Record<string, string> = {}, path = '/echo') {
  await using echo = await serveEcho(path, `parameters: [${parameter}]`);
  const lines = Object.entries({ Host: 'a', Connection: 'close', ...headers }).map((header) => header.join(': '));
  const [reply] = await sendRaw(echo.port, `POST ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  return { status: reply?.status, seen: echo.seen[0], error: reply?.body };
}

async function expectSeen(sent: ReturnType<typeof send>, group: keyof Seen, value: unknown): Promise<void> {
  const { status, seen, error } = await sent;
  expect([status, seen?.[group], error]).toEqual([204, value, '']);
}

async function expectRefusal(sent: ReturnType<typeof send>, message: string): Promise<void> {
  const { status, seen, error } = await sent;
  expect([status, seen]).toEqual([400, undefined]);
  const told = expect.stringContaining(message) as string;
  expect(JSON.parse(String(error))).toMatchObject({ error: 40010, message: told });
}

test('a query and a header may have parameters of the same name', async () => {
  const both = '{ name: n, in: query, schema: { type: string } }, { name: n, in: header, schema: { type: string } }';
  await expectSeen(send(both, '/echo?n=a', { n: 'b' }), 'headers', { n: 'b' });
});

const RANGE = 'request/path/p must be an integer from -9223372036854775808 to 9223372036854775807';
const INTEGER = 'request/path/p must be integer';
const STYLE = 'request/path/p must be written in the style that the contract declares';

describe('a parameter in the path', () => {
  const toPath = (rest: string): string => `{ name: p, in: path, required: true, ${rest} }`;

  test.each([
    [`schema: ${INT64}`, '/a/9223372036854775807', '9223372036854775807n'],
    [`schema: ${INT64}`, '/a/-1.0e1', '-10n'],
    [`schema: ${STRING}`, '/a/x%2Fy%C3%A9+', 'x/yé+'],
    [`schema: ${STRING}`, '/a/%61%2561%25%32%35', 'a%61%25'],
    ['schema: { type: boolean }', '/a/true', true],
    ['schema: { type: [integer, string] }', '/a/1', 1],
    ['schema: { type: [integer, string] }', '/a/1x', '1x'],
    [`schema: ${STRINGS}`, '/a/a%2Cb,c', ['a,b', 'c']],
    [`style: matrix, schema: ${STRING}`, '/a/;p', ''],
    [`style: matrix, explode: true, schema: ${STRINGS}`, '/a/;p;p=a', ['', 'a']],
    [`style: matrix, explode: true, schema: { type: object, properties: { R: ${STRING} } }`, '/a/;R', { R: '' }],
  ])('%s %s', async (parameter, target, value) => {
    await expectSeen(send(toPath(parameter), target, {}, '/a/{p}'), 'path', { p: value });
  });

  test.each([
    [`schema: ${INT64}`, '/a/9223372036854775808', RANGE],
    [`schema: ${INT64}`, '/a/0x10', INTEGER],
    [`schema: ${INT64}`, '/a/%201', INTEGER],
    [`schema: ${INT64}`, '/a/1.5', INTEGER],
    ['schema: { type: boolean }', '/a/1', 'request/path/p must be boolean'],
    [`schema: ${STRING}`, '/a/%ff', 'request/path/p has a malformed percent-encoding'],
    [`schema: ${COLOR}`, '/a/R', STYLE],
    [`explode: true, schema: ${COLOR}`, '/a/R,1', STYLE],
    [`schema: ${COLOR}`, '/a/R,1,R,1', 'must not have R twice'],
    [`style: label, schema: ${INT64}`, '/a/5', STYLE],
    [`style: matrix, schema: ${INT64}`, '/a/;q=5', STYLE],
  ])('400: %s %s', async (parameter, target, message) => {
    await expectRefusal(send(toPath(parameter), target, {}, '/a/{p}'), message);
  });

  test.each([
    ['/files/{name}.{type}', '/files/a.b.json', { name: 'a.b', type: 'json' }],
    ['/files/{name}-{type}.x', '/files/a-b-c.x', { name: 'a-b', type: 'c' }],
    ['/{name}/of/{type}', '/a/of/b', { name: 'a', type: 'b' }],
  ])('may be one of several: %s', async (path, target, value) => {
    const both = ['name', 'type'].map((name) => toPath(`schema: ${STRING}`).replace('name: p', `name: ${name}`));
    await expectSeen(send(both.join(', '), target, {}, path), 'path', value);
  });
});

describe('a value or a list in the query', () => {
  const LIST = '{ type: array, items: { type: string } }';

  test.each([
    [`{ anyOf: [{ type: boolean }, ${LIST}] }`, 'p=true', true],
    [`{ anyOf: [{ type: boolean }, ${LIST}] }`, 'p=true&p=b', ['true', 'b']],
    [`{ anyOf: [{ type: boolean }, ${LIST}] }`, 'p=a', ['a']],
    [`{ anyOf: [{ type: boolean }, ${LIST}] }`, 'p=a%20%26', ['a &']],
    [`{ anyOf: [{ type: integer }, ${LIST}] }`, 'p=7', 7],
    [`{ anyOf: [{ type: integer }, ${LIST}] }`, 'p=7x', ['7x']],
    [`{ anyOf: [{ type: boolean }, ${INT64S}] }`, 'p=7', ['7n']],
    [`{ anyOf: [{ type: string }, ${INT64S}] }`, 'p=7', '7'],
    [`{ anyOf: [{ type: string }, ${INT64S}] }`, 'p=7&p=8', ['7n', '8n']],
    ['{ type: [boolean, array] }', 'p=a', ['a']],
    ['{ type: [string, array] }', 'p=a', 'a'],
  ])('%s reads %s', async (schema, query, value) => {
    await expectSeen(send(`{ name: p, in: query, schema: ${schema} }`, `/echo?${query}`), 'query', { p: value });
  });

  test('400 for what neither can be', async () => {
    const sent = send(`{ name: p, in: query, schema: { anyOf: [{ type: boolean }, ${INT64S}] } }`, '/echo?p=a');
    await expectRefusal(sent, 'request/query/p');
  });
});

describe('a parameter whose schema has no type', () => {
  const LISTED = { '{ enum: [1, 2, 3] }': 2, '{ const: 5 }': 5, '{ const: true }': true, '{ minimum: 1 }': 2.5 };
  const TOLD = { '{ enum: [1.5, auto] }': 'auto', '{ oneOf: [{ const: 1 }, { const: b }] }': 1, '{ const: "5" }': '5' };
  const WIDER = { '{ type: [integer, string], enum: ["1", a] }': '1', '{ minLength: 1, anyOf: [{ const: 1 }] }': 1 };

  test.each(Object.entries({ ...LISTED, ...TOLD, ...WIDER }))('%s is read as %j', async (schema, value) => {
    const text = String(value);
    const declared = (location: string): string => `{ name: p, in: ${location}, required: true, schema: ${schema} }`;
    await expectSeen(send(declared('path'), `/a/${text}`, {}, '/a/{p}'), 'path', { p: value });
    await expectSeen(send(declared('query'), `/echo?p=${text}`), 'query', { p: value });
    await expectSeen(send(declared('header'), '/echo', { p: text }), 'headers', { p: value });
    await expectSeen(send(declared('cookie'), '/echo', { Cookie: `p=${text}` }), 'cookies', { p: value });
  });

  test('is a list where its keywords are about lists', async () => {
    await expectSeen(send(toQuery('{ items: { const: 5 } }'), '/echo?p=5&p=5'), 'query', { p: [5, 5] });
  });

  test.each([
    ['{ minimum: 1 }', 'p=0', '/p must be >= 1'],
    ['{ contains: { const: a } }', 'p=b', '/p must contain at least 1 valid item'],
    ['{ contains: { const: a }, minContains: 2 }', 'p=a', '/p must NOT have fewer than 2 items'],
    ['{ contains: { const: a }, maxContains: 1 }', 'p=a&p=a', '/p must contain at least 1 and no more than 1 valid'],
    ['{ unevaluatedItems: { const: a } }', 'p=b', '/p/0 must be equal to constant'],
    ['{ minProperties: 2 }', 'a=1', '/p must NOT have fewer than 2 properties'],
    ['{ maxProperties: 1 }', 'a=1&b=2', '/p must NOT have more than 1 properties'],
    ['{ propertyNames: { const: b } }', 'a=1', '/p property name must be valid'],
    ['{ dependentRequired: { a: [b] } }', 'a=1', '/p must have property b when property a is present'],
    ['{ dependentSchemas: { a: { required: [b] } } }', 'a=1', "/p must have required property 'b'"],
    ['{ unevaluatedProperties: { const: b } }', 'a=1', '/p/a must be equal to constant'],
  ])('400 where what its keywords are about breaks a rule: %s %s', async (schema, query, message) => {
    await expectRefusal(send(toQuery(schema), `/echo?${query}`), `request/query${message}`);
  });

  function toQuery(schema: string): string {
    return `{ name: p, in: query, schema: ${schema} }`;
  }
});

describe('a parameter in the query', () => {
  test.each([
    ['{ name: q, schema: { type: integer, default: 20 } }', '', { q: 20 }],
    [`{ name: q, schema: { type: integer, format: int64, default: 20 } }`, '?', { q: '20n' }],
    ['{ name: q, schema: { $ref: "#/components/x-schemas/Limit" } }', '', { q: 20 }],
    ['{ name: q, schema: { allOf: [{ $ref: "#/components/x-schemas/Limit" }] } }', '', { q: 20 }],
    ['{ name: q, schema: { type: string } }', '?q=a+b%2Bc%26', { q: 'a b+c&' }],
    ['{ name: q, schema: { type: string } }', '?q=a/b:c?d=e', { q: 'a/b:c?d=e' }],
    ['{ name: q, schema: { type: string } }', '?q', { q: '' }],
    ['{ name: q, schema: { type: string } }', '?&q=1&', { q: '1' }],
    ['{ name: "q[]", schema: { type: string } }', '?q%5B%5D=1', { 'q[]': '1' }],
    ['{ name: q, schema: { type: number } }', '?q=-1.5e3', { q: -1500 }],
    [`{ name: q, explode: false, schema: ${STRINGS} }`, '?q=a%2Cb,c', { q: ['a,b', 'c'] }],
    [`{ name: q, style: spaceDelimited, schema: ${INT64S} }`, '?q=1%202+3', { q: ['1n', '2n', '3n'] }],
    [`{ name: q, style: pipeDelimited, schema: ${INT64S} }`, '?q=1|2%7C3', { q: ['1n', '2n', '3n'] }],
    [`{ name: q, style: pipeDelimited, explode: true, schema: ${INT64S} }`, '?q=1&q=2', { q: ['1n', '2n'] }],
    [`{ name: q, style: pipeDelimited, schema: ${COLOR} }`, '?q=R|1', { q: { R: 1 } }],
    [
      `{ name: q, style: deepObject, schema: ${MAP} }`,
      '?q[a]=1&q[__proto__]=2',
      { q: { a: '1n', ['__proto__']: '2n' } },
    ],
    [
      `{ name: q, style: deepObject, schema: ${MAP} }, { in: query, name: r, schema: { type: object } }`,
      '?q[a]=1&q[a][b]=2&q[c=3',
      { q: { a: '1n' }, r: { 'q[a][b]': '2', 'q[c': '3' } },
    ],
    [`{ name: q, content: { text/plain: { schema: ${INT64} } } }`, `?q=${BIG}`, { q: `${BIG}n` }],
    ['{ name: q, content: { application/vnd.a+json: {} } }', '?q={"a":[1]}', { q: { a: [1] } }],
    // One value is itself, several are an array.
    [`{ name: q, schema: { oneOf: [${INT64}, ${INT64S}] } }`, '?q=9007199254740993', { q: '9007199254740993n' }],
    // An object that lists not all of its members has all parameters that no other has.
    ['{ name: q, schema: { type: object } }', '?a=1&b=x%26y', { q: { a: '1', b: 'x&y' } }],
    [`{ name: q, schema: { type: object, patternProperties: { ^a: ${INT64} } } }`, '?ab=1', { q: { ab: '1n' } }],
    [
      `{ name: q, schema: ${MAP} }, { in: query, name: r, schema: { type: string } }`,
      '?a=9007199254740993&r=2&__proto__=3',
      { q: { a: '9007199254740993n', ['__proto__']: '3n' }, r: '2' },
    ],
    [`{ name: q, explode: false, schema: ${INT64S} }, { in: query, name: r, schema: {} }`, '?r=1', { r: '1' }],
    ['{ name: q, allowReserved: true, schema: { type: string } }', '?q=a+b:/?@%20%2B', { q: 'a+b:/?@ +' }],
    ['{ name: q, allowEmptyValue: true, schema: { type: string } }', '?q', { q: '' }],
    ['{ name: q, allowEmptyValue: true, schema: { type: boolean } }', '?q', {}],
    ['{ name: q, allowEmptyValue: true, schema: { type: integer, default: 5 } }', '?q=', { q: 5 }],
    [`{ name: q, allowEmptyValue: true, schema: ${INT64S} }`, '?q=', {}],
    [`{ name: q, allowEmptyValue: true, explode: false, schema: ${INT64S} }`, '?q=', {}],
    [`{ name: q, allowEmptyValue: true, schema: ${INT64S} }`, '?q=1', { q: ['1n'] }],
  ])('%s %s', async (parameter, query, value) => {
    const declared = parameter.replace('{ name', '{ in: query, name');
    const limit = 'x-schemas: { Limit: { type: integer, default: 20 } }';
    await using echo = await serveEcho('/echo', `parameters: [${declared}]`, limit);
    const [reply] = await sendRaw(echo.port, `POST /echo${query} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect([reply?.body, JSON.stringify(echo.seen[0]?.['query'])]).toEqual(['', JSON.stringify(value)]);
  });

  test.each([
    [`{ name: q, schema: ${INT64} }`, '?q=1&q=1', 'request/query/q must not be sent twice'],
    [`{ name: q, schema: ${INT64} }`, '?Q=1', "Unknown query parameter 'Q'"],
    [`{ name: q, schema: ${INT64} }`, '?q[a]=1', "Unknown query parameter 'q[a]'"],
    [`{ name: q, schema: ${INT64} }`, '?q=', 'request/query/q must be integer'],
    [`{ name: q, required: true, schema: ${INT64} }`, '', "request/query must have required property 'q'"],
    ['{ name: q, schema: { type: integer, maximum: 5 } }', '?q=6', 'request/query/q must be <= 5'],
    ['{ name: q, schema: { enum: [a, b] } }', '?q=c', 'request/query/q must be equal to one of the allowed values'],
    [`{ name: q, schema: { enum: [null, ${'a, '.repeat(60)}] } }`, '?q=c', `: null, ${'a, '.repeat(49)}...`],
    [`{ name: q, schema: ${INT64S} }`, '?q=1,2', 'request/query/q/0 must be integer'],
    ['{ name: q, schema: { type: string } }', '?q=%f', 'request/query/q has a malformed percent-encoding'],
    ['{ name: q, schema: { type: string } }', '?%ff=1', 'request/query has a malformed percent-encoding'],
    [`{ name: q, schema: ${COLOR} }`, '?R=1&R=2', 'must not have R twice'],
    [`{ name: q, schema: ${COLOR} }`, '?G=1', "request/query/q must have required property 'R'"],
    [`{ name: q, style: deepObject, schema: ${COLOR} }`, '?q[R]=1&q[R]=1', 'must not have R twice'],
    [`{ name: q, style: deepObject, schema: ${COLOR} }`, '?q=1', "Unknown query parameter 'q'"],
    [
      `{ name: q, explode: false, schema: ${COLOR} }`,
      '?q=R,1,G',
      'request/query/q must be written in the style that the contract declares',
    ],
    ['{ name: q, allowEmptyValue: true, schema: { type: boolean } }', '?q=1', 'request/query/q must be boolean'],
    [`{ name: q, allowEmptyValue: true, schema: ${INT64S} }`, '?q=&q=1', 'request/query/q/0 must be integer'],
    [`{ name: q, schema: { oneOf: [${INT64}, ${INT64S}] } }`, '?q=1&q=x', 'request/query/q'],
  ])('400: %s %s', async (parameter, query, message) => {
    await expectRefusal(send(parameter.replace('{ name', '{ in: query, name'), `/echo${query}`), message);
  });

  test('400 for malformed JSON in a parameter, as for a body', async () => {
    const parameter = '{ in: query, name: q, content: { application/json: { schema: {} } } }';
    const { status, error } = await send(parameter, '/echo?q={');
    expect([status, error]).toEqual([400, expect.stringContaining('40008')]);
  });

  test('400 in no time for as many as fit into a request', async () => {
    const parameter = `{ in: query, name: q, style: deepObject, schema: ${MAP} }`;
    const many = Array.from({ length: 1_500 }, (_, index) => `q[${String(index)}]=1`).join('&');
    await expectRefusal(send(parameter, `/echo?${many}&q[7]=1`), 'must not have 7 twice');
  });
});

describe('a parameter in a header or a cookie', () => {
  const toHeader = (rest: string): string => `{ name: X-Id, in: header, ${rest} }`;
  const toCookie = (rest: string): string => `{ name: c, in: cookie, ${rest} }`;

  test.each([
    [`schema: ${INT64}`, BIG, `${BIG}n`],
    [`schema: ${INT64}`, undefined, undefined],
    [`schema: ${STRING}`, 'a%20, b', 'a%20, b'],
    [`schema: ${INT64S}`, '1, 2 ,3', ['1n', '2n', '3n']],
  ])('header: %s: %j', async (parameter, sent, value) => {
    const headers = sent === undefined ? {} : { 'x-id': sent };
    const seen = value === undefined ? {} : { 'X-Id': value };
    await expectSeen(send(toHeader(parameter), '/echo', headers), 'headers', seen);
  });

  test.each([
    [`schema: ${INT64}`, `b=1; c=${BIG};d`, { c: `${BIG}n` }],
    [`schema: ${STRING}`, 'c="a%20b"', { c: 'a b' }],
    [`schema: ${INT64S}`, 'b=0; c=1; c=2', { c: ['1n', '2n'] }],
    ['schema: { type: object, properties: { a: { type: integer } } }', 'a=1; d=2', { c: { a: 1 } }],
    [`schema: ${STRINGS}`, 'c=a&c=b%26c,d; x=0', { c: ['a', 'b&c,d'] }],
    [`schema: ${STRINGS}`, 'x=0&q=%', {}],
    ['schema: { type: object, properties: { a: { type: integer }, b: {} } }', 'a=1&b=2; x=%', { c: { a: 1, b: '2' } }],
    [`schema: ${INT64}`, undefined, {}],
  ])('cookie: %s: %j', async (parameter, sent, value) => {
    await expectSeen(send(toCookie(parameter), '/echo', sent === undefined ? {} : { Cookie: sent }), 'cookies', value);
  });

  test.each([
    [toHeader(`required: true, schema: ${INT64}`), {}, "request/headers must have required property 'X-Id'"],
    [toHeader(`schema: ${INT64}`), { 'X-Id': 'a' }, 'request/headers/X-Id must be integer'],
    [toCookie(`schema: ${INT64}`), { Cookie: 'c=1; c=2' }, 'request/cookies/c must not be sent twice'],
    [toCookie(`schema: ${INT64}`), { Cookie: 'c=%' }, 'request/cookies/c has a malformed percent-encoding'],
  ])('400: %s %j', async (parameter, headers, message) => {
    await expectRefusal(send(parameter, '/echo', headers), message);
  });
});

test('a header that comes in several lines is one list', async () => {
  await using echo = await serveEcho('/echo', `parameters: [{ name: X-Id, in: header, schema: ${INT64S} }]`);
  await sendRaw(echo.port, 'POST /echo HTTP/1.1\r\nHost: a\r\nX-Id: 1\r\nConnection: close\r\nX-Id: 2\r\n\r\n');
  expect(echo.seen).toMatchObject([{ headers: { 'X-Id': ['1n', '2n'] } }]);
});

test('parameters of a path are those of its operations, unless they have their own', async () => {
  const shared = '{ name: q, in: query, schema: { type: integer } }, { name: r, in: query, schema: { type: integer } }';
  const own = `parameters: [{ name: q, in: query, schema: { type: string } }]\n    parameters: [${shared}]`;
  await using echo = await serveEcho('/echo', own);
  await request(echo.server).post('/echo?q=1&r=2').expect(204);
  expect(echo.seen).toMatchObject([{ query: { q: '1', r: 2 } }]);
});

describe('the items of a list that have parts are JSON', () => {
  const toLines = (more: string): string =>
    `{ name: p, ${more}, schema: { type: array, items: { type: object, properties: { id: ${INT64} } } } }`;
  const ITEM = '%7B%22id%22:9007199254740993%7D';

  test.each([
    ['in: query', `?p=${ITEM}&p={}`, {}, 'query'],
    ['in: query, explode: false', `?p=${ITEM},%7B%7D`, {}, 'query'],
    ['in: header', '', { p: '{"id":9007199254740993}, {}' }, 'headers'],
  ] as const)('%s', async (more, query, headers, group) => {
    const value = { p: [{ id: '9007199254740993n' }, {}] };
    await expectSeen(send(toLines(more), `/echo${query}`, headers), group, value);
  });

  test.each(['1', '{', '{}]', '{%22id%22:%22a%22}'])('400 for any other text: %s', async (text) => {
    expect(await send(toLines('in: query'), `/echo?p=${text}`)).toMatchObject({ status: 400 });
  });
});

test.each([
  ['two', 'a=1; b=2', { a: '1', b: '2' }],
  ['none', '', {}],
  ['no sign between name and value', 'a', {}],
  ['a quoted value', 'a="b"', { a: 'b' }],
  ['an empty quoted value', 'a=""', { a: '' }],
  ['a quote alone', 'a="', { a: '"' }],
  ['a quote in front alone', 'a="b', { a: '"b' }],
  ['a quote at the end alone', 'a=b"', { a: 'b"' }],
  ['white space around', ' a = b ', { a: 'b' }],
  ['the sign in the value', 'a=1=2', { a: '1=2' }],
])('cookies: %s', (_what, header, pairs) => {
  expect(parseCookies(header)).toEqual(Object.entries(pairs));
});
