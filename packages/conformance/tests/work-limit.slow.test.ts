import { createSuite } from '../src';

const BRANCHES = Array.from({ length: 22 }, (_unused, index) => `Node${String(index)}`);
const toReference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const NODE = toReference('Node');

function makeObject(name: string, property: object, more: object = {}): object {
  return { type: 'object', required: [name], properties: { [name]: property, ...more }, additionalProperties: false };
}

function makeBranches(make: (name: string) => object): Record<string, object> {
  return Object.fromEntries(BRANCHES.map((name) => [name, make(name)]));
}

test.each([
  ['nodes with two children', makeBranches((kind) => makeObject('kind', { const: kind }, { left: NODE, right: NODE }))],
  [
    'filters of filters',
    {
      And: makeObject('and', { type: 'array', items: NODE, minItems: 1 }),
      Or: makeObject('or', { type: 'array', items: NODE, minItems: 1 }),
      Not: makeObject('not', NODE),
      ...makeBranches((name) => makeObject(name, { type: 'string', pattern: '^[a-z]{1,20}$' })),
    },
  ],
])(
  'an operation of %s, whose cases take too long to make, is not tried, and the others are',
  (_, branches) => {
    const responses = { 200: { description: 'x' }, 400: { description: 'x' } };
    const requestBody = { required: true, content: { 'application/json': { schema: NODE } } };
    const schemas = { Node: { oneOf: Object.keys(branches).map(toReference) }, ...branches };
    const paths = {
      '/nodes': { post: { operationId: 'make', requestBody, responses }, get: { operationId: 'list', responses } },
    };
    const contract = { openapi: '3.1.0', info: { title: 'x', version: '1' }, paths, components: { schemas } };
    const suite = createSuite(JSON.stringify(contract), { bodyLimit: 1024, marker: 'x' });
    expect([...new Set(suite.cases.map(({ operation }) => operation))]).toEqual(['list']);
    expect(suite.skipped()).toContainEqual({
      reason: 'operations whose cases take too long to make',
      places: ['#/paths/~1nodes/post'],
    });
  },
  60_000,
);
