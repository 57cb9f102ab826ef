import type { NormalizedSchema } from '../src/2-resolve/schema';
import { createShape } from '../src/4-shape/shape';
import { makeSample, toReplyValue, type SampleOptions } from '../src/sample/sample';

const DOCUMENT = { openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: {} };
const TEXT: NormalizedSchema = { type: 'string' };
const NOTHING: NormalizedSchema = { type: 'string', pattern: '(?!)' };
const ofLevels = (count: number): NormalizedSchema => (count === 0 ? TEXT : { properties: { a: ofLevels(count - 1) } });

test.each<[string, NormalizedSchema, SampleOptions, unknown]>([
  [
    'is there, wanted or not',
    { properties: { a: TEXT, b: TEXT }, required: ['a'] },
    { wants: () => false },
    { a: 'a' },
  ],
  ['without a value prevents the sample', { properties: { a: TEXT, b: NOTHING }, required: ['b'] }, {}, undefined],
  ['without a value is left out where it is optional', { properties: { a: TEXT, b: NOTHING } }, {}, { a: 'a' }],
  ['is left out below the fourth level where it is optional', ofLevels(6), {}, { a: { a: { a: { a: {} } } } }],
])('a property %s', (_what, schema, options, sample) => {
  expect(makeSample(DOCUMENT, schema, options)).toStrictEqual(sample);
});

test.each<[NormalizedSchema, unknown]>([
  [{ type: 'integer', minimum: 1.5 }, 2],
  [{ type: 'string', format: 'uuid', maxLength: 5 }, 'text'],
  [{ type: 'string', format: 'constructor' }, 'text'],
  [{ type: 'string', pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[1-5]' }, '00000000-0000-4000-8000-000000000000'],
  [{ type: 'string', pattern: String.raw`:\d\d\.\d{3}Z$` }, '2026-01-01T12:00:00.000Z'],
  [{ type: 'string', minLength: 1e9 } as NormalizedSchema, undefined],
  [{ exclusiveMinimum: 3 }, 4],
  [{ maxItems: 3 }, []],
  [{ additionalProperties: false }, {}],
  [{ type: 'array', minItems: 1 }, ['text']],
  [{ type: 'array', minItems: 1e9, items: TEXT }, undefined],
  [{ type: 'array', minItems: 1, items: NOTHING }, undefined],
])('the sample of %j is %j', (schema, sample) => {
  expect(makeSample(DOCUMENT, schema, {})).toStrictEqual(sample);
});

test('a schema that may be inside itself is null there, or left out', () => {
  const node = { $ref: '#/components/schemas/Node' };
  const Node: NormalizedSchema = {
    required: ['next'],
    properties: { next: { oneOf: [node, { type: 'null' }] }, other: node },
  };
  expect(makeSample({ ...DOCUMENT, components: { schemas: { Node } } }, node, {})).toStrictEqual({ next: null });
});

test.each([
  [
    { id: 1, count: 1, secret: 'a', other: 1 },
    { id: 1n, count: 1 },
  ],
  [
    { id: 1.5, count: 2n ** 53n },
    { id: 1.5, count: 2 ** 53 },
  ],
])('a handler replies with %p as %p', (value, reply) => {
  const properties: Record<string, NormalizedSchema> = {
    id: { type: 'integer', format: 'int64' },
    count: { type: 'integer' },
    secret: { type: 'string', writeOnly: true },
  };
  expect(toReplyValue(createShape(DOCUMENT, { properties }, 'writeOnly'), value)).toStrictEqual(reply);
});

test('a sample has a thousand values and no more that are optional', () => {
  const properties = Object.fromEntries(Array.from({ length: 1_100 }, (_unused, index) => [`p${String(index)}`, TEXT]));
  expect(Object.keys(makeSample(DOCUMENT, { properties }, {}) as object)).toHaveLength(999);
});

test.each(['allOf', 'anyOf'])('a sample of forty levels that each refer twice to the next by %s is made', (keyword) => {
  const levels = Array.from({ length: 40 }, (_unused, index) => {
    const next = { $ref: `#/components/schemas/L${String(index + 1)}` };
    return [`L${String(index)}`, { [keyword]: [next, { allOf: [next] }] }];
  });
  const last = { type: 'object', required: ['p'], properties: { p: { type: 'string' } } };
  const schemas = Object.fromEntries<NormalizedSchema>([...levels, ['L40', last]] as [string, NormalizedSchema][]);
  const sample = makeSample({ ...DOCUMENT, components: { schemas } }, schemas['L0'] ?? {}, {});
  expect(sample).toEqual({ p: 'p' });
});
