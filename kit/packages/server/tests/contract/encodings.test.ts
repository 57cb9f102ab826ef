// Each cell of the table in docs/contract.md about the Encoding Object.
import { createFindUsers, createToPointer, parseYaml, readOperations, type Document } from '@contract-kit/contract';
import { loadText } from '@contract-kit/test-support/load-text';
import { contractWith, serveOperation, type OperationParts } from '@contract-kit/test-support/serve-operation';
import { readTable } from '@contract-kit/test-support/walk-page';

interface Row {
  /** The schema of the property f. */
  readonly schema: string;
  readonly encodings: string;
  /** What has an effect or not, below the encodings. */
  readonly field: string;
  /** The pairs or parts of a request: what an `@` precedes is a file. */
  readonly sent: Readonly<Record<string, string>>;
  /** What a handler gets where the field has an effect. */
  readonly served?: object;
  /** What it gets otherwise. */
  readonly otherwise?: object;
}

const STRINGS = '{ type: array, items: { type: string } }';
const POINT = '{ type: object, properties: { x: { type: string } } }';

const ROWS: Readonly<Record<string, Row>> = {
  '`contentType`': {
    schema: '{ type: string }',
    encodings: '{ f: { contentType: application/json } }',
    field: 'f/contentType',
    sent: { f: '"a"' },
    served: { f: 'a' },
  },
  '`headers`': {
    schema: '{ type: string }',
    encodings: '{ f: { headers: { X-Part: { required: true, schema: { type: integer } } } } }',
    field: 'f/headers',
    sent: { f: 'a' },
    otherwise: { f: 'a' },
  },
  '`style`': {
    schema: POINT,
    encodings: '{ f: { style: deepObject } }',
    field: 'f/style',
    sent: { 'f[x]': '4' },
    served: { f: { x: '4' } },
    otherwise: {},
  },
  '`explode`': {
    schema: STRINGS,
    encodings: '{ f: { explode: false } }',
    field: 'f/explode',
    sent: { f: 'a,b' },
    served: { f: ['a', 'b'] },
    otherwise: { f: ['a,b'] },
  },
  '`allowReserved`': {
    schema: POINT,
    encodings: '{ f: { allowReserved: true } }',
    field: 'f/allowReserved',
    sent: { x: 'a+b' },
    served: { f: { x: 'a+b' } },
    otherwise: {},
  },
  '`contentType` with `style`': {
    schema: '{ type: string }',
    encodings: '{ f: { style: form, contentType: application/json } }',
    field: 'f/contentType',
    sent: { f: '"a"' },
    served: { f: 'a' },
    otherwise: { f: '"a"' },
  },
  '`style` of a property that may be a file': {
    schema: '{ type: string, format: binary }',
    encodings: '{ f: { style: form } }',
    field: 'f/style',
    sent: { f: '@a' },
    served: { f: '@a' },
    otherwise: { f: 'a file: @a' },
  },
  '`style: deepObject` or `...Delimited` of a scalar': {
    schema: '{ type: integer }',
    encodings: '{ f: { style: spaceDelimited } }',
    field: 'f/style',
    sent: { f: '1' },
    otherwise: { f: 1 },
  },
  'any field of a property that the schema does not declare': {
    schema: '{ type: string }',
    encodings: '{ g: { contentType: application/json } }',
    field: 'g',
    sent: { f: 'a', g: '{}' },
    otherwise: { f: 'a' },
  },
  '`encoding`, `prefixEncoding`, `itemEncoding`': {
    schema: '{ type: string }',
    encodings: '{ f: { prefixEncoding: [] } }',
    field: 'f/prefixEncoding',
    sent: {},
  },
};

const NO_ROW: Row = { schema: '', encodings: '', field: '', sent: {} };

const URLENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

/** The media types and the versions of a column. */
const COLUMNS: Readonly<Record<string, readonly [types: readonly string[], versions: readonly string[]]>> = {
  'URL-encoded form': [[URLENCODED], ['3.0.3', '3.1.0', '3.2.0']],
  '`multipart/form-data`, 3.0': [[MULTIPART], ['3.0.3']],
  '`multipart/form-data`, 3.1 and 3.2': [[MULTIPART], ['3.1.0', '3.2.0']],
  'any other request': [
    ['multipart/mixed', 'application/json', 'text/csv'],
    ['3.0.3', '3.1.0', '3.2.0'],
  ],
  'a reply': [
    [MULTIPART, URLENCODED, 'application/json'],
    ['3.0.3', '3.1.0', '3.2.0'],
  ],
};

// A sentence below the table describes these.
const OTHER_COLUMNS = ['any other request', 'a reply'];
const [[, ...formColumns] = [], ...rows] = readTable('docs/contract.md', 'Encodings');
const columns = [...formColumns, ...OTHER_COLUMNS];
const CELLS = rows.flatMap(([name = '', ...cells]) =>
  [...cells, name.includes('`prefixEncoding`') ? 'refused' : 'no effect', 'no effect'].flatMap((cell, index) => {
    const column = String(columns[index]);
    const [types = [], versions = []] = COLUMNS[column] ?? [];
    return types.flatMap((type) => versions.map((version) => [name, column, type, version, cell] as const));
  }),
);

function operationOf({ schema, encodings }: Row, column: string, type: string, version: string): OperationParts {
  const form = `{ type: object, properties: { f: ${schema} } }`;
  const content = `content: { ${type}: { schema: ${form}, encoding: ${encodings} } }`;
  if (column === 'a reply') return { version, responses: `'200': { description: Any., ${content} }` };
  return { version, members: `requestBody: { ${content} }` };
}

/** What a handler gets of a form. */
async function send(parts: OperationParts, type: string, sent: Row['sent']): Promise<unknown> {
  await using served = await serveOperation(parts);
  const form = new FormData();
  for (const [name, text] of Object.entries(sent))
    form.append(name, text.startsWith('@') ? new File([text], 'a.bin') : text);
  const body =
    type === MULTIPART
      ? form
      : Object.entries(sent)
          .map((pair) => pair.join('='))
          .join('&');
  const headers: Record<string, string> = type === MULTIPART ? {} : { 'Content-Type': type };
  const reply = await fetch(new URL('/a', served.base), { method: 'POST', headers, body });
  expect([reply.status, await reply.text()]).toEqual([204, '']);
  const seen = Object.entries(served.seen[0] as object) as [string, unknown][];
  const shown = seen.map(async ([name, value]) => [
    name,
    value instanceof File ? `a file: ${await value.text()}` : value,
  ]);
  return Object.fromEntries((await Promise.all(shown)) as [string, unknown][]) as unknown;
}

test('the table has the rows and columns that are tested', () => {
  expect(rows.map(([name]) => name)).toEqual(Object.keys(ROWS));
  expect(columns).toEqual(Object.keys(COLUMNS));
});

/** What the kit tells about a field of an encoding: that it is refused, or has no effect. */
function tell(source: string, encoding: string, field: string): string {
  const written = parseYaml(source, 'a.yaml') as Document;
  const { resolved, document, errors, unneeded } = readOperations(written);
  const toPointer = createToPointer([document, resolved]);
  const users = errors.map((error) => `${toPointer(error)} ${String(createFindUsers(resolved)(toPointer(error)))}`);
  // The error may be that of the whole Encoding Object.
  if ([field, 'f'].some((place) => users.join() === `${encoding}/${place} POST /a`)) return 'refused';
  const isUnused = unneeded.map(toPointer).some((one) => one === encoding || one === `${encoding}/${field}`);
  return isUnused ? 'no effect' : ['served', ...users].join(', ');
}

test.each(CELLS)('%s in %s: %s in OpenAPI %s: %s', async (...[name, column, type, version, cell]) => {
  const { [name]: row = NO_ROW } = ROWS;
  const parts = operationOf(row, column, type, version);
  const content = column === 'a reply' ? 'responses/200/content' : 'requestBody/content';
  const encoding = `#/paths/~1a/post/${content}/${type.replace('/', '~1')}/encoding`;
  const [effect] = cell.split(',');
  expect(tell(contractWith(parts), encoding, row.field)).toBe(effect);
  const isSent = effect !== 'refused' && [URLENCODED, MULTIPART].includes(type) && column !== 'a reply';
  const expected = { served: row.served, 'no effect': row.otherwise }[String(effect)];
  expect(isSent ? await send(parts, type, row.sent) : expected).toEqual(expected);
});

function multipart(schema: string, encodings: string): OperationParts {
  const form = `{ type: object, properties: { f: ${schema}, id: { type: string }, doc: { type: string, format: binary } } }`;
  return { members: `requestBody: { content: { ${MULTIPART}: { schema: ${form}, encoding: { f: ${encodings} } } } }` };
}

const INT64S = '{ type: array, items: { type: integer, format: int64 } }';

describe('in a multipart form', () => {
  test.each([
    [INT64S, '{ style: spaceDelimited, explode: false }', { f: '9007199254740993 2' }, { f: [9007199254740993n, 2n] }],
    [INT64S, '{ style: pipeDelimited, explode: false }', { f: '1|2' }, { f: [1n, 2n] }],
    [STRINGS, '{ style: spaceDelimited, explode: false }', { f: 'a+b%20c d' }, { f: ['a+b%20c', 'd'] }],
    [STRINGS, '{ explode: false }', { f: 'ü%2C,a&b=c' }, { f: ['ü%2C', 'a&b=c'] }],
    [`{ type: array, items: ${POINT} }`, '{ explode: false }', { f: '{"x":"a,b"},{}' }, { f: [{ x: 'a,b' }, {}] }],
    [POINT, '{ style: form }', { doc: '@d', x: '%20' }, { doc: 'a file: @d', f: { x: '%20' } }],
    ['{ type: object }', '{ style: form }', { id: '1', 'a b': '2', c: '@3' }, { id: '1', f: { 'a b': '2', c: '@3' } }],
    [POINT, '{ style: deepObject }', { 'f[x]': '@a', 'g[x]': '1' }, { f: { x: '@a' } }],
  ])('a field of %s is read in its style %s', async (schema, encodings, sent: Row['sent'], seen) => {
    await expect(send(multipart(schema, encodings), MULTIPART, sent)).resolves.toEqual(seen);
  });

  test.each([
    ['f', INT64S, 'a', 'request/body/f/0 must be integer'],
    ['f', STRINGS, '\xff', 'request/body/f must be UTF-8'],
    ['x', POINT, '\xff', 'request/body/x must be UTF-8'],
  ])('a wrong part %s of a field of %s with a style is named', async (name, schema, bytes, message) => {
    await using served = await serveOperation(multipart(schema, '{ style: form }'));
    const body = `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${bytes}\r\n--x--`;
    const headers = { 'Content-Type': `${MULTIPART}; boundary=x` };
    const reply = await fetch(new URL('/a', served.base), {
      method: 'POST',
      headers,
      body: Buffer.from(body, 'latin1'),
    });
    expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining(message)]);
  });
});

test.each([
  ['{ type: string }', '{ style: simple }', 'simple is not a style of query', 'f/style'],
  [STRINGS, '{ style: deepObject }', 'deepObject needs an object', 'f'],
  [`{ type: [string, object] }`, '{ style: form }', 'cannot be told apart', 'f'],
])('the schema %s with the encoding %s costs only its operation', (schema, encodings, message, place) => {
  for (const type of [MULTIPART, URLENCODED]) {
    const { members = '' } = multipart(schema, encodings);
    const source = contractWith({ members: members.replace(MULTIPART, type) });
    const pointer = `#/paths/~1a/post/requestBody/content/${type.replace('/', '~1')}/encoding/${place}`;
    expect(() => loadText(source)).toThrow(new RegExp(`${pointer.replaceAll(/[$.+]/g, '.')} .*${message}`));
    expect(createFindUsers(parseYaml(source, 'a.yaml') as Document)(pointer)).toEqual(['POST /a']);
  }
});
