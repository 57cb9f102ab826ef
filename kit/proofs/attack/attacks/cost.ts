// What a megabyte costs, by keyword, format, form and framing: at most 30 times what JSON.parse takes for as many bytes, with
// what the client takes. And what the largest bodies cost other requests.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { post, startStandIn, startTarget, type Attack, type Figure, type Target } from '../target';

const SIZE = 1_000_000;
const MOST = 30;
// What has run a few times is compiled, and the clock of a process has ticks of 10 ms.
const WARM_UPS = 3;
const TIMES = 5;
const PARSED = 20;
const PATIENCE_MS = 60_000;

interface Row {
  readonly name: string;
  /** Of the body; JSON unless it is given. */
  readonly type?: string;
  /** In the contract, in YAML: `schema`, or `itemSchema`. */
  readonly content: string;
  /** The schema N. */
  readonly schema?: string;
  readonly toBody: ToBody;
  /** Whether each byte comes in a chunk of its own: then SIZE is that of all bytes on the wire. */
  readonly isSplit?: boolean;
  /** Whether the bytes may be refused instead of accepted. */
  readonly isRefused?: boolean;
  /** The largest resident memory in MB, where it is bounded. */
  readonly memory?: number;
  /** In place of 30, where reasonable code cannot do with less. */
  readonly atMost?: number | undefined;
}

type ToText = (index: number) => string;
type ToBody = (size: number) => string;

function fill(size: number, toText: ToText, separator = ''): string {
  const parts: string[] = [];
  for (let length = 0; length < size; length += (parts.at(-1) ?? '').length + separator.length)
    parts.push(toText(parts.length));
  return parts.join(separator);
}
const list = (item: ToText | string) => (size: number) =>
  `[${fill(size, typeof item === 'string' ? () => item : item, ',')}]`;
const many = (count: number, toText: (index: string) => string): string =>
  Array.from({ length: count }, (_, index) => toText(String(index))).join();
const nest = (depth: number, [open, inner, end]: readonly [string, string, string]): string =>
  open.repeat(depth) + inner + end.repeat(depth);

const INT64 = 'type: integer, format: int64';
// Each number becomes a bigint, and is compared digit for digit; JSON.parse takes 5 ns for one.
const NUMBERS = 50;

/** The keyword, the schema of an item, the item, and the bound. */
const ITEM_RULES: readonly (readonly [string, string, ToText | string, number?])[] = [
  ['int64', INT64, '1', NUMBERS],
  ['int64 of 19 digits', INT64, (n) => `900719925474099${String(1000 + (n % 1000))}`, NUMBERS],
  ['int64 with an exponent', INT64, '1e3', NUMBERS],
  ['int64 with 197 zeros', INT64, `1.${'0'.repeat(197)}`, NUMBERS],
  ['int64 with a huge exponent', INT64, '0e999999999', NUMBERS],
  ['int64 of 1 MB', INT64, `1.${'0'.repeat(SIZE)}`, NUMBERS],
  ['int64 of 1 MB with an exponent', INT64, `1${'0'.repeat(SIZE)}e-${String(SIZE)}`, NUMBERS],
  ['uint64', 'type: integer, format: uint64', (n) => `1844674407370955${String(1000 + (n % 600))}`, NUMBERS],
  ['multipleOf', 'multipleOf: 0.01', '1234.56'],
  ['multipleOf of a huge number', 'multipleOf: 0.01', '1e300', NUMBERS],
  ['multipleOf of int64', `${INT64}, multipleOf: 7`, '7', NUMBERS],
  ['enum of int64', `${INT64}, enum: [${many(300, (n) => n)}]`, '299', NUMBERS],
  ['enum of texts', `enum: [${many(1000, (n) => `s${n}`)}]`, '"s999"'],
  ['enum of objects', `enum: [${many(200, (n) => `{ a: ${n} }`)}]`, '{"a":199}'],
  ['enum of texts and numbers', `enum: [${many(250, (n) => `${n},s${n}`)}]`, '249'],
  ['enum of texts and objects', `enum: [${many(250, (n) => `{ a: ${n} },s${n}`)}]`, '"s249"'],
  ['not', 'not: { type: string }', '1'],
  ['oneOf', `oneOf: [${many(20, (n) => `{ type: object, required: [p${n}] }`)}]`, '{"p19":1}'],
  [
    'oneOf with tags',
    `oneOf: [${many(50, (n) => `{ required: [t], properties: { t: { const: k${n} } } }`)}]`,
    '{"t":"k9"}',
  ],
  ['pattern', 'type: string, pattern: "^[a-z]{1,10}$"', '"ab"'],
];

/** The same for a list of items. */
const LIST_RULES: typeof ITEM_RULES = [
  ...ITEM_RULES.map(([name, schema, ...others]) => [name, `items: { ${schema} }`, ...others] as const),
  ['uniqueItems of texts', 'uniqueItems: true', (n) => `"${String(n)}"`],
  ['uniqueItems of objects', 'uniqueItems: true', (n) => `{"a":${String(n)},"b":[${String(n)}]}`],
  ['uniqueItems of lists', 'uniqueItems: true', (n) => `[[${String(n)}]]`],
  ['uniqueItems of a deep list', 'uniqueItems: true', (n) => nest(n === 0 ? 1500 : 1, ['[', String(n), ']'])],
  ['uniqueItems of fractions', 'uniqueItems: true', (n) => `${String(n)}.0`, NUMBERS],
  ['uniqueItems in it', 'uniqueItems: true, items: { type: array, uniqueItems: true }', (n) => `[[${String(n)}]]`],
  ['contains', 'contains: { type: string }, minContains: 0, maxContains: 5', '1'],
  ['maxContains', 'contains: { type: integer }, maxContains: 10000000', '1'],
  // Each item is judged again, to find which are contained.
  ['unevaluatedItems', 'contains: { type: integer }, unevaluatedItems: { type: string }', '1', 150],
  [
    'unevaluatedItems of others',
    'contains: { const: 1 }, unevaluatedItems: { type: string }',
    (n) => (n === 0 ? '1' : '"a"'),
    50,
  ],
];

/** The keyword, the schema of an object with 80,000 properties, and the bound. */
const OBJECT_RULES: readonly (readonly [string, string, number?])[] = [
  ['unevaluatedProperties', 'patternProperties: { ^k: { type: integer } }, unevaluatedProperties: false'],
  [
    'unevaluatedProperties and patterns',
    `patternProperties: { ${many(50, (n) => `^k${n}x: {}`)} }, unevaluatedProperties: {}`,
  ],
  [
    'unevaluatedProperties and anyOf',
    'anyOf: [{ properties: { b: {} } }, { properties: { c: {} } }], unevaluatedProperties: {}',
  ],
  // Each of the 50 schemas counts the properties.
  ['dependentSchemas', `dependentSchemas: { ${many(50, (n) => `k${n}: { minProperties: 1 }`)} }`, 45],
  ['dependentRequired', 'dependentRequired: { k0: [k1, k2] }'],
  ['propertyNames', 'propertyNames: { pattern: "^[a-z0-9]+$" }'],
  ['additionalProperties of int64', `additionalProperties: { ${INT64} }`],
  ['patternProperties', `patternProperties: { ${many(30, (n) => `^k${n}x: { ${INT64} }`)} }`],
];

const referTo = (name: string): string => `{ $ref: "#/components/schemas/${name}" }`;
const N = referTo('N');
const A_OR_B = `anyOf: [{ properties: { a: ${N} } }, { properties: { b: ${N} } }]`;
const A_AND = `properties: { a: ${N}, i: { `;
const OBJECTS = ['{"a":', '{}', '}'] as const;
const LISTS = ['[', '1', ',2]'] as const;

/** The keyword, a schema N that refers to itself, what is nested, and the bound. */
const RECURSIVE: readonly (readonly [string, string, readonly [string, string, string], number?])[] = [
  ['uniqueItems', `anyOf: [{ type: integer }, { type: array, uniqueItems: true, items: ${N} }]`, LISTS, 45],
  ['const', `anyOf: [{ type: integer }, { type: array, items: ${N}, not: { const: [[1], 3] } }]`, LISTS, 45],
  ['contains', `anyOf: [{ type: integer }, { type: array, contains: ${N}, items: ${N} }]`, LISTS],
  ['oneOf', `oneOf: [{ properties: { a: ${N} }, required: [x] }, { properties: { a: ${N} } }]`, OBJECTS],
  ['patternProperties', `patternProperties: { "^a": ${N}, "a$": ${N} }`, OBJECTS],
  ['int64', `anyOf: [{ ${A_AND}${INT64} } } }, { ${A_AND}type: string } } }]`, ['{"i":1,"a":', '{}', '}']],
  ['default', `properties: { a: ${N}, i: { default: 4 } }, allOf: [{ properties: { a: ${N} } }]`, OBJECTS],
  // What is evaluated is found by judging the alternatives again.
  ['unevaluatedProperties', `${A_OR_B}, unevaluatedProperties: ${N}`, ['{"c":', '{}', '}'], 45],
  ['unevaluatedProperties of none', `${A_OR_B}, unevaluatedProperties: false`, OBJECTS, 45],
  [
    'if',
    `if: { properties: { a: ${N} } }, then: { properties: { b: ${N} } }, unevaluatedProperties: ${N}`,
    OBJECTS,
    45,
  ],
];

const KINDS = `[${['And', 'Or', 'Leaf'].map(referTo).join()}]`;
const BRANCH = `{ type: object, required: [op, args], properties: { op: { type: string }, args: { type: array, items: ${referTo('Tree')} } } }`;
const LEAF = '{ type: object, required: [op, is], properties: { op: { type: string }, is: { type: string } } }';
const toTrees = (keywords: string): string =>
  `{ type: array, items: ${referTo('Tree')} }, Tree: { ${keywords} }, And: ${BRANCH}, Or: ${BRANCH}, Leaf: ${LEAF}`;
const TAGGED = toTrees(`oneOf: ${KINDS}, discriminator: { propertyName: op }`);
const UNTAGGED = toTrees(`anyOf: ${KINDS}`);
const listTrees = (leaf: string): ToBody =>
  list(nest(100, ['{"op":"And","args":[', `{"op":"Leaf","is":${leaf}}`, ']}']));
const NESTS = `{ type: object, properties: { nests: { type: array, uniqueItems: true, items: ${N} } } }`;

/** What is nested, the schema N and those that it refers to, and the body. */
const NESTED: readonly (readonly [string, string, ToBody])[] = [
  ['filter trees with tags', TAGGED, listTrees('"x"')],
  ['wrong filter trees with tags', TAGGED, listTrees('5')],
  ['filter trees without tags', UNTAGGED, listTrees('"x"')],
  ['wrong filter trees without tags', UNTAGGED, listTrees('5')],
  // Comparing has to reach the end of both.
  ['two equal texts in deep lists', '{ uniqueItems: true }', list(nest(1000, ['[', `"${'a'.repeat(SIZE / 2)}"`, ']']))],
  ['text in lists', NESTS, (size) => nest(1000, ['{"nests":[', `{"a":"${'a'.repeat(size)}"}`, ',{}]}'])],
];

const FORM = 'multipart/form-data; boundary=x';
const FORM_SCHEMA =
  'schema: { type: object, properties: { a: { type: string }, f: { type: string, format: binary } } }';
const part = (text: string, head = 'name=a', boundary = 'x'): string =>
  `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
const DASHES = '-'.repeat(70);
const TEXT = 'name=a\r\nContent-Type: text/plain; charset=';
const inParts = (count: number, toPart: (index: string, size: number) => string) => (size: number) =>
  Array.from({ length: count }, (_, index) => toPart(String(index), size / count - 60)).join('');

const FORMS: readonly (readonly [string, ToBody, string?])[] = [
  ['a text', (size) => part('y'.repeat(size))],
  ['what is nearly a boundary', (size) => part('\r\n--'.repeat(size / 4), 'name=f; filename=q')],
  ['dashes', (size) => part('-'.repeat(size), 'name=f; filename=q', DASHES), DASHES],
  ['a preamble', (size) => '\r\n--'.repeat(size / 4) + part('y')],
  ['900 parts', inParts(900, (n, size) => part('y'.repeat(size), `name=n${n}`))],
  ['quoted names', inParts(900, (n, size) => part('', `name=n${n}; filename="${'\\"'.repeat(size / 2)}"`))],
  ['headers', inParts(250, (n, size) => part('', `name=n${n}${'\r\na:b'.repeat(size / 5)}`))],
  ['folds', inParts(250, (n, size) => part('', `name=n${n}${'\r\n '.repeat(size / 3)}`))],
  ['parameters', inParts(125, (n, size) => part('', `name=n${n}${fill(size, (k) => `; p${String(k)}="a"`)}`))],
  ['padding', (size) => part('y').replace('--x', `--x${' '.repeat(size)}`)],
  ['gb18030', (size) => part('y'.repeat(size), `${TEXT}gb18030`)],
  ['iso-2022-jp', (size) => part('\x1b(By'.repeat(size / 4), `${TEXT}iso-2022-jp`)],
];

const EVENTS = 'text/event-stream';
const ITEMS: readonly (readonly [string, string, string, number?])[] = [
  // Each item is judged by itself, and handed over by a promise.
  ['JSON Lines', 'application/jsonl', '1\n', 120],
  ['NDJSON', 'application/x-ndjson', '{"a":1}\n', 45],
  ['a JSON sequence', 'application/json-seq', '\x1e1\n', 80],
  ['events', EVENTS, 'data:1\n\n', 45],
  ['empty events', EVENTS, '\n\n'],
  ['events of carriage returns', EVENTS, '\r'],
  ['events of comments', EVENTS, ':\n'],
  ['events of data', EVENTS, 'data:\n'],
];

// How many bytes a chunk of one has on the wire. node:http alone takes 20 times what JSON.parse takes for them.
const WIRE = 6;
const SPLIT: readonly (readonly [string, string, string, ToBody, number?])[] = [
  ['heads of parts', FORM, FORM_SCHEMA, inParts(11, (n, size) => part('', `name=n${n}\r\nX-A: ${'y'.repeat(size)}`))],
  ['a text of a form', FORM, FORM_SCHEMA, (size) => part('y'.repeat(size))],
  ['JSON', 'application/json', 'schema: { type: string }', (size) => JSON.stringify('y'.repeat(size))],
  ['JSON Lines', 'application/jsonl', 'itemSchema: {}', (size) => `${JSON.stringify('y'.repeat(size))}\n`, 120],
  ['bytes', 'application/octet-stream', '', (size) => 'y'.repeat(size)],
];

const FORMATS =
  'email idn-email uri uri-reference iri iri-reference uri-template uuid date date-time time duration hostname idn-hostname ipv4 ipv6 json-pointer relative-json-pointer regex byte decimal media-range http-date char base64url sf-string sf-token sf-binary password';
const REPEATED = 'a a. a- %41 ( [ :: 1 / a@ é {a} \\ "a xn--a. . (a*)* ~0 T 1Y a, 0:'.split(' ');
const BEGINNINGS = [' ', '', ...'http:// P ^( " xn-- 1'.split(' ')];
const TEXTS = BEGINNINGS.flatMap((begin) => REPEATED.map((text) => [begin, text] as const));

const close = (body: string, boundary = 'x'): string => `${body}--${boundary}--\r\n`;

const ROWS: readonly Row[] = [
  ...LIST_RULES.map(([name, schema, item, atMost]) => ({
    name,
    content: `schema: { type: array, ${schema} }`,
    toBody: list(item),
    atMost,
  })),
  ...OBJECT_RULES.map(([name, schema, atMost]) => ({
    name,
    content: `schema: { type: object, ${schema} }`,
    toBody: (size: number) => `{${fill(size, (index) => `"k${String(index)}":1`, ',')}}`,
    atMost,
  })),
  ...RECURSIVE.map(([name, schema, nested, atMost]) => ({
    name: `${name} in itself, 800 times`,
    content: `schema: { type: array, items: ${N} }`,
    schema: `{ ${schema} }`,
    toBody: list(nest(800, nested)),
    atMost,
  })),
  ...NESTED.map(([name, schema, toBody]) => ({
    name: `nested ${name}`,
    type: 'application/json',
    content: `schema: ${N}`,
    schema,
    toBody,
    isRefused: true,
    memory: 400,
  })),
  {
    name: 'items that lack 30 properties with a default',
    content: `schema: { type: array, items: { properties: { ${many(30, (n) => `p${n}: { default: [] }`)} } } }`,
    toBody: list('{}'),
    isRefused: true,
    memory: 400,
  },
  // What most formats refuse is accepted by the other alternative. JSON.parse only copies a long text.
  ...FORMATS.split(' ').map((format) => ({
    name: `format ${format}`,
    content: `schema: { type: array, items: { anyOf: [{ type: string, format: ${format} }, {}] } }`,
    toBody: (size: number) =>
      JSON.stringify(TEXTS.map(([begin, text]) => begin + text.repeat((size * 3) / TEXTS.length / text.length))),
  })),
  ...FORMS.map(([name, toParts, boundary = 'x']) => ({
    name: `a form with ${name}`,
    type: `multipart/form-data; boundary="${boundary}"`,
    content: FORM_SCHEMA,
    toBody: (size: number) => close(toParts(size), boundary),
  })),
  ...ITEMS.map(([name, type, item, atMost]) => ({
    name: `a stream of ${name}`,
    type,
    content: `itemSchema: ${type === EVENTS ? '{ type: object }' : '{}'}`,
    toBody: (size: number) => item.repeat(size / item.length) + (type === EVENTS ? '\n\n' : ''),
    atMost,
  })),
  ...SPLIT.map(([name, type, content, toText, atMost = 60]) => ({
    name: `single bytes of ${name}`,
    type,
    content,
    toBody: (size: number) => (type === FORM ? close(toText(size / WIRE)) : toText(size / WIRE)),
    isSplit: true,
    atMost,
  })),
];

function toContract({ type = 'application/json', content, schema = '{}' }: Row): string {
  const body = `required: true, content: { ${type.replace(/;.*/, '')}: { ${content} } }`;
  return `openapi: 3.2.0
info: { title: Cost, version: 1.0.0 }
security: []
paths: { /a: { post: { operationId: readAll, requestBody: { ${body} }, responses: { '204': { description: Taken. } } } } }
components: { schemas: { N: ${schema} } }
`;
}

/** What a body needs on the wire. */
function toBytes({ type = 'application/json', isSplit = false, toBody }: Row, size: number): Buffer {
  const body = Buffer.from(toBody(size));
  const framing = isSplit ? 'Transfer-Encoding: chunked' : `Content-Length: ${String(body.length)}`;
  const head = `POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${type}\r\n${framing}\r\n\r\n`;
  if (!isSplit) return Buffer.concat([Buffer.from(head), body]);
  return Buffer.from(`${head}${body.toString('latin1').replace(/./gs, '1\r\n$&\r\n')}0\r\n\r\n`, 'latin1');
}

/** Whether the bytes are accepted, or refused where they may be; not while the service is overloaded by those before. */
async function send({ port }: Target, bytes: Buffer, isRefused = false): Promise<boolean> {
  let reply = '';
  const socket = connect(port, '127.0.0.1').on('data', (chunk) => (reply += chunk.toString()));
  socket.write(bytes);
  await once(socket, 'close', { signal: AbortSignal.timeout(PATIENCE_MS) });
  const [, status = ''] = /^HTTP\/1.1 (\d+)/.exec(reply) ?? [];
  if (!['204', '503', ...(isRefused ? ['400'] : [])].includes(status))
    throw new Error(reply.replace(/^.*\r\n\r\n/s, ''));
  return status !== '503';
}

/** Sends the bytes until they are accepted. Returns the seconds of CPU that this took, on both sides. */
async function measure(target: Target, row: Row, bytes: Buffer): Promise<number> {
  for (;;) {
    const [server, client] = [target.cpu(), process.cpuUsage()];
    if (await send(target, bytes, row.isRefused)) return target.cpu() - server + toSeconds(process.cpuUsage(client));
    await sleep(500);
  }
}

const toSeconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e6;

// Other bytes than JSON are compared with a list of small objects.
function parse({ type, toBody }: Row): number {
  const bytes = Buffer.from(type === undefined ? toBody(SIZE) : list('{"a":1}')(SIZE));
  const before = process.cpuUsage();
  for (let time = 0; time < PARSED; time++) JSON.parse(bytes.toString());
  return (toSeconds(process.cpuUsage(before)) / PARSED) * (SIZE / bytes.length);
}

const megabytes: readonly Attack[] = ROWS.map((row) => ({
  name: `a MB of ${row.name}`,
  async run() {
    using target = await startStandIn(toContract(row), [], { BODY_LIMIT: '4mb' });
    for (let time = 0; time < WARM_UPS; time++) await measure(target, row, toBytes(row, SIZE / 10));
    const bytes = toBytes(row, SIZE);
    let taken = 0;
    for (let time = 0; time < TIMES; time++) taken += await measure(target, row, bytes);
    const value = ((taken / TIMES) * (SIZE / bytes.length)) / parse(row);
    const cpu = { what: 'CPU', value, atMost: row.atMost ?? MOST, unit: 'times JSON.parse' };
    const memory = { what: 'memory', value: target.peakMemory(), unit: 'MB' };
    return row.memory === undefined ? [cpu] : [cpu, { ...memory, atMost: row.memory }];
  },
}));

const LARGEST = 4 * 1024 ** 2;
const ROOM = LARGEST - 100;
const wrap = (value: string): string => `{"id":9007199254740993,"name":"x","z":${value}}`;

const LARGEST_TEXTS: Readonly<Record<string, () => string>> = {
  numbers: () => wrap(list('1.5')(ROOM)),
  brackets: () => wrap(nest(ROOM / 2, ['[', '', ']'])),
  'distinct keys': () => wrap(`1,${fill(ROOM, (index) => `"k${index.toString(36)}":1`, ',')}`),
};

/** One body of the largest size, of what takes JSON.parse the longest. With one token. */
const largest: readonly Attack[] = Object.entries(LARGEST_TEXTS).map(([kind, toText]) => ({
  name: `a body of ${kind} at the largest BODY_LIMIT`,
  run: () => sendLargest(toText()),
}));

async function sendLargest(body: string): Promise<readonly Figure[]> {
  // As in a container of 512 MB.
  using target = await startTarget({ BODY_LIMIT: `${String(LARGEST)}b` }, ['--max-old-space-size=256']);
  await target.postPlant();
  const [memory, cpu] = [target.memory(), target.cpu()];
  const posted = post(target.url, { Connection: 'close' }, body).then(
    (status) => status === 200,
    () => false,
  );
  const waits: number[] = [];
  let isAnswered: boolean | undefined;
  // Which of them comes while the body is read is not known.
  while (isAnswered === undefined) {
    waits.push(await target.postPlant());
    isAnswered = await Promise.race([posted, sleep(0, undefined)]);
  }
  return [
    { what: 'not answered', value: isAnswered ? 0 : 1, atMost: 0, unit: 'bodies' },
    { what: 'longest of other requests', value: Math.max(...waits), atMost: 2, unit: 's' },
    { what: 'processor', value: target.cpu() - cpu, atMost: 2, unit: 's' },
    { what: 'memory', value: target.peakMemory() - memory, atMost: 300, unit: 'MB' },
    { what: 'process ended', value: target.process.child.exitCode === null ? 0 : 1, atMost: 0, unit: 'times' },
  ];
}

export const cost: readonly Attack[] = [...megabytes, ...largest];
