import { parseYaml, readOperations, type Document } from '@contract-kit/contract';
import { readSchemaFacts, toComponents } from '../src/generate/schema-views';

function viewsOf(schema: string): unknown {
  const body = `content: { application/json: { schema: { $ref: '#/components/schemas/A' } } }`;
  const source = `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
paths: { /a: { post: { operationId: a, requestBody: { ${body} }, responses: { '200': { description: A., ${body} } } } } }
components: { schemas: { A: ${schema} } }`;
  const { document, operations } = readOperations(parseYaml(source, 'a.yaml') as Document);
  return toComponents(readSchemaFacts(document, operations));
}

test.each([
  ['a text', '{ type: string, minLength: 1 }', { A: { type: 'string' } }],
  [
    'a readOnly property, which requests do not have',
    '{ type: object, properties: { id: { type: integer, readOnly: true } } }',
    {
      A: { type: 'object', properties: { id: { type: 'integer' } }, required: [] },
      A$Request: { type: 'object', 'x-no-properties': true },
    },
  ],
  [
    'a default, which only requests have filled in',
    '{ properties: { n: { default: 1 } } }',
    { A: { properties: { n: {} }, required: [] }, A$Request: { properties: { n: { default: 1 } }, required: [] } },
  ],
  [
    'a tuple of any length',
    '{ prefixItems: [{ type: string }] }',
    { A: { items: { oneOf: [{ type: 'string' }, {}] } } },
  ],
  [
    'a name that another part declares',
    '{ allOf: [{ properties: { n: { type: string } } }, { required: [n] }] }',
    {
      A: {
        allOf: [
          { properties: { n: { type: 'string' } }, required: [] },
          { properties: { n: { type: 'string' } }, required: ['n'] },
        ],
      },
    },
  ],
  [
    'a property of then',
    '{ then: { properties: { n: {} } } }',
    { A: { properties: { n: { oneOf: [{}] } }, required: [] } },
  ],
])('the view of %s', (_, schema, views) => {
  expect(viewsOf(schema)).toEqual(views);
});
