import { createSuite, type Case, type Suite, type SuiteOptions } from '../src';
import { toFramedBody } from '../src/wire/request';

/** A contract of resources, each with five operations and a schema that refers to the next one, in a ring. */
function createRing(count: number): string {
  const json = (name: string): object => ({
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  });
  const indexes = Array.from({ length: count }, (_unused, index) => index);
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } };
  const responses = { 200: { description: 'Done.' }, 400: { description: 'Refused.' } };
  const properties = (index: number): object => ({
    name: { type: 'string', maxLength: 40 },
    amount: { type: 'integer', minimum: 0, maximum: 100 },
    colours: { type: 'array', items: { type: 'string', enum: ['red', 'blue'] } },
    at: { type: 'string', format: 'date-time' },
    child: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { $ref: `#/components/schemas/T${String((index + 1) % count)}` } },
    },
  });
  const paths = indexes.flatMap((index) => {
    const requestBody = { required: true, ...json(`T${String(index)}`) };
    return [
      [`/t${String(index)}`, { get: { responses }, post: { requestBody, responses } }],
      [
        `/t${String(index)}/{id}`,
        { parameters: [id], get: { responses }, put: { requestBody, responses }, delete: { responses } },
      ],
    ];
  });
  const schemas = indexes.map((index) => [
    `T${String(index)}`,
    { type: 'object', required: ['name'], properties: properties(index) },
  ]);
  const components = { schemas: Object.fromEntries(schemas) as object };
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'x', version: '1' },
    paths: Object.fromEntries(paths) as object,
    components,
  });
}

function derive(count: number, options: Partial<SuiteOptions> = {}): Suite {
  return createSuite(createRing(count), { bodyLimit: 1024 ** 2, marker: 'mark', ...options });
}

const ruleOf = ({ operation, class: name, pointer, keyword, expect: wanted }: Case): string =>
  [operation, name, pointer, keyword, wanted].join(' ');
const shallowRulesOf = ({ cases }: Suite): Set<string> =>
  new Set(cases.filter(({ depth = 0 }) => depth <= 1).map(ruleOf));

test('what the budget leaves out is counted by rule, and comes after a case for each rule of each operation', () => {
  const whole = derive(2, { maxCases: 1e6 });
  const maxCases = shallowRulesOf(whole).size + 100;
  const some = derive(2, { maxCases });
  expect(some.cases).toHaveLength(maxCases);
  expect(shallowRulesOf(some)).toEqual(shallowRulesOf(whole));
  expect([whole.leftOut.size, whole.tooDeep, some.tooDeep > 0]).toEqual([0, 0, true]);
  expect(some.leftOut.get('negative type')).toBeGreaterThan(10);
});

test('the budget is for the cases that are wanted, and where it is small, each operation has some', () => {
  const isWanted: SuiteOptions['isWanted'] = ({ class: name }) => name === 'negative';
  const { cases, unwanted } = derive(2, { maxCases: 50, isWanted });
  expect([cases.length, new Set(cases.map((one) => one.class)), unwanted > 100]).toEqual([
    50,
    new Set(['negative']),
    true,
  ]);
  expect(new Set(derive(2, { maxCases: 20 }).cases.map(({ operation }) => operation)).size).toBe(10);
});

test('100 operations whose schemas are a ring of 20 have 5,000 cases, whose bodies take little memory', () => {
  const { cases, leftOut } = derive(20, { level: 'robust' });
  expect(cases).toHaveLength(5_000);
  expect(new Set(cases.map(({ operation }) => operation)).size).toBe(100);
  expect([...leftOut.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(5_000);
  const largest = cases.filter(({ request }) => toFramedBody(request).length >= 1024 ** 2);
  expect(largest.length).toBeGreaterThan(10);
  expect(Math.max(...largest.map(({ request }) => request.body?.length ?? 0))).toBeLessThan(10_000);
}, 60_000);
