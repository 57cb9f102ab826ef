import request from 'supertest';
import { createRenderer } from '../../src/errors/create-renderer';
import type { ErrorToRender } from '../../src/errors/render';
import { toFaultRefusal } from '../../src/errors/refusal';
import { logOutcome } from '../../src/http/request-log';
import { createLog } from '../../src/runtime/log';
import { loadText } from '@contract-kit/test-support/load-text';
import { serveText, type Served } from '@contract-kit/test-support/serve-text';

const SCHEMAS = {
  Row: `{ type: object, additionalProperties: false, properties: { ${fields((name) => `${name}: { type: integer }`)} } }`,
  Order: `{ allOf: [{ $ref: '#/components/schemas/Party' }, { type: object, required: [id], properties: {
    id: { type: integer, format: int64 }, lines: { type: array, items: { $ref: '#/components/schemas/Line' } },
    'a/b~c': { type: boolean }, notes: { type: object, additionalProperties: { type: string } },
    codes: { type: object, patternProperties: { '^c-': { type: integer } } },
    size: { oneOf: [{ type: integer }, { type: string, enum: [small, large] }] } } }] }`,
  Party: '{ type: object, required: [name], properties: { name: { type: string, maxLength: 3 } } }',
  Line: '{ type: object, required: [count], properties: { count: { type: integer }, at: { type: string, format: date } } }',
  Nest: `{ type: object, properties: { in: { $ref: '#/components/schemas/Nest' }, b: { type: integer } } }`,
  Chain: `{ type: object, properties: { a: { type: integer }, in: { $ref: '#/components/schemas/Chain0' } } }`,
  ...Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [
      `Chain${String(index)}`,
      `{ allOf: [{ $ref: '#/components/schemas/Chain${index === 59 ? '' : String(index + 1)}' }] }`,
    ]),
  ),
  Tree: `{ type: object, properties: { id: { type: integer, format: int64 }, in: { $ref: '#/components/schemas/Tree' } } }`,
  Stock: '{ type: array, items: { type: integer, format: int64 }, uniqueItems: true }',
  Part: `{ type: object, properties: { part: { oneOf: [{ type: 'null' }, { $ref: '#/components/schemas/Bolt' }] } } }`,
  Bolt: '{ type: object, required: [size], properties: { kind: { type: string }, size: { type: integer } } }',
  Note: '{ type: object, properties: { id: { type: string, readOnly: true }, text: { type: string } } }',
  Choice: '{ oneOf: [{ type: integer }, { type: array }] }',
  Both: '{ oneOf: [{ minimum: 1 }, { maximum: 9 }] }',
  Some: '{ anyOf: [{ type: integer }, { type: array }] }',
  Not: '{ not: { type: string } }',
  If: '{ if: { type: string }, then: { maxLength: 1 }, else: false }',
  Nothing: '{ not: {} }',
  Closed: '{ type: object, allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }',
  Tuple: '{ type: array, prefixItems: [{}], unevaluatedItems: false }',
  Names: '{ type: object, propertyNames: { maxLength: 1 } }',
  Pair: '{ type: object, dependentRequired: { a: [b] } }',
  Hit: '{ type: array, contains: { type: integer } }',
};

function fields(write: (name: string, index: number) => string): string {
  return Array.from({ length: 200 }, (_, index) => write(`field${String(index)}`, index)).join(', ');
}

const PATHS = Object.keys(SCHEMAS).map(
  (name) => `  /${name}:
    post:
      operationId: put${name}
      security: []
      parameters: [{ name: page, in: query, schema: { type: integer } }]
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/${name}' } } } }
      responses: { '204': { description: Done. }, 4XX: &error { description: No., content: { application/json: {} } }, 5XX: *error }
`,
);
const FORMS = `  /Form:
    post:
      operationId: putForm
      security: []
      requestBody:
        content:
          application/x-www-form-urlencoded: { schema: &form { type: object, properties: { a: { type: object } } } }
          multipart/form-data:
            schema: *form
            encoding: { a: { contentType: application/json } }
          text/plain: { schema: { type: string, maxLength: 3 } }
      responses: { '204': { description: Done. }, 4XX: *error, 5XX: *error }
`;
const COMPONENTS = Object.entries(SCHEMAS).map(([name, schema]) => `    ${name}: ${schema.replaceAll('\n', ' ')}\n`);
// Another standard than the dialect of OpenAPI 3.0 has patternProperties.
const CONTRACT = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths:
${PATHS.join('')}${FORMS}components:
  schemas:
${COMPONENTS.join('')}`;

/** A service whose errors are all that `renderError` gets. */
let served: Served;
beforeAll(async () => {
  const render = createRenderer({ contract: loadText(CONTRACT), renderError: (error) => error });
  const handlers = Object.fromEntries([...Object.keys(SCHEMAS), 'Form'].map((name) => [`put${name}`, never]));
  served = await serveText(CONTRACT, handlers, {}, { render, readOnly: 'refuse' });
});
afterAll(() => served[Symbol.asyncDispose]());

function never(): never {
  throw new Error('the request passed');
}

async function send(path: string, body: unknown): Promise<ErrorToRender> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const reply = await request(served.server).post(`/${path}`).set('Content-Type', 'application/json').send(text);
  expect([400, 422]).toContain(reply.status);
  return reply.body as ErrorToRender;
}

/** Each fault as its rule, pointer and place. */
function told({ faults }: ErrorToRender): string[] {
  return faults.map(({ rule, pointer, place }) => [rule, pointer, ...(place === pointer ? [] : [place])].join(' '));
}

describe('the wrong fields of a request', () => {
  test.each<[string, string, unknown, string[]]>([
    ['one', 'Order', { id: 1, name: 'long' }, ['maxLength /body/name']],
    ['parts of an allOf', 'Order', {}, ['required /body/name', 'required /body/id']],
    ['a parameter and the body', 'Order?page=x', { id: 1 }, ['type /query/page', 'required /body/name']],
    [
      'an int64 beyond its range beside others',
      'Order',
      '{"id":9223372036854775808,"lines":[{"count":"1"}]}',
      ['required /body/name', 'type /body/lines/0/count /body/lines/*/count', 'int64 /body/id'],
    ],
    [
      'items, maps and patterns, whose names are the client',
      'Order',
      { id: 1, name: 'a', lines: [{ count: 1, at: 'x' }, {}], notes: { mine: 1 }, codes: { 'c-mine': '' } },
      [
        'format /body/lines/0/at /body/lines/*/at',
        'required /body/lines/1/count /body/lines/*/count',
        'type /body/notes/mine /body/notes/*',
        'type /body/codes/c-mine /body/codes/*',
      ],
    ],
    ['a name with a slash', 'Order', { id: 1, name: 'a', 'a/b~c': 1 }, ['type /body/a~1b~0c']],
    ['no alternative', 'Order', { id: 1, name: 'a', size: true, lines: 1 }, ['type /body/lines', 'oneOf /body/size']],
    ['an undeclared name', 'Row', { mine: 1 }, ['additionalProperties /body/mine /body/*']],
    [
      'several int64s',
      'Stock',
      '[1e99, 9223372036854775808, -9223372036854775809]',
      ['int64 /body/0 /body/*', 'int64 /body/1 /body/*', 'int64 /body/2 /body/*'],
    ],
    ['equal int64s', 'Stock', '[9007199254740993, 9007199254740993]', ['uniqueItems /body']],
    ['one that is readOnly', 'Note', { id: 'a' }, ['readOnly /body/id']],
    ['nothing but a parameter', 'Note?page=', {}, ['type /query/page']],
    [
      'a parameter that is not listed, beside others',
      'Order?a~b=1&page=x',
      { id: 1 },
      ['listed /query/a~0b /query/*', 'type /query/page', 'required /body/name'],
    ],
    [
      'several that are not listed, and nothing else',
      'Note?x=1&y=2',
      {},
      ['listed /query/x /query/*', 'listed /query/y /query/*'],
    ],
    [
      'one of a union with null, told by its alternative',
      'Part',
      { part: { kind: 'x' } },
      ['required /body/part/size'],
    ],
  ])('%s', async (_, path, body, expected) => {
    const error = await send(path, body);
    expect(told(error).sort()).toEqual([...expected].sort());
    expect(error.message).toBe(error.faults.map(({ message }) => message).join(', '));
  });

  test('are at most ten, one for each field', async () => {
    const sent = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`field${String(index)}`, 'x']));
    const { faults, kind } = await send('Row', sent);
    expect(kind).toBe('INVALID_BODY');
    const first = Array.from({ length: 10 }, (_, index) => `/body/field${String(index)}`);
    expect(faults.map(({ pointer }) => pointer)).toEqual(first);
    const lines = Array.from({ length: 90 }, () => ({ count: 'x', at: 'x' }));
    expect((await send('Order', { id: 1, name: 'a', lines })).faults).toHaveLength(10);
    const int64s = await send('Stock', `[${Array(20).fill('9223372036854775808').join()}]`);
    expect(int64s.faults.map(({ rule }) => rule)).toEqual(['uniqueItems', ...Array<string>(9).fill('int64')]);
  });

  test('are only the first one of a body that is large, by its values or by its texts', async () => {
    const order = { id: 1, name: 'a', lines: [{}, {}] };
    expect((await send('Order', order)).faults).toHaveLength(2);
    const wrong = Array.from({ length: 10_000 }, () => 1);
    expect((await send('Order', { ...order, lines: wrong })).faults).toHaveLength(1);
    for (const notes of [{ long: 'x'.repeat(65_536) }, { ['x'.repeat(65_536)]: '' }]) {
      expect((await send('Order', { ...order, notes })).faults).toHaveLength(1);
    }
  });

  test('have pointers that are cut where a client chose long names', async () => {
    const name = 'x'.repeat(1_000);
    const error = await send('Order', { id: 1, name: 'a', notes: { [name]: 1 } });
    const pointer = `/body/notes/${name}`.slice(0, 200);
    const [fault] = error.faults;
    expect(fault).toMatchObject({ pointer: `${pointer}...`, place: '/body/notes/*' });
    expect(error.message).toBe(`request${pointer}... must be string`);
  });

  test('are found in what is nested deep, and what is deeper than the stack is told so', async () => {
    const nest = (depth: number): string => `${'{"in":'.repeat(depth)}{"b":"x"}${'}'.repeat(depth)}`;
    expect((await send('Nest', nest(400))).faults).toHaveLength(1);
    // The first is found before the stack overflows.
    expect((await send('Chain', `{"a":"x","in":${nest(900)}}`)).faults).toMatchObject([{ pointer: '/body/a' }]);
    const { faults, kind } = await send('Nest', nest(100_000));
    expect([kind, faults]).toMatchObject(['INVALID_BODY', [{ pointer: '/body', rule: 'depth' }]]);
  });
});

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=x';
const PART = '--x\r\nContent-Disposition: form-data; name=';

test.each<[string, string, string, string, string?]>([
  ['matches no alternative of a oneOf', 'Choice', '"a"', 'oneOf /body'],
  ['matches two alternatives of a oneOf', 'Both', '5', 'oneOf /body'],
  ['matches no alternative of an anyOf', 'Some', '"a"', 'anyOf /body'],
  ['matches the schema of a not', 'Not', '"a"', 'not /body'],
  ['does not match the then of an if', 'If', '"ab"', 'maxLength /body'],
  ['does not match the false else of an if', 'If', '1', 'not /body'],
  ['has a schema that nothing matches', 'Nothing', '{}', 'not /body'],
  ['has a property that is not evaluated', 'Closed', '{"b":1}', 'unevaluatedProperties /body/b'],
  ['has an item that is not evaluated', 'Tuple', '[1,2]', 'unevaluatedItems /body'],
  ['has a wrong name', 'Names', '{"ab":1}', 'propertyNames /body'],
  ['lacks what a property requires', 'Pair', '{"a":1}', 'dependentRequired /body/b'],
  ['contains no item that is required', 'Hit', '["a"]', 'contains /body'],
  ['is malformed JSON', 'Row', '{', 'json /body'],
  ['is malformed JSON, and too long to be located', 'Row', ' '.repeat(70_000), 'json /body'],
  ['is missing', 'Row', '', 'required /body'],
  ['is not UTF-8', 'Row', '"\xff"', 'utf8 /body'],
  ['has an unpaired surrogate', 'Row', '"\\ud800"', 'unicode /body'],
  ['has a number beyond a double', 'Row', '{"a":1e999}', 'double /body'],
  ['is too large', 'Row', `"${'a'.repeat(5_000_000)}"`, 'size /body'],
  [
    'is nested deeper than the stack',
    'Tree',
    `${'{"id":1.5,"in":'.repeat(50_000)}{}${'}'.repeat(50_000)}`,
    'depth /body',
  ],
  ['is of another media type', 'Row', 'a', 'contentType /headers/content-type', 'text/css'],
  ['is a form with a malformed percent-encoding', 'Form', 'a=%', 'percent-encoding /body/a', FORM_TYPE],
  ['is a form with a malformed name', 'Form', '%=1', 'percent-encoding /body', FORM_TYPE],
  ['is a form with malformed JSON', 'Form', 'a={', 'json /body/a', FORM_TYPE],
  ['is a form that is not UTF-8', 'Form', 'a=\xff', 'utf8 /body', FORM_TYPE],
  ['is a form with a field twice', 'Form', 'b=1&b=2', 'once /body/b', FORM_TYPE],
  ['is a multipart without an end', 'Form', 'a', 'multipart /body', MULTIPART],
  ['is a multipart with malformed JSON', 'Form', `${PART}a\r\n\r\n{\r\n--x--`, 'json /body/a', MULTIPART],
  ['is a multipart that is not UTF-8', 'Form', `${PART}b\r\n\r\n\xff\r\n--x--`, 'utf8 /body/b', MULTIPART],
  ['is a text that is not UTF-8', 'Form', '\xff', 'utf8 /body', 'text/plain'],
  ['is a text that is too long', 'Form', 'abcd', 'maxLength /body', 'text/plain'],
])('a refused body always has a fault: one that %s', async (_, ...[path, body, expected, type = JSON_TYPE]) => {
  const bytes = Buffer.from(body, 'latin1');
  const reply = await request(served.server)
    .post(`/${path}`)
    .set('Content-Type', type)
    .serialize(() => bytes as never)
    .send(bytes);
  const { faults, message } = reply.body as ErrorToRender;
  expect(faults.map(({ rule, pointer }) => `${rule} ${pointer}`)).toContain(expected);
  expect(message).toBe(faults.map((fault) => fault.message).join(', '));
});

test('a refused body that is compressed has a fault', async () => {
  const sent = request(served.server).post('/Row').set({ 'Content-Type': JSON_TYPE, 'Content-Encoding': 'gzip' });
  const { faults } = (await sent.send('{}')).body as ErrorToRender;
  expect(faults).toMatchObject([{ rule: 'contentEncoding', pointer: '/headers/content-encoding' }]);
});

test.each([
  ['sent twice', '?page=1&page=2', 'once /query/page'],
  ['percent-encoded wrongly', '?page=%', 'percent-encoding /query/page'],
  ['named by a wrong percent-encoding', '?%=1', 'percent-encoding /query'],
])('a refused parameter has a fault: one that is %s', async (_, query, expected) => {
  expect(told(await send(`Row${query}`, {}))).toEqual([expected]);
});

test('where a detail may not be sent, the only fault is that of the kind', () => {
  const contract = loadText(
    CONTRACT.replace(
      ': &error { description: No., content: { application/json: {} } }',
      ': &error { description: No., content: { text/html: {} } }',
    ),
  );
  const seen: ErrorToRender[] = [];
  const render = createRenderer({ contract, renderError: (error) => (seen.push(error), '') });
  const faults = [{ pointer: '/body/<b>', place: '/body/*', rule: 'type', message: 'request/body/<b> must be string' }];
  render(toFaultRefusal(faults), contract.operations[0]);
  expect(seen.at(-1)?.faults).toMatchObject([{ pointer: '/body', place: '/body', rule: 'schema' }]);
});

test.each<[string, string, unknown, object]>([
  ['a rule of the schema', 'Order', { id: 1, name: 'mine' }, { rule: 'maxLength', place: '/body/name' }],
  ['a name of the client', 'Order', { id: 1, name: 'a', notes: { mine: 1 } }, { rule: 'type', place: '/body/notes/*' }],
  ['an int64', 'Order', '{"id":9223372036854775808,"name":"a"}', { rule: 'int64', place: '/body/id' }],
  ['a parameter that is not listed', 'Order?mine=1', {}, { rule: 'listed', place: '/query/*' }],
  ['a parameter that is sent twice', 'Order?page=1&page=mine', {}, { rule: 'once', place: '/query/page' }],
  ['JSON that is malformed', 'Order', '{"mine"', { rule: 'json', place: '/body' }],
])('the log names the rule and its place, and no word of the client: %s', async (_, path, body, broken) => {
  const { kind } = await send(path, body);
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  for (const outcome of served.outcomes.slice(-1)) logOutcome(log, outcome);
  const { rule, place, refusal } = JSON.parse(lines.join()) as Readonly<Record<string, unknown>>;
  expect({ rule, place, refusal }).toEqual({ refusal: kind, ...broken });
  expect(lines.join()).not.toContain('mine');
});
