import { createSuite } from '../src';

const BRANCHES = Array.from({ length: 25 }, (_unused, index) => `Node${String(index)}`);
const toReference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

test('an operation whose cases take more than two seconds to make is not tried, and the others are', () => {
  const node = (kind: string): object => ({
    type: 'object',
    required: ['kind'],
    properties: { kind: { const: kind }, left: toReference('Node'), right: toReference('Node') },
  });
  const responses = { 200: { description: 'x' }, 400: { description: 'x' } };
  const requestBody = { required: true, content: { 'application/json': { schema: toReference('Node') } } };
  const schemas = {
    Node: { oneOf: BRANCHES.map(toReference) },
    ...Object.fromEntries(BRANCHES.map((name) => [name, node(name)])),
  };
  const paths = {
    '/nodes': { post: { operationId: 'make', requestBody, responses }, get: { operationId: 'list', responses } },
  };
  const contract = { openapi: '3.1.0', info: { title: 'x', version: '1' }, paths, components: { schemas } };
  const suite = createSuite(JSON.stringify(contract), { bodyLimit: 1024, marker: 'x' });
  expect([...new Set(suite.cases.map(({ operation }) => operation))]).toEqual(['list']);
  expect(suite.skipped()).toContainEqual({
    reason: 'operations whose cases take more than 2 s to make',
    places: ['#/paths/~1nodes/post'],
  });
}, 60_000);
