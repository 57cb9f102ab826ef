import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { loadText } from '@contract-kit/test-support/load-text';
import { contractWith, serveEcho } from '@contract-kit/test-support/serve-operation';
import { serveText, type Served } from '@contract-kit/test-support/serve-text';
import { until } from '@contract-kit/test-support/until';

const INT64 = '{ type: integer, format: int64 }';
const COLOR = `{ type: object, required: [R], properties: { R: ${INT64}, name: { type: string } } }`;

/** What a handler gets of a form with one field `a` beside `id`, or the refusal. */
async function sendFields(field: string, encoding: string, text: string): Promise<unknown> {
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
const MAP = '{ type: object, additionalProperties: true }';
const LONG = 'x'.repeat(201);

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
    await expect(sendFields(field, encoding, text)).resolves.toEqual(body);
  });

  test.each([
    [COLOR, '{}', 'a={', '40008'],
    [COLOR, '{}', 'a={"R":1}&a={"R":2}', '40009 request/body/a must not be sent twice'],
    [COLOR, '{}', 'a={"name":"x"}', "40009 request/body/a must have required property 'R'"],
    [COLOR, '{ a: { style: deepObject } }', 'a[R]=1&a[R]=1', '40009 request/body/a must not have R twice'],
    [COLOR, '{ a: { style: deepObject } }', 'a[R]=x', '40009 request/body/a/R must be integer'],
    [COLOR, '{ a: { explode: false } }', 'a=R', '40009 request/body/a must be written in the style'],
    [COLOR, '{ a: { explode: false } }', 'a=R,1&a=R,1', '40009 request/body/a must not be sent twice'],
    [COLOR, '{}', 'id=%', '40009 request/body/id has a malformed percent-encoding'],
    ['{}', '{}', `${LONG}=1&${LONG}=2`, `40009 request/body/${LONG.slice(0, 194)}... must not be sent twice`],
    [MAP, '{ a: { style: deepObject } }', `a[${LONG}]=1&a[${LONG}]=2`, `must not have ${LONG.slice(0, 200)}... twice`],
    [
      COLOR,
      '{ a: { contentType: application/json } }',
      'a={"R":9223372036854775808}',
      '40009 request/body/a/R must be',
    ],
  ])('400: %s %s %s', async (field, encoding, text, message) => {
    await expect(sendFields(field, encoding, text)).resolves.toEqual(expect.stringContaining(message));
  });
});

test('a field whose schema refers to itself through allOf, anyOf or oneOf is a mistake', () => {
  const loop = '{ anyOf: [{ $ref: "#/components/schemas/Loop" }, { type: string }] }';
  const schema = '{ type: object, properties: { a: { $ref: "#/components/schemas/Loop" } } }';
  const members = `requestBody: { content: { multipart/form-data: { schema: ${schema} } } }`;
  const contract = contractWith({ members, schemas: { Loop: loop } });
  expect(() => loadText(contract)).toThrow('refers to itself for the same value');
});

const FORMS = readFileSync('packages/test-support/fixtures/forms.yaml', 'utf8');

// One of each way to make a schema of others, in OpenAPI 3.1, where bytes have a media type and no format.
const COMPOSED = FORMS.replace('3.0.3', '3.1.0').replace(
  /schema: \{ \$ref: '#\/components\/schemas\/Form' \}\n(.*\n){3}/,
  `schema:
              allOf: [{ type: object, required: [icon], properties: { icon: { contentMediaType: image/png } } }]
              anyOf:
                - { type: object, required: [a], properties: { a: { type: string, format: binary } } }
                - { type: object, required: [b], properties: { b: { type: array, items: { contentMediaType: image/png } } } }
              oneOf:
                - { type: object, required: [c], properties: { c: { type: object } } }
                - { type: object, required: [d], properties: { d: { type: array } } }
`,
);

type Sent = Readonly<Record<string, unknown>>;

async function serve(source = FORMS): Promise<Served & { readonly seen: Sent[]; readonly url: URL }> {
  const seen: Sent[] = [];
  const served = await serveText(source, {
    sendForm: async ({ body }, reply) => {
      const members = Object.entries(body as Sent).map(async ([name, value]) => [name, await show(value)] as const);
      seen.push(Object.fromEntries(await Promise.all(members)));
      return reply(204);
    },
  });
  return { ...served, seen, url: new URL('/forms', served.base) };
}

async function show(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(show));
  if (!(value instanceof File)) return value;
  return { file: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()).toString('latin1') };
}

function formOf(...parts: readonly (readonly [name: string, value: string | Blob, fileName?: string])[]): FormData {
  const form = new FormData();
  for (const [name, value, fileName] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, fileName);
  }
  return form;
}

async function send(
  body: FormData | string | Buffer<ArrayBuffer>,
  type?: string,
  source?: string,
): Promise<{ status: number; message: string; seen: Sent | undefined }> {
  await using served = await serve(source);
  const headers = type === undefined ? {} : { 'Content-Type': type };
  const reply = await fetch(served.url, { method: 'POST', body, headers });
  const text = await reply.text();
  const { message = '' } = (text === '' ? {} : JSON.parse(text)) as { message?: string };
  return { status: reply.status, message, seen: served.seen[0] };
}

/** A form that is refused with a message, and does not reach the handler. */
async function expectRefusal(sent: ReturnType<typeof send>, message: string): Promise<void> {
  const told = expect.stringContaining(message) as string;
  expect(await sent).toMatchObject({ status: 400, message: told, seen: undefined });
}

const PNG = new Blob([Buffer.from([0, 255, 13, 10])], { type: 'image/png' });
const toFile = (file: string): object => ({ file, type: 'image/png', bytes: '\0\xff\r\n' });
const ID = ['id', '1'] as const;
const JSON_BLOB = new Blob(['{"id":2}'], { type: 'application/json' });
const CSS = new Blob(['a'], { type: 'text/css' });

test.each([
  ['an int64', [['id', '9007199254740993']], { id: 9007199254740993n }],
  ['a text', [ID, ['name', 'Grüß']], { id: 1n, name: 'Grüß' }],
  ['a text that has U+FFFD', [ID, ['name', 'a\ufffd']], { id: 1n, name: 'a\ufffd' }],
  ['a boolean', [ID, ['isOpen', 'true']], { id: 1n, isOpen: true }],
  ['a list', [ID, ['tags', 'a,b'], ['tags', '1']], { id: 1n, tags: ['a,b', '1'] }],
  ['a list of one', [ID, ['tags', 'a']], { id: 1n, tags: ['a'] }],
  ['a list as JSON', [ID, ['sizes', '[9007199254740993]']], { id: 1n, sizes: [9007199254740993n] }],
  ['a list of parts of JSON', [ID, ['sizes', '1'], ['sizes', '2']], { id: 1n, sizes: [1n, 2n] }],
  ['an object', [ID, ['owner', '{"id":9007199254740993,"a":1}']], { id: 1n, owner: { id: 9007199254740993n } }],
  ['an object as a Blob', [ID, ['owner', JSON_BLOB, 'blob']], { id: 1n, owner: { id: 2n } }],
  ['a file', [ID, ['file', PNG, 'a.png']], { id: 1n, file: toFile('a.png') }],
  ['a path', [ID, ['file', PNG, '../../etc/passwd']], { id: 1n, file: toFile('passwd') }],
  ['a file of a type', [ID, ['photo', PNG, 'ü.png']], { id: 1n, photo: toFile('ü.png') }],
  ['files', [ID, ['files', PNG, 'a']], { id: 1n, files: [toFile('a')] }],
  ['parts that are not declared', [ID, ['other', 'a'], ['__proto__', 'b'], ['more', PNG, 'a']], { id: 1n }],
] as const)('a form may have %s', async (_, parts, seen) => {
  expect(await send(formOf(...parts))).toEqual({ status: 204, message: '', seen });
});

test.each([
  ['without what is required', [['name', 'a']], "request/body must have required property 'id'"],
  ['of another type', [['id', 'a']], 'request/body/id must be'],
  [
    'beyond int64',
    [['id', '9223372036854775808']],
    'body/id must be an integer from -9223372036854775808 to 9223372036854775807',
  ],
  ['twice', [ID, ID], 'request/body/id must not be sent twice'],
  ['too many items', [ID, ['tags', '1'], ['tags', '2'], ['tags', '3']], 'body/tags must NOT have more than 2 items'],
  ['too long', [ID, ['name', 'abcdef']], 'request/body/name must NOT have more than 5 characters'],
  ['no JSON', [ID, ['owner', '{']], 'JSON'],
  ['a text in a Blob that is no UTF-8', [ID, ['name', new Blob([Buffer.from([255])]), 'a']], 'UTF-8'],
  ['an object without what it requires', [ID, ['owner', '{}']], "request/body/owner must have required property 'id'"],
  [
    'a file of another type',
    [ID, ['photo', CSS, 'a']],
    'request/body/photo must be of the media type image/png or image/x-*',
  ],
  ['too many files', [ID, ...['a', 'b', 'c'].map((name) => ['files', PNG, name] as const)], 'more than 2 items'],
] as const)('400 for a form that is or has: %s', async (_, parts, message) => {
  await expectRefusal(send(formOf(...parts)), message);
});

const BOUNDARY = 'multipart/form-data; boundary=x';
const HEAD = '--x\r\nContent-Disposition: form-data; name="id"\r\n';
const END = '\r\n1\r\n--x--';
const MALFORMED = 'the headers of a part are malformed';
const UNNAMED = 'a part has no name';
const LATIN_NAME = HEAD.replace('"id"', "a; filename*=iso-8859-1''a");
const PARTS = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(60_000);

test.each([
  ['no boundary', `${HEAD}${END}`, 'needs a boundary of 1 to 70', 'multipart/form-data'],
  ['another boundary', `${HEAD}${END}`, 'the closing boundary is missing', 'multipart/form-data; boundary=y'],
  ['71 characters', `${HEAD}${END}`, 'needs a boundary of 1 to 70', `multipart/form-data; boundary=${'x'.repeat(71)}`],
  ['nothing', 'a', 'the closing boundary is missing'],
  ['no end', `${HEAD}\r\n1`, 'the closing boundary is missing'],
  ['no end of a file', `${HEAD.replace('"id"', '"file"; filename="a"')}\r\n1`, 'the closing boundary is missing'],
  ['no name', `${HEAD.replace('; name="id"', '')}${END}`, UNNAMED],
  ['huge headers', `${HEAD}A: ${'a'.repeat(20_000)}\r\n${END}`, 'do not end within 16 kB'],
  ['many headers', `${HEAD}${'A: a\r\n'.repeat(100_000)}${END}`, 'do not end within 16 kB'],
  ['a boundary that goes on', `${HEAD}\r\n1\r\n--xy\r\n`, 'a boundary must be followed by a line break'],
  ['a boundary that goes on after a space', `${HEAD}\r\n1\r\n--x y\r\n`, 'a boundary must be followed by a line break'],
  ['a boundary and white space at the end', `${HEAD}\r\n1\r\n--x  `, 'a boundary must be followed by a line break'],
  ['headers without a colon', `${HEAD}A\r\n${END}`, MALFORMED],
  ['a header with a control character', `${HEAD}A: \0\r\n${END}`, MALFORMED],
  ['no headers', `--x\r\n${END}`, MALFORMED],
  ['no Content-Disposition', `--x\r\nA: a\r\n${END}`, UNNAMED],
  ['an attachment', `${HEAD.replace('form-data', 'attachment')}${END}`, UNNAMED],
  ['an empty name', `${HEAD.replace('"id"', '""')}${END}`, UNNAMED],
  ['a name without its end', `${HEAD.replace('id"', 'id')}${END}`, 'content-disposition of a part is malformed'],
  ['two names', `${HEAD}${HEAD.slice(5)}${END}`, 'content-disposition of a part is malformed or repeated'],
  ['an empty Content-Type', `${HEAD}Content-Type:\r\n${END}`, 'content-type of a part is malformed'],
  [
    'an unknown charset',
    `${HEAD}Content-Type: text/plain; charset=none\r\n${END}`,
    'a charset that the server does not know',
  ],
  ['a filename* in Latin-1', `${LATIN_NAME}${END}`, 'filename* of a part is not'],
  ['a malformed filename*', `${HEAD.replace('"id"', "a; filename*=utf-8''%FF")}${END}`, 'filename* of a part is not'],
  ['60,000 parts', `${PARTS}--x--`, 'it has more than 1000 parts'],
])('400 for a malformed form: %s', async (_, body, message, type = BOUNDARY) => {
  await expectRefusal(send(body, type), message);
});

test.each([
  ['the bytes of a form', `${HEAD.replace('id', 'name')}\r\n\xff\r\n--x--`],
  ['the name of a part', `${HEAD.replace('id', '\xff')}${END}`],
  [
    'a text, though another one is what it would be with U+FFFD',
    `${HEAD}\r\n1\r\n${HEAD.replace('id', 'other')}\r\na\xef\xbf\xbd\r\n${HEAD.replace('id', 'name')}\r\na\xff\r\n--x--`,
  ],
])('400 where it is not UTF-8: %s', async (_, body) => {
  await expectRefusal(send(Buffer.from(body, 'latin1'), BOUNDARY), 'UTF-8');
});

test.each([
  ['utf-8', Buffer.from('ü')],
  ['ISO-8859-1', Buffer.from('ü', 'latin1')],
  ['utf-16le', Buffer.from('ü', 'utf16le')],
])('a text of the charset that the part says: %s', async (charset, text) => {
  const head = `${HEAD}\r\n1\r\n${HEAD.replace('id', 'name')}Content-Type: text/plain; charset=${charset}\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), text, Buffer.from('\r\n--x--')]);
  expect(await send(body, BOUNDARY)).toMatchObject({ status: 204, seen: { name: 'ü' } });
});

test.each([
  ['without a filename', 'Content-Disposition: form-data; name="file"\r\nContent-Type: text/a; charset=x', ''],
  ['of bytes', 'Content-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream', ''],
  ['with an empty filename', 'Content-Disposition: form-data; name="file"; filename=""', ''],
  ['in a folder above', 'Content-Disposition: form-data; name="file"; filename=".."', ''],
  ['in a folder of Windows', 'Content-Disposition: form-data; name="file"; filename="C:\\a\\b.c"', 'b.c'],
  ['whose name has a backslash', 'Content-Disposition: form-data; name="file"; filename="a\\\\b\\c"', 'c'],
  [
    'whose names are escaped as browsers do',
    'Content-Disposition: form-data; name="f%69le"; filename="a%22%0d%0A%2F%41"\r\nX: "%22"'.replace('%69', 'i'),
    'a"\r\n%2F%41',
  ],
  ['with quotation marks', 'content-disposition: FORM-DATA ; Name=file;filename="a\\"b;c"', 'a"b;c'],
  [
    'with a filename*',
    `content-disposition: form-data; filename=a; filename*=UTF-8'de'%C3%BC%2F%C3%A4; name=file`,
    'ä',
  ],
  ['with a header in two lines', 'Content-Disposition: form-data;\r\n name="file";\r\n\tfilename=a', 'a'],
])('a file %s', async (_, head, file) => {
  const body = `a preamble\r\n${HEAD}\r\n1\r\n--x\r\n${head}\r\n\r\na\r\n-x\r\n--x--\r\nan epilogue`;
  const { status, seen } = await send(body, BOUNDARY);
  expect([status, seen?.['file']]).toMatchObject([204, { file, bytes: 'a\r\n-x' }]);
});

test.each([
  ['in the boundary', '', 'multipart/form-data; boundary="\\x"'],
  ['in the media type of a part', 'Content-Type: text/plain; charset="utf\\-8"; x="\\""\r\n', BOUNDARY],
])('a backslash in quotes stands for the next character %s', async (_, header, type) => {
  const body = `${HEAD}\r\n1\r\n${HEAD.replace('id', 'name')}${header}\r\nü\r\n--x--`;
  expect(await send(body, type)).toMatchObject({ status: 204, seen: { name: 'ü' } });
});

test('white space may follow each boundary', async () => {
  const body = `--x \t${HEAD.slice(3)}\r\n1\r\n${HEAD.replace('--x', '--x\t').replace('id', 'name')}\r\na \r\n--x-- \r\n`;
  expect(await send(body, BOUNDARY)).toMatchObject({ status: 204, seen: { id: 1n, name: 'a ' } });
});

test('a part may be empty, with or without an empty line', async () => {
  const body = `${HEAD}\r\n1\r\n${HEAD.replace('id', 'name')}\r\n\r\n${HEAD.replace('id', 'tags')}\r\n--x--`;
  expect(await send(body, BOUNDARY)).toMatchObject({ status: 204, seen: { id: 1n, name: '', tags: [''] } });
});

describe('a form of a schema that is made of others', () => {
  const FILE = toFile('f');
  const ICON = ['icon', PNG, 'f'] as const;

  test.each([
    [[ICON, ['a', PNG, 'f'], ['c', '{"e":[1]}']], { icon: FILE, a: FILE, c: { e: [1] } }],
    [[ICON, ['b', PNG, 'f'], ['d', '1'], ['d', 'e']], { icon: FILE, b: [FILE], d: ['1', 'e'] }],
  ] as const)('is read by all of them: %#', async (parts, seen) => {
    expect(await send(formOf(...parts), undefined, COMPOSED)).toEqual({ status: 204, message: '', seen });
  });

  test.each([
    ['no alternative', [ICON, ['c', '{}']], "request/body must have required property 'a'"],
    ['two alternatives', [ICON, ['a', PNG, 'f'], ['c', '{}'], ['d', '1']], 'must match exactly one schema in oneOf'],
  ] as const)('400 where %s fits', async (_, parts, message) => {
    await expectRefusal(send(formOf(...parts), undefined, COMPOSED), message);
  });
});

describe('the forms of recorded-forms.json', () => {
  interface Recorded {
    /** What a handler has to get from each form; the bytes of a file are in Latin-1. */
    readonly forms: readonly Sent[];
    /** The requests of each client, one for each form, as their Content-Type and body; the bytes are in Latin-1. */
    readonly clients: Readonly<Record<string, readonly string[]>>;
  }
  const { forms, clients } = JSON.parse(readFileSync(join(__dirname, 'recorded-forms.json'), 'utf8')) as Recorded;
  const file = '{ type: string, format: binary }';
  const files = Object.fromEntries(forms.flatMap((form) => Object.keys(form).map((name) => [name, file])));
  const schemas = { ...files, text: '{ type: string }', many: `{ type: array, items: ${file} }` };
  const properties = Object.entries(schemas).map(([name, schema]) => `${JSON.stringify(name)}: ${schema}`);
  const schema = `{ type: object, properties: { ${properties.join(', ')} }, additionalProperties: false }`;
  const members = `requestBody: { content: { multipart/form-data: { schema: ${schema} } } }`;
  const source = contractWith({ path: '/forms', members }).replace('operationId: a', 'operationId: sendForm');

  test.each(Object.entries(clients))('a handler gets the names and the bytes that %s sent', async (_, requests) => {
    expect(requests).toHaveLength(forms.length);
    for (const [index, form] of forms.entries()) {
      const [, type = '', body = ''] = /^Content-Type: (.*)\r\n\r\n([^]*)$/.exec(requests[index] ?? '') ?? [];
      const { status, seen } = await send(Buffer.from(body, 'latin1'), type, source);
      expect([status, seen]).toMatchObject([204, form]);
      expect(Object.keys(seen ?? {}).sort()).toEqual(Object.keys(form).sort());
    }
  });
});

test('a form with files that is larger than a body may be is refused, and so is one whose client goes away', async () => {
  const large = new Blob([Buffer.alloc(5 * 1024 ** 2)]);
  expect(await send(formOf(ID, ['file', large, 'a']))).toMatchObject({ status: 400, seen: undefined });
  await using served = await serve();
  const client = connect(served.port, '127.0.0.1');
  const head = `POST /forms HTTP/1.1\r\nHost: a\r\nContent-Type: ${BOUNDARY}\r\nContent-Length: 500\r\n\r\n`;
  client.write(`${head}${HEAD}`);
  await once(served.server, 'request');
  client.resetAndDestroy();
  await until(() => served.outcomes.length === 1);
  expect([served.outcomes[0]?.isAborted, served.seen]).toEqual([true, []]);
});
