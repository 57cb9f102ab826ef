// Whether a part of a form is a file, JSON, text or a list, whatever schemas the contract wraps it in.
import { loadText } from '@contract-kit/test-support/load-text';
import { contractWith, serveOperation, type OperationParts } from '@contract-kit/test-support/serve-operation';

const BINARY = '{ type: string, format: binary }';
const URI = '{ type: string, format: uri }';
const INT64 = '{ type: integer, format: int64 }';
const OBJECT = `{ type: object, required: [id], properties: { id: ${INT64} } }`;
const FILE_SCHEMAS = { Bytes: BINARY, Files: `{ type: array, maxItems: 2, items: ${BINARY} }` };
const BYTES = "{ $ref: '#/components/schemas/Bytes' }";
const FILES = "{ $ref: '#/components/schemas/Files' }";

const MULTIPART = 'multipart/form-data';
const URLENCODED = 'application/x-www-form-urlencoded';

const WHOLE_FORM = /^\{ (?:type: object, (?!required)\w+: |oneOf: \[\{ type: object, properties: )/;

/** A contract whose form has the property f, or is of a whole schema. */
function formOperation(schema: string, encoding = '{}', version = '3.1.0', type = MULTIPART): OperationParts {
  const form = WHOLE_FORM.test(schema) ? schema : `{ type: object, properties: { f: ${schema} } }`;
  const members = `requestBody: { content: { ${type}: { schema: ${form}, encoding: ${encoding} } } }`;
  return { version, members, schemas: FILE_SCHEMAS };
}

type Sent = string | Blob;

const PNG = new File([Buffer.from([0x89, 0xff])], 'a.png', { type: 'image/png' });
const CSV = new File(['a,b'], 'ü.csv', { type: 'text/csv' });
const UNNAMED_PNG = 'image/png without a filename';

/** What a handler gets of the parts f, or the message of the refusal. */
async function sendParts(operation: OperationParts, parts: readonly Sent[], type = MULTIPART): Promise<unknown> {
  let seen: unknown;
  await using served = await serveOperation(operation, async ({ body }, reply) => {
    seen = await show((body as Readonly<Record<string, unknown>> | undefined)?.['f']);
    return reply(204);
  });
  const response = await fetch(new URL('/a', served.base), { method: 'POST', ...toRequest(parts, type) });
  if (response.status === 204) return seen;
  const { message } = (await response.json()) as { message: string };
  return `${String(response.status)} ${message}`;
}

function toRequest(parts: readonly Sent[], type: string): RequestInit {
  const [first] = parts;
  const isHead = typeof first === 'string' && first.startsWith('Content-Disposition');
  if (first === UNNAMED_PNG || isHead) {
    const head = isHead ? first : 'Content-Disposition: form-data; name="f"\r\nContent-Type: image/png\r\n\r\n';
    return { body: `--x\r\n${head}a\r\n--x--`, headers: { 'Content-Type': 'multipart/form-data; boundary=x' } };
  }
  const body = new FormData();
  for (const part of parts) {
    if (typeof part === 'string') body.append('f', part);
    else body.append('f', part);
  }
  return {
    body: type === MULTIPART ? body : new URLSearchParams(parts.map((text) => ['f', text as string])),
  };
}

async function show(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(show));
  if (value instanceof File)
    return `${value.name} ${value.type} ${Buffer.from(await value.arrayBuffer()).toString('hex')}`;
  return typeof value === 'object' && value !== null ? { ...value } : value;
}

const PNG_SEEN = 'a.png image/png 89ff';
const CSV_SEEN = 'ü.csv text/csv 612c62';

test.each([
  ['allOf', `{ description: A picture., allOf: [${BYTES}] }`],
  ['allOf of a type and a format', '{ allOf: [{ type: string }, { format: binary }] }'],
  ['allOf around a reference to bytes, with a limit', `{ allOf: [${BYTES}, { maxLength: 1 }] }`],
  ['the same reference twice', `{ allOf: [${BYTES}, { allOf: [${BYTES}] }] }`],
  ['anyOf with null', `{ anyOf: [${BYTES}, { type: 'null' }] }`],
  ['oneOf with null', `{ oneOf: [{ contentMediaType: image/png }, { type: 'null' }] }`],
  ['a list of types', "{ type: [string, 'null'], format: binary }"],
  ['no type', '{ format: binary }'],
  ['contentEncoding: binary', '{ type: string, contentMediaType: image/png, contentEncoding: binary }'],
  ['contentEncoding: binary without a media type', '{ type: string, contentEncoding: binary }'],
  ['an empty schema', '{}'],
  ['true', 'true'],
  ['a reference', BYTES],
  ['alternatives that are both bytes', `{ oneOf: [${BYTES}, { contentMediaType: image/png, minLength: 1 }] }`],
  ['additionalProperties', `{ type: object, additionalProperties: ${BYTES} }`],
  ['additionalProperties: true', `{ type: object, additionalProperties: true }`],
  ['unevaluatedProperties', `{ type: object, properties: { a: {} }, unevaluatedProperties: ${BYTES} }`],
  ['patternProperties', `{ type: object, patternProperties: { '^f': { allOf: [${BYTES}] } } }`],
  ['the allOf of a form', `{ type: object, allOf: [{ properties: { f: { allOf: [${BYTES}] } } }] }`],
  [
    'a type and a format of two schemas of a form',
    `{ type: object, allOf: [{ properties: { f: { type: string } } }, { properties: { f: ${BYTES} } }] }`,
  ],
  [
    'a conditional schema of a form',
    `{ type: object, properties: { a: {} }, if: { required: [f] }, then: { properties: { f: ${BYTES} } } }`,
  ],
])('a part is a file where its schema has %s', async (_, schema) => {
  await expect(sendParts(formOperation(schema), [PNG])).resolves.toBe(PNG_SEEN);
});

test('a part is a file where it is nullable and a reference in OpenAPI 3.0', async () => {
  const operation = formOperation(`{ nullable: true, allOf: [${BYTES}] }`, '{}', '3.0.3');
  await expect(sendParts(operation, [PNG])).resolves.toBe(PNG_SEEN);
});

test.each([
  ['{}', 'image/png, image/jpeg', PNG_SEEN],
  ['{ type: string }', 'image/png', PNG_SEEN],
  ['{ type: string }', 'image/png, text/plain', PNG_SEEN],
  ['{ type: array, items: {} }', 'image/*', [PNG_SEEN]],
  ['{}', 'image/jpeg', '400 request/body/f must be of the media type image/jpeg'],
])('a part of the schema %s whose encoding has the type %s is a file', async (schema, contentType, seen) => {
  await expect(sendParts(formOperation(schema, `{ f: { contentType: '${contentType}' } }`), [PNG])).resolves.toEqual(
    seen,
  );
});

describe('the media type of a file', () => {
  const send = (contentType: string, type: string, schema = BINARY): Promise<unknown> => {
    const head = `Content-Disposition: form-data; name="f"; filename=a\r\nContent-Type: ${type}\r\n\r\n`;
    return sendParts(formOperation(schema, contentType === '' ? '{}' : `{ f: { contentType: '${contentType}' } }`), [
      head,
    ]);
  };

  test.each([
    ['', 'text/csv; charset=iso-8859-1', undefined],
    ['text/csv', 'Text/CSV; charset=iso-8859-1', 'text/csv; charset=iso-8859-1'],
    ['text/csv; header=present', 'text/csv; header=present', undefined],
    ['text/csv; header=present', 'text/csv; x=y;header="present"', undefined],
    ['text/csv; charset=utf-8', 'text/csv', undefined],
    ['text/csv; charset=utf-8', 'text/csv; charset=UTF8', undefined],
    ['application/pdf; profile="http://x/A,B", text/csv', 'application/pdf; profile="http://x/A,B"', undefined],
  ])('of the encoding %j may be %s', async (contentType, type, seen = type) => {
    expect(await send(contentType, type)).toBe(`a ${seen} 61`);
  });

  test.each([
    ['text/csv; header=present', 'text/csv', undefined],
    ['text/csv; header=present', 'text/csv; header=absent', undefined],
    ['text/plain; charset=utf-8', 'text/plain; charset=iso-8859-1', undefined],
    ['text/csv, text/plain; charset=utf-8', 'text/plain; charset=latin1', 'text/csv or text/plain; charset=utf-8'],
    [
      'application/pdf; profile="http://x/A"',
      'application/pdf; profile="http://x/a"',
      'application/pdf; profile=http://x/A',
    ],
  ])('of the encoding %j cannot be %s', async (contentType, type, names = contentType) => {
    expect(await send(contentType, type)).toBe(`400 request/body/f must be of the media type ${names}`);
  });
});

describe('where a file and a text both fit', () => {
  const EITHER = `{ oneOf: [${BINARY}, ${URI}] }`;

  test.each([
    [EITHER, [PNG], PNG_SEEN],
    [EITHER, [CSV], CSV_SEEN],
    [EITHER, [UNNAMED_PNG], ' image/png 61'],
    [EITHER, ['https://a.example/'], 'https://a.example/'],
    [`{ oneOf: [{ allOf: [${BYTES}] }, ${URI}] }`, ['https://a.example/'], 'https://a.example/'],
    [`{ oneOf: [{ anyOf: [${BYTES}, { format: binary }] }, ${URI}] }`, ['https://a.example/'], 'https://a.example/'],
    [
      `{ oneOf: [{ type: object, properties: { f: ${URI} } }, { type: object, properties: { f: { anyOf: [${BYTES}] } } }] }`,
      [PNG],
      PNG_SEEN,
    ],
    ['{}', ['a'], 'a'],
    [`{ type: array, items: ${EITHER} }`, [PNG, 'https://a.example/'], [PNG_SEEN, 'https://a.example/']],
    [
      `{ oneOf: [{ type: object, properties: { f: ${BINARY} } }, { type: object, properties: { f: ${URI} } }] }`,
      ['https://a.example/'],
      'https://a.example/',
    ],
  ] as const)('a part with a filename, or of bytes, is a file: %s %s', async (schema, parts, seen) => {
    await expect(sendParts(formOperation(schema), parts)).resolves.toEqual(seen);
  });

  test.each([
    [EITHER, ['no uri']],
    [`{ type: array, items: ${EITHER} }`, ['no uri']],
  ] as const)('400 for a text that the schema %s refuses', async (schema, parts) => {
    await expect(sendParts(formOperation(schema), parts)).resolves.toMatch(/^400 .* must match a schema in anyOf/);
  });

  test('a file or an object is a file with a filename, and otherwise JSON with its int64s', async () => {
    const operation = formOperation(`{ oneOf: [${BINARY}, ${OBJECT}] }`);
    await expect(sendParts(operation, [PNG])).resolves.toBe(PNG_SEEN);
    await expect(sendParts(operation, ['{"id":9007199254740993}'])).resolves.toEqual({ id: 9007199254740993n });
    await expect(sendParts(operation, ['{"a":1}'])).resolves.toContain('400');
  });
});

describe('a list', () => {
  test.each([
    ['null as well', `{ anyOf: [${FILES}, { type: 'null' }] }`, [PNG, CSV], [PNG_SEEN, CSV_SEEN]],
    ['one file of a reference', FILES, [PNG], [PNG_SEEN]],
    ['files in tuples', `{ type: array, prefixItems: [${BINARY}, ${BINARY}] }`, [PNG, CSV], [PNG_SEEN, CSV_SEEN]],
    ['files of any name', `{ type: object, additionalProperties: ${FILES} }`, [PNG, CSV], [PNG_SEEN, CSV_SEEN]],
    ['anything of any name', '{ type: object, additionalProperties: true }', [PNG, 'a'], [PNG_SEEN, 'a']],
    ['a file alone', `{ anyOf: [${BINARY}, ${FILES}] }`, [PNG], PNG_SEEN],
    ['files or one file', `{ anyOf: [${BINARY}, ${FILES}] }`, [PNG, CSV], [PNG_SEEN, CSV_SEEN]],
    ['files or a text', `{ type: [string, array], items: ${BINARY} }`, [PNG], [PNG_SEEN]],
    ['files or a text, as a text', `{ type: [string, array], items: ${BINARY} }`, ['a'], 'a'],
    [
      'JSON of names of a pattern',
      `{ type: object, patternProperties: { f: { type: array, items: ${OBJECT} } } }`,
      ['{"id":1}'],
      [{ id: 1n }],
    ],
    [
      'JSON as one part',
      `{ anyOf: [{ type: array, items: ${OBJECT} }, { type: 'null' }] }`,
      ['[{"id":1}]'],
      [{ id: 1n }],
    ],
    ['texts or JSON', `{ anyOf: [${OBJECT}, { type: array, items: { type: string } }] }`, ['"a"', '"b"'], ['a', 'b']],
  ] as const)('of a form may be %s', async (_, schema, parts, seen) => {
    await expect(sendParts(formOperation(schema), parts)).resolves.toEqual(seen);
  });

  test('of files that may be null keeps its rules', async () => {
    const operation = formOperation(`{ anyOf: [${FILES}, { type: 'null' }] }`);
    await expect(sendParts(operation, [PNG, PNG, PNG])).resolves.toMatch(/^400/);
  });

  const LIST = '{ type: array, items: { type: string } }';
  const SHAPES = [
    ["{ type: [array, 'null'], items: { type: string } }", ['1'], ['1']],
    ["{ type: [array, 'null'], items: { type: string } }", ['1', '2'], ['1', '2']],
    ["{ type: array, items: { type: [string, 'null'] } }", ['1', '2'], ['1', '2']],
    [`{ anyOf: [${LIST}, { type: 'null' }] }`, ['1', '2'], ['1', '2']],
    [`{ allOf: [${LIST}], description: Names. }`, ['1'], ['1']],
    [`{ oneOf: [{ type: string }, ${LIST}] }`, ['1'], '1'],
    [`{ oneOf: [{ type: string }, ${LIST}] }`, ['1', '2'], ['1', '2']],
    [`{ oneOf: [${INT64}, { type: array, items: ${INT64} }] }`, ['9007199254740993'], 9007199254740993n],
    ['{ anyOf: [{ type: number }, { type: array, items: { type: integer } }] }', ['1', '2'], [1, 2]],
    [`{ type: object, additionalProperties: ${LIST} }`, ['1'], ['1']],
    ['{ allOf: [{ type: integer }, { type: number }] }', ['1'], 1],
    ['{ allOf: [{ type: number }, { type: integer }] }', ['1'], 1],
    ['{ allOf: [{ type: integer }, { type: string }] }', ['a'], '400 request/body/f must be integer'],
    ['{ enum: [a, null] }', ['a'], 'a'],
    ['{ const: [a] }', ['a'], ['a']],
    ["{ const: 'a' }", ['a'], 'a'],
    ['{ minimum: 1 }', ['5'], 5],
    ['{ format: int32 }', ['5'], 5],
    ['{ enum: [1, 2, 3] }', ['2'], 2],
    ['{ const: true }', ['true'], true],
    ['{ items: { const: 5 } }', ['5', '5'], [5, 5]],
    ['{ contains: { const: a } }', ['a'], ['a']],
    ['{ format: date }', ['2000-01-01'], '2000-01-01'],
    ["{ type: 'null' }", ['a'], '400 request/body/f must be null'],
    ['{ type: string, contentMediaType: image/png, contentEncoding: base64 }', ['eA=='], 'eA=='],
    [`{ type: object, additionalProperties: ${OBJECT} }`, ['{"id":1}'], { id: 1n }],
  ] as const;

  test.each(SHAPES)('or a single value of the schema %s is sent in parts as %j', async (schema, parts, seen) => {
    await expect(sendParts(formOperation(schema), parts)).resolves.toEqual(seen);
  });

  test.each(SHAPES)('or a single value of the schema %s is sent in fields as %j', async (schema, parts, seen) => {
    const operation = formOperation(schema, '{}', '3.1.0', URLENCODED);
    await expect(sendParts(operation, parts, URLENCODED)).resolves.toEqual(seen);
  });
});

test('bytes in an application/x-www-form-urlencoded are text', async () => {
  const operation = formOperation(`{ anyOf: [${BINARY}, ${FILES}] }`, '{}', '3.1.0', URLENCODED);
  await expect(sendParts(operation, ['a'], URLENCODED)).resolves.toBe('a');
});

describe('an input of a page in which no file was chosen', () => {
  const UNCHOSEN = new File([], '', { type: 'application/octet-stream' });

  test.each([
    [BINARY, [UNCHOSEN], undefined],
    [FILES, [UNCHOSEN], undefined],
    [FILES, [UNCHOSEN, PNG], [PNG_SEEN]],
    [BINARY, [new File([], 'a')], 'a application/octet-stream '],
    ['{ type: string }', [new File([], '', { type: 'text/plain' })], ''],
  ] as const)('sends no file for the schema %s: %#', async (schema, parts, seen) => {
    await expect(sendParts(formOperation(schema), parts)).resolves.toEqual(seen);
  });

  test('does not send what is required', async () => {
    const operation = formOperation(`{ type: object, properties: { f: ${BINARY} }, required: [f] }`);
    await expect(sendParts(operation, [UNCHOSEN])).resolves.toContain("must have required property 'f'");
  });
});

test.each([
  [
    '{ anyOf: [{ type: integer }, { type: array, items: { type: string } }] }',
    '{}',
    'schema/properties/f a part of a form does not tell an array of one from a single value here',
  ],
  ['{ enum: [1, "2"] }', '{}', 'as text, the string 2 cannot be told from a number'],
  [
    '{ type: object }',
    '{ f: { contentType: application/xml } }',
    'schema/properties/f its encoding has the type application/xml',
  ],
  ['{ type: string }', '{ f: { contentType: png } }', 'encoding/f/contentType png is not a media type'],
  ['{ anyOf: [{ $ref: "#/components/schemas/Loop" }] }', '{}', 'Loop refers to itself for the same value'],
])('a form whose part has the schema %s with the encoding %s is a mistake', (schema, encoding, message) => {
  const operation = formOperation(schema, encoding);
  const loop = { Loop: "{ allOf: [{ $ref: '#/components/schemas/Loop' }] }" };
  expect(() => loadText(contractWith({ ...operation, schemas: loop }))).toThrow(message);
});
