import request from 'supertest';
import { createRenderer } from '../../src/errors/create-renderer';
import type { ErrorToRender } from '../../src/errors/render';
import { logOutcome } from '../../src/http/request-log';
import { createLog } from '../../src/runtime/log';
import { loadText } from '../../../../tests/support/load-text';
import { serveText, type Served } from '../../../../tests/support/serve-text';

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
  Stock: '{ type: array, items: { type: integer, format: int64 }, uniqueItems: true }',
  Part: `{ type: object, properties: { part: { oneOf: [{ type: 'null' }, { $ref: '#/components/schemas/Bolt' }] } } }`,
  Bolt: '{ type: object, required: [size], properties: { kind: { type: string }, size: { type: integer } } }',
  Note: '{ type: object, properties: { id: { type: string, readOnly: true }, text: { type: string } } }',
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
const COMPONENTS = Object.entries(SCHEMAS).map(([name, schema]) => `    ${name}: ${schema.replaceAll('\n', ' ')}\n`);
// Another standard than the dialect of OpenAPI 3.0 has patternProperties.
const CONTRACT = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths:
${PATHS.join('')}components:
  schemas:
${COMPONENTS.join('')}`;

/** A service whose errors are all that `renderError` gets. */
let served: Served;
beforeAll(async () => {
  const render = createRenderer({ contract: loadText(CONTRACT), renderError: (error) => error });
  const handlers = Object.fromEntries(Object.keys(SCHEMAS).map((name) => [`put${name}`, never]));
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
    expect(await send('Nest', nest(100_000))).toMatchObject({ faults: [], kind: 'INVALID_BODY' });
  });

  test('a refusal for another rule than those of the schema has no faults', async () => {
    expect(await send('Row?page=1&page=2', {})).toMatchObject({ kind: 'INVALID_PARAMETER', faults: [] });
    expect(await send('Row', '{')).toMatchObject({ kind: 'MALFORMED_JSON', faults: [] });
  });
});

test.each<[string, string, unknown, object]>([
  ['a rule of the schema', 'Order', { id: 1, name: 'mine' }, { rule: 'maxLength', place: '/body/name' }],
  ['a name of the client', 'Order', { id: 1, name: 'a', notes: { mine: 1 } }, { rule: 'type', place: '/body/notes/*' }],
  ['an int64', 'Order', '{"id":9223372036854775808,"name":"a"}', { rule: 'int64', place: '/body/id' }],
  ['a parameter that is not listed', 'Order?mine=1', {}, { rule: 'listed', place: '/query/*' }],
  ['a parameter that is there twice', 'Order?page=1&page=mine', {}, { rule: 'once' }],
  ['what the kind says', 'Order', '{"mine"', {}],
])('the log names the rule and its place, and no word of the client: %s', async (_, path, body, broken) => {
  const { kind } = await send(path, body);
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  for (const outcome of served.outcomes.slice(-1)) logOutcome(log, outcome);
  const { rule, place, refusal } = JSON.parse(lines.join()) as Readonly<Record<string, unknown>>;
  expect({ rule, place, refusal }).toEqual({ refusal: kind, ...broken });
  expect(lines.join()).not.toContain('mine');
});
