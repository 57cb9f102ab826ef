import request from 'supertest';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import { loadText } from '@contract-kit/test-support/load-text';
import { notBuilt } from '../../src/pipeline/handler';
import { sendRaw } from '@contract-kit/test-support/send-raw';
import {
  contractWith,
  postJson,
  serveEcho,
  serveOperation,
  statusesOf,
  type OperationParts,
} from '@contract-kit/test-support/serve-operation';

const VERSION = '3.2.0';
const INT64 = '{ type: integer, format: int64 }';
const OBJECT = '{ type: object, required: [a], properties: { a: { type: integer } } }';
const MEDIA_TYPES = `mediaTypes: { A: { schema: ${OBJECT} }, B: { $ref: '#/components/mediaTypes/A' } }`;

test('content may refer to media types of the components', async () => {
  const content = "content: { application/json: { $ref: '#/components/mediaTypes/B' } }";
  const members = `requestBody: { required: true, ${content} }`;
  const responses = `'200': { description: Done., ${content} }`;
  await using served = await serveOperation(
    { version: VERSION, members, responses, components: MEDIA_TYPES },
    ({ body }, reply) => reply(200, (body as { a: number }).a === 7 ? {} : body),
  );
  await expect(statusesOf(served, ['{"a":1}', '{}', '{"a":7}'])).resolves.toEqual([200, 400, 500]);
});

test('a requirement may name a security scheme by its URI', async () => {
  const parts: OperationParts = {
    version: VERSION,
    members: "security: [{ '#/components/securitySchemes/S': [] }]",
    components: 'securitySchemes: { S: { type: apiKey, in: header, name: X-Key } }',
    body: '{}',
  };
  await using served = await serveOperation(parts, undefined, { S: (key) => (key === 'right' ? {} : undefined) });
  const sent = (key: string) =>
    fetch(`http://127.0.0.1:${String(served.port)}/a`, {
      ...{ method: 'POST', body: '1', headers: { 'X-Key': key, 'Content-Type': 'application/json' } },
    });
  expect([(await sent('right')).status, (await sent('wrong')).status]).toEqual([204, 401]);
});

describe('what would be wrong to serve is refused', () => {
  const inForm = (media: string): string => `requestBody: { content: { multipart/form-data: ${media} } }`;
  const NAMED = 'describe the parts by name, in the encoding of multipart/form-data';

  test.each([
    [inForm('{ prefixEncoding: [] }'), `prefixEncoding is not supported in a request: ${NAMED}`],
    [inForm('{ encoding: { a: { encoding: {} } } }'), `encoding is not supported in a request: ${NAMED}`],
    ["security: [{ 'https://a.example/#/S': [] }]", 'https://a.example/#/S is not defined in components'],
  ])('%s', (members, message) => {
    expect(() => loadText(contractWith({ version: VERSION, members }))).toThrow(message);
  });
});

test.each([
  [
    'descriptions of the parts of a reply',
    "'200': { description: Done., content: { multipart/mixed: { itemEncoding: {} } } }",
    '',
  ],
  [
    'what a callback has wrong',
    "'204': { description: Done. }",
    "callbacks: { c: { '{$url}': { post: { requestBody: { content: { a/b: 5 } } } } } }",
  ],
])('%s changes nothing', (_, responses, members) => {
  expect(loadText(contractWith({ version: VERSION, responses, ...(members && { members }) })).operations).toHaveLength(
    1,
  );
});

test('a dataValue is the sample of a reply', async () => {
  const content = `application/json: { schema: ${OBJECT}, examples: { one: { dataValue: { a: 7 } } } }`;
  const parts = { version: VERSION, body: '{}', responses: `'200': { description: Done., content: { ${content} } }` };
  await using served = await serveOperation(parts, () => notBuilt('a'), {}, { hasSamples: true });
  await postJson(served, '1').expect(200, '{"a":7}');
});

describe('a parameter in querystring', () => {
  const of = (media: string, more = 'required: true, ') =>
    `parameters: [{ name: q, in: querystring, ${more}content: { ${media} } }]`;
  const FIELDS = `properties: { word: { type: array, items: { type: string, minLength: 1 } }, bed: ${INT64}, exact: { type: boolean }, box: { type: object, properties: { a: {} } } }`;
  const FORM = `application/x-www-form-urlencoded: { schema: { type: object, required: [word], ${FIELDS} } }`;
  const OPEN_FORM = `application/x-www-form-urlencoded: { schema: { type: object, additionalProperties: ${INT64} } }`;
  const JSON_QUERY = `application/json: { schema: { type: object, required: [bed], properties: { bed: ${INT64} } } }`;
  const BIG = '9007199254740993';

  async function send(members: string, query: string) {
    await using echo = await serveEcho('/echo', members, MEDIA_TYPES, VERSION);
    const [reply] = await sendRaw(echo.port, `POST /echo${query} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    return reply?.status === 204 ? echo.seen[0]?.['querystring'] : (JSON.parse(String(reply?.body)) as unknown);
  }

  test.each([
    [
      of(FORM),
      `?word=red&word=green+leaf&bed=${BIG}&exact=true`,
      { word: ['red', 'green leaf'], bed: `${BIG}n`, exact: true },
    ],
    [of(FORM), '?word=a&other=1&box=%7B%22a%22:1%7D', { word: ['a'], box: { a: 1 } }],
    [of(OPEN_FORM), `?a=1&b=${BIG}`, { a: '1n', b: `${BIG}n` }],
    [of(OPEN_FORM), '', {}],
    [of(OPEN_FORM, ''), '?', undefined],
    [of(JSON_QUERY), `?%7B%22bed%22%3A${BIG}%7D`, { bed: `${BIG}n` }],
    [of(JSON_QUERY, ''), '', undefined],
    [of('text/plain: { schema: { type: string } }'), '?a+b%20%C3%A9', 'a+b é'],
    [of('text/plain: { schema: { type: string } }'), '', ''],
    [of(`text/plain: { schema: ${INT64} }`), `?${BIG}`, `${BIG}n`],
    [of('text/plain: {}'), '?a=b&c', 'a=b&c'],
    [of("application/json: { $ref: '#/components/mediaTypes/A' }"), '?%7B%22a%22:1%7D', { a: 1 }],
  ])('%s reads %s', async (members, query, value) => {
    await expect(send(members, query)).resolves.toEqual(value);
  });

  test.each([
    [of(FORM), '?bed=1', "request/querystring must have required property 'word'"],
    [of(FORM), '?word=&bed=1', 'request/querystring/word/0 must NOT have fewer than 1 characters'],
    [of(FORM), '?word=a&bed=9223372036854775808', 'request/querystring/bed must be an integer from'],
    [of(FORM), '?word=a&bed=1&bed=2', 'request/querystring/bed must not be sent twice'],
    [of(FORM), '?word=%ff', 'request/querystring/word has a malformed percent-encoding'],
    [of(JSON_QUERY), '', "request must have required property 'querystring'"],
    [of(JSON_QUERY), '?%7B', 'request/querystring: '],
    [of(JSON_QUERY), '?%', 'request/querystring has a malformed percent-encoding'],
  ])('%s refuses %s', async (members, query, message) => {
    await expect(send(members, query)).resolves.toMatchObject({ message: expect.stringContaining(message) as unknown });
  });

  test('an API key beside a form is not one of its fields', async () => {
    const components =
      'securitySchemes: { K: { type: apiKey, in: query, name: my key }, H: { type: apiKey, in: header, name: a } }';
    const members = `${of(OPEN_FORM)}, security: [{ K: [], H: [] }]`;
    const seen: unknown[] = [];
    const keep: UntypedHandler = ({ querystring }, reply) => (seen.push(querystring), reply(204));
    await using served = await serveOperation({ version: VERSION, members, components }, keep, {
      ...{ K: () => ({}), H: () => ({}) },
    });
    await request(served.server).post('/a?my+key=k&a=1').set('A', 'h').expect(204);
    expect(seen).toEqual([{ a: 1n }]);
  });

  const ALONE = 'a parameter in querystring needs content with one media type: a form, JSON or text';

  test.each([
    ['parameters: [{ name: q, in: querystring, schema: {} }]', ALONE],
    [of(`${FORM}, ${JSON_QUERY}`), ALONE],
    [of('multipart/form-data: {}'), ALONE],
    ['parameters: [{ name: q, in: querystring }]', ALONE],
  ])('%s is refused', (members, message) => {
    expect(() => loadText(contractWith({ version: VERSION, members }))).toThrow(message);
  });

  test('before OpenAPI 3.2, there is none', () => {
    expect(() => loadText(contractWith({ members: of(FORM) }))).toThrow(
      'a parameter cannot be in querystring: write path',
    );
  });

  test('one of the operation overrides that of its path', () => {
    const own = `parameters: [{ name: q, in: querystring, content: { ${JSON_QUERY} } }]`;
    const source = contractWith({ version: VERSION, members: own }).replace('{ post:', `{ ${of(FORM)}, post:`);
    expect(loadText(source).operations[0]?.querystring?.media.kind).toBe('json');
  });
});

describe('a cookie with the style cookie', () => {
  const of = (rest: string): string => `parameters: [{ name: p, in: cookie, style: cookie, ${rest} }]`;
  const OBJECT = `schema: { type: object, properties: { 'r%41': ${INT64}, G: { type: string } } }`;

  async function send(members: string, cookie: string) {
    await using echo = await serveEcho('/echo', members, '', VERSION);
    const head = `Host: a\r\nConnection: close\r\nCookie: ${cookie}`;
    const [reply] = await sendRaw(echo.port, `POST /echo HTTP/1.1\r\n${head}\r\n\r\n`);
    return reply?.status === 204 ? echo.seen[0]?.['cookies'] : reply?.status;
  }

  test.each([
    [of('schema: { type: string }'), 'p=a%20b&p=c+d', { p: 'a%20b&p=c+d' }],
    [of(`schema: ${INT64}`), 'q=1; p=9007199254740993', { p: '9007199254740993n' }],
    [of('schema: { type: array, items: { type: string } }'), 'p=a,b; p=c%2Cd', { p: ['a,b', 'c%2Cd'] }],
    [of('explode: false, schema: { type: array, items: { type: string } }'), 'p=a,b%2C', { p: ['a', 'b%2C'] }],
    [of(OBJECT), 'r%41=1; G=%41', { p: { 'r%41': '1n', G: '%41' } }],
    [of(`explode: false, ${OBJECT}`), 'p=r%41,1,G,%41', { p: { 'r%41': '1n', G: '%41' } }],
    [of('schema: { type: integer }'), 'p=%31', 400],
    [of(`schema: { type: string, pattern: '^"[a-z]+"$' }`), 'p="abc"', { p: '"abc"' }],
    [of('explode: false, schema: { type: array, items: { type: string } }'), 'p="a,b"', { p: ['"a', 'b"'] }],
    [of(OBJECT), 'r%41=1; G="b"', { p: { 'r%41': '1n', G: '"b"' } }],
  ])('%s reads %s as it is', async (members, cookie, value) => {
    await expect(send(members, cookie)).resolves.toEqual(value);
  });

  test.each([
    ['3.1.0', of('schema: { type: string }'), 'cookie is not a style of cookie: write form'],
    [VERSION, of('schema: { type: object }'), 'only their names distinguish the members of an exploded object'],
  ])('in OpenAPI %s, %s is refused', (version, members, message) => {
    expect(() => loadText(contractWith({ version, members }))).toThrow(message);
  });
});

describe('defaultMapping', () => {
  const TO = '#/components/schemas';
  const SCHEMAS = {
    Snail:
      '{ type: object, required: [kind, shell], properties: { kind: { const: Snail }, shell: { enum: [left, right] } } }',
    Aphid: `{ type: object, required: [kind], properties: { kind: { const: Aphid }, count: ${INT64} } }`,
    Other: '{ type: object, required: [note], properties: { kind: {}, note: { type: string } } }',
    Parent:
      '{ type: object, properties: { kind: { type: string } }, discriminator: { propertyName: kind, defaultMapping: Rest } }',
    Child: `{ allOf: [{ $ref: '${TO}/Parent' }, { required: [kind, id], properties: { id: ${INT64} } }] }`,
    Rest: `{ allOf: [{ $ref: '${TO}/Parent' }, { required: [name], properties: { name: { type: string } } }] }`,
  };
  const union = (keyword: string, more = '', names = ['Snail', 'Aphid', 'Other']): string =>
    `{ ${keyword}: [${names.map((name) => `{ $ref: '${TO}/${name}' }`).join(', ')}], discriminator: { propertyName: kind, defaultMapping: Other${more} } }`;
  const BIG = '9007199254740993';

  async function judge(body: string, sent: readonly string[]) {
    await using served = await serveOperation({ version: VERSION, body, reply: body, schemas: SCHEMAS });
    const replies: string[] = [];
    for (const text of sent) {
      const { status, text: reply } = await postJson(served, text);
      replies.push(status === 200 ? reply : (JSON.parse(reply) as { message: string }).message);
    }
    return replies;
  }

  test.each(['oneOf', 'anyOf'])('of %s judges objects without a tag, or with an unknown one', async (keyword) => {
    const fitting = [
      '{"kind":"Snail","shell":"left"}',
      `{"kind":"Aphid","count":${BIG}}`,
      '{"note":"a"}',
      '{"kind":"Other","note":"a"}',
      '{"kind":"Hare","note":"a"}',
      '{"kind":5,"note":"a"}',
    ];
    await expect(judge(union(keyword), fitting)).resolves.toEqual(fitting);
    const wrong = ['{}', '{"kind":"Snail","note":"a"}', '{"kind":"Hare","shell":"left"}'];
    await expect(judge(union(keyword), wrong)).resolves.toEqual([
      "request/body must have required property 'note'",
      "request/body must have required property 'shell'",
      "request/body must have required property 'note'",
    ]);
    const orNull = union(keyword).replace(': [', ": [{ type: 'null' }, ");
    await expect(judge(orNull, ['null', ...fitting])).resolves.toEqual(['null', ...fitting]);
  });

  test('leaves out what the mapping has', async () => {
    const body = union('oneOf', `, mapping: { S: Snail, O: Other, '5': '${TO}/Aphid' }`, ['Snail', 'Other']).replace(
      '#/components/schemas/Snail',
      `${TO}/Mapped`,
    );
    expect(body).toContain('Mapped');
    const mapped = SCHEMAS.Snail.replace('const: Snail', 'enum: [S]');
    const source = {
      version: VERSION,
      body: body.replace('S: Snail', 'S: Mapped'),
      schemas: { ...SCHEMAS, Mapped: mapped },
    };
    await using served = await serveOperation(source);
    const sent = [
      '{"kind":"S","shell":"left"}',
      '{"kind":"O","note":"a"}',
      '{"kind":"S","note":"a"}',
      '{"kind":"5","note":"a"}',
      '{"note":"a"}',
    ];
    await expect(statusesOf(served, sent)).resolves.toEqual([204, 204, 400, 400, 204]);
  });

  test('of a parent judges its other children', async () => {
    const sent = [
      `{"kind":"Child","id":${BIG}}`,
      '{"name":"a"}',
      '{"kind":"x","name":"a"}',
      '{"kind":"Child","name":"a"}',
    ];
    await expect(judge(`{ $ref: '${TO}/Parent' }`, sent)).resolves.toEqual([
      ...sent.slice(0, 3),
      "request/body must have required property 'id'",
    ]);
  });

  test('a tag is optional only with one', () => {
    const load = (body: string) => loadText(contractWith({ version: VERSION, body, schemas: SCHEMAS })).operations;
    const nested = `oneOf: [{ $ref: '${TO}/Snail' }, { $ref: '${TO}/Aphid' }]`;
    const right = [
      `{ anyOf: [{ ${nested} }, { type: 'null' }], discriminator: { propertyName: kind } }`,
      union('oneOf').replace(', defaultMapping: Other }', ' }, required: [kind]'),
      union('oneOf').replace(', defaultMapping: Other }', ' }, allOf: [{ required: [kind] }]'),
    ];
    expect(right.map((body) => load(body).length)).toEqual([1, 1, 1]);
    const message = 'kind is optional: require it, or name the schema of objects without it in defaultMapping';
    const without = (...names: string[]) => union('oneOf', '', names).replace(', defaultMapping: Other', '');
    expect(() => load(without('Snail', 'Aphid', 'Other'))).toThrow(message);
    // What a schema that is not there requires is unknown.
    expect(() => load(without('Snail', 'Slug'))).toThrow(/^(?!.*kind is optional).*Slug does not exist/s);
  });
});
