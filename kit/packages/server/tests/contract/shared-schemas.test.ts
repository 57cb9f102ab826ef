import request from 'supertest';
import { serveText, type Served } from '@contract-kit/test-support/serve-text';

// 2^26 ways lead from the first level to the last.
const LEVELS = 26;

type Make = (next: object, level: number) => object;

/** Each level refers twice to the next, for the same value. */
const SHAPES: readonly (readonly [string, Make])[] = [
  ['allOf', (next) => ({ allOf: [next, next] })],
  ['anyOf', (next, level) => ({ anyOf: [{ allOf: [next], required: [`p${String(level)}`] }, next] })],
  [
    'oneOf',
    (next) => ({
      oneOf: [
        { allOf: [next], required: ['x'] },
        { allOf: [next], not: { required: ['x'] } },
      ],
    }),
  ],
  ['if, then and else', (next) => ({ if: next, then: next, else: next })],
  ['dependentSchemas', (next) => ({ allOf: [next], dependentSchemas: { name: next } })],
  [
    'unevaluatedProperties',
    (next, level) => ({ allOf: [next, next], ...(level === 0 && { unevaluatedProperties: false }) }),
  ],
  ['a property of two alternatives', (next) => ({ anyOf: [inside(next), { ...inside(next), minProperties: 1 }] })],
  ['an item of two alternatives', (next) => ({ anyOf: [{ prefixItems: [next] }, { type: 'array', items: next }] })],
];

function inside(next: object): object {
  return { type: 'object', required: ['in'], properties: { in: next } };
}

const LAST = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };

function toSource(make: Make): string {
  const toNext = (level: number): object => ({ $ref: `#/components/schemas/L${String(level + 1)}` });
  const levels = Array.from(
    { length: LEVELS },
    (_, level) => [`L${String(level)}`, make(toNext(level), level)] as const,
  );
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/L0' } } };
  const error = { description: 'Failed.', content: { 'application/json': { schema: { type: 'object' } } } };
  const responses = { 200: { description: 'The same.', content }, 400: error, 500: error, 503: error };
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Levels', version: '1.0.0' },
    security: [],
    paths: { '/levels': { post: { operationId: 'echo', requestBody: { required: true, content }, responses } } },
    components: { schemas: { ...Object.fromEntries<object>(levels), [`L${String(LEVELS)}`]: LAST } },
  });
}

/** What each level has inside the one before it. */
function wrap(shape: string, leaf: unknown): unknown {
  const wrapOnce = (value: unknown): unknown => (shape.startsWith('an item') ? [value] : { in: value });
  return shape.includes(' of two ') ? Array.from({ length: LEVELS }).reduce<unknown>(wrapOnce, leaf) : leaf;
}

async function post(served: Served, body: unknown): Promise<readonly [status: number, text: string]> {
  const { status, text } = await request(served.server)
    .post('/levels')
    .send(body as object);
  return [status, text];
}

test.each(SHAPES)(
  'a schema that 2^26 ways of %s lead to is served, and judges right and wrong values',
  async (shape, make) => {
    await using served = await serveText(toSource(make), { echo: ({ body }, reply) => reply(200, body) });
    const [right, wrong] = [wrap(shape, { name: 'a' }), wrap(shape, { name: 1 })];
    const accepted = [200, JSON.stringify(right)];
    const refused = [400, expect.stringContaining('/name must be string') as string];
    // A verdict is forgotten when its message is judged.
    for (const [body, expected] of [
      [right, accepted],
      [wrong, refused],
      [right, accepted],
    ] as const)
      expect(await post(served, body)).toEqual(expected);
  },
);

const SELF = { $ref: '#/components/schemas/L0' };

// Each leads back to itself twice for the same value: judged each time, 100 levels would take 2^100 steps.
const RECURSIVE: readonly (readonly [string, object])[] = [
  ['alternatives', { anyOf: [inside(SELF), { ...inside(SELF), minProperties: 1 }, LAST] }],
  [
    'a property and a pattern',
    { type: 'object', properties: { in: SELF, name: { type: 'string' } }, patternProperties: { '^i': SELF } },
  ],
  [
    'a property and one below it',
    { anyOf: [{ allOf: [inside({ $ref: '#/components/schemas/L1' }), inside(inside(SELF))] }, LAST] },
  ],
  [
    'patterns and a property below one',
    {
      anyOf: [
        { allOf: [inside({ $ref: '#/components/schemas/L1' }), { patternProperties: { '^i': inside(SELF) } }] },
        LAST,
      ],
    },
  ],
  ['what is unevaluated', { anyOf: [inside(SELF), LAST], unevaluatedProperties: false }],
  ['other schemas', { anyOf: [{ $ref: '#/components/schemas/L1' }, { $ref: '#/components/schemas/L2' }] }],
];

test.each(RECURSIVE)('a schema that leads back to itself by %s judges values of many levels', async (_, schema) => {
  const nest = (leaf: unknown): unknown =>
    Array.from({ length: 100 }).reduce<unknown>((value) => ({ in: value }), leaf);
  const make: Make = (next, level) => [schema, { anyOf: [inside(SELF), LAST] }, inside(SELF)][level] ?? next;
  await using served = await serveText(toSource(make), { echo: ({ body }, reply) => reply(200, body) });
  const right = nest({ name: 'a' });
  expect(await post(served, right)).toEqual([200, JSON.stringify(right)]);
  // Its pointer is longer than what is told of one.
  const problem = expect.stringContaining('request/body/in/in/in') as string;
  expect(await post(served, nest({ name: 1 }))).toEqual([400, problem]);
});

const INTEGER = { type: 'integer' };

// What is evaluated is found by judging the items again, one by one.
test.each([
  ['contains', SELF],
  ['contains and two negations', { not: { not: SELF } }],
])('a schema that leads back to itself by unevaluatedItems and %s judges lists of many levels', async (_, contains) => {
  const list = { type: 'array', contains, unevaluatedItems: SELF };
  await using served = await serveText(
    toSource(() => ({ anyOf: [INTEGER, list] })),
    { echo: ({ body }, reply) => reply(200, body) },
  );
  const nest = (leaf: unknown): unknown => Array.from({ length: 100 }).reduce<unknown>((value) => [value, 1], leaf);
  expect(await post(served, nest(1))).toEqual([200, JSON.stringify(nest(1))]);
  expect((await post(served, nest('a')))[0]).toBe(400);
  expect((await post(served, [[1]]))[0]).toBe(200);
});

test('a wrong item is told with its own place where contains judged it first', async () => {
  const tree = { $ref: '#/components/schemas/L1' };
  const list = { type: 'array', items: tree };
  const make: Make = (_, level) =>
    level === 0
      ? { type: 'array', contains: list, unevaluatedItems: list }
      : { type: ['integer', 'array'], items: tree, contains: tree, minContains: 0 };
  await using served = await serveText(toSource(make), { echo: ({ body }, reply) => reply(200, body) });
  expect(await post(served, [[1], [1], ['bad']])).toEqual([400, expect.stringContaining('request/body/2/0 must')]);
});

test('a default is filled in where many ways lead from its schema to itself', async () => {
  const [filter, and, or, is] = [1, 2, 3, 4].map((level) => ({ $ref: `#/components/schemas/L${String(level)}` }));
  const toList = (name: string): object => ({
    type: 'object',
    required: [name],
    properties: { [name]: { type: 'array', items: filter } },
  });
  const schemas = [
    { type: 'object', properties: { filter: { ...filter, default: { is: 'all' } } } },
    { anyOf: [and, or, is] },
    toList('and'),
    toList('or'),
    { type: 'object', required: ['is'], properties: { is: { type: 'string' } } },
  ];
  const make: Make = (next, level) => schemas[level] ?? next;
  await using served = await serveText(toSource(make), { echo: ({ body }, reply) => reply(200, body) });
  expect(await post(served, {})).toEqual([200, '{"filter":{"is":"all"}}']);
  expect(await post(served, { filter: { and: [{ is: 'a' }] } })).toEqual([200, '{"filter":{"and":[{"is":"a"}]}}']);
  expect((await post(served, { filter: { and: [{ is: 1 }] } }))[0]).toBe(400);
});

test('a value may be any JSON, and null where it leads back to its schema', async () => {
  const [scalar, nullable] = [{ type: ['string', 'null'] }, { anyOf: [SELF, { type: 'null' }] }];
  const any = [scalar, { type: 'array', items: nullable }, { type: 'object', additionalProperties: nullable }];
  await using served = await serveText(
    toSource(() => ({ anyOf: any })),
    { echo: ({ body }, reply) => reply(200, body) },
  );
  expect(await post(served, { a: [null, { b: null }], c: 'd' })).toEqual([200, '{"a":[null,{"b":null}],"c":"d"}']);
  expect((await post(served, { a: [{ b: 1 }] }))[0]).toBe(400);
});

test('each value has a verdict of its own by a schema that many ways lead to', async () => {
  const make: Make = (next, level) => (level === 0 ? { type: 'array', items: next } : { allOf: [next, next] });
  await using served = await serveText(toSource(make), { echo: ({ body }, reply) => reply(200, body) });
  expect(await post(served, [{ name: 'a' }, { name: 'b' }])).toEqual([200, '[{"name":"a"},{"name":"b"}]']);
  const items = Array.from({ length: 20 }, (_, index) => ({ name: index % 2 === 0 ? 'a' : 1 }));
  const [status, text] = await post(served, items);
  expect(status).toBe(400);
  // Ten wrong fields at most are told.
  expect(text.match(/request\/body\/\d+\/name/g)).toEqual(
    Array.from({ length: 10 }, (_, index) => `request/body/${String(2 * index + 1)}/name`),
  );
});

test('each name of a property has a verdict of its own by a schema that many ways lead to', async () => {
  const make: Make = (next, level) => {
    if (level === 0) return { type: 'object', propertyNames: next };
    return level === LEVELS - 1 ? { maxLength: 3, pattern: '^a' } : { allOf: [next, next] };
  };
  await using served = await serveText(toSource(make), { echo: ({ body }, reply) => reply(200, body) });
  expect(await post(served, { a: 1, aa: 2 })).toEqual([200, '{"a":1,"aa":2}']);
  expect((await post(served, { a: 1, b: 2 }))[0]).toBe(400);
  expect((await post(served, { a: 1, aaaa: 'a' }))[0]).toBe(400);
});

test('equal wrong values are told with the place of each, however many ways lead to them', async () => {
  const make: Make = (next, level) => {
    if (level === 20) return { type: 'array', items: next };
    return level === LEVELS - 1 ? { type: 'string' } : { allOf: [next, next] };
  };
  await using served = await serveText(toSource(make), { echo: ({ body }, reply) => reply(200, body) });
  expect((await post(served, ['a', 'a']))[0]).toBe(200);
  const [status, text] = await post(served, [1, 'a', 1]);
  expect(status).toBe(400);
  expect(text.match(/request\/body[^ ]* must [a-zA-Z ]+/g)).toEqual([
    'request/body/0 must be string',
    'request/body/2 must be string',
  ]);
});

test('all wrong fields are told, however many ways lead to them and whatever is wrong beside them', async () => {
  const make: Make = (next, level) => {
    if (level > 0) return { allOf: [next, next] };
    const other = { type: 'string' };
    return {
      type: 'object',
      anyOf: [{ allOf: [next] }, next],
      properties: { other, list: { type: 'array', items: next } },
    };
  };
  await using served = await serveText(toSource(make), { echo: ({ body }, reply) => reply(200, body) });
  expect((await post(served, { name: 'a', other: 'b', list: [{ name: 'c' }] }))[0]).toBe(200);
  const [status, text] = await post(served, { name: 1, other: 2, list: [{ name: 'c' }, { name: 3 }, {}] });
  expect(status).toBe(400);
  const told = text.match(/request\/body[^ ]* must [a-zA-Z ]+/g);
  expect(told?.toSorted()).toEqual([
    'request/body must match a schema in anyOf',
    'request/body/list/1/name must be string',
    'request/body/list/2 must have required property ',
    'request/body/name must be string',
    'request/body/other must be string',
  ]);
});

test('a reply that is wrong by a schema that many ways lead to is not sent', async () => {
  const make: Make = (next) => ({ allOf: [next, next] });
  await using served = await serveText(toSource(make), { echo: (_request, reply) => reply(200, { name: 1 }) });
  expect((await post(served, { name: 'a' }))[0]).toBe(500);
});
