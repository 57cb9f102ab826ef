import { createSuite } from '../src';

const CONTRACT = `openapi: 3.1.0
info: { title: Menus, version: 1.0.0 }
paths:
  '/menu of {the day}/café[1]':
    get:
      operationId: readMenu
      parameters: [{ name: the day, in: path, required: true, schema: { const: 1 } }]
      responses: { '200': { description: The menu. } }
`;

test('the path of a contract is percent-encoded in each request', () => {
  const { cases } = createSuite(CONTRACT, { bodyLimit: 1024, marker: 'marker', level: 'contract' });
  const right = cases.filter(({ expect }) => expect === 'accepted').map(({ request }) => request.target);
  expect(right).toContain('/menu%20of%201/caf%C3%A9%5B1%5D');
  expect(cases.filter(({ request }) => / |é/.test(request.target))).toEqual([]);
});
