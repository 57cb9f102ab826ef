import { createSuite } from '../src';
import { readContract } from '../src/contract/read-contract';
import { readContents, type Part } from '../src/contract/read-content';

const BINARY = '{ type: string, format: binary }';

function readPart(schema: string, encoding: string): Part | undefined {
  const form = `{ type: object, properties: { f: ${schema} } }`;
  const contract = readContract(`openapi: 3.1.0
info: { title: A, version: 1.0.0 }
paths:
  /a:
    post:
      operationId: a
      requestBody: { content: { multipart/form-data: { schema: ${form}, encoding: ${encoding} } } }
      responses: { '204': { description: Done. } }
components: { schemas: { Any: { description: Anything. } } }
`);
  return readContents(contract, '/paths/~1a/post/requestBody')[0]?.parts.get('f');
}

test.each([
  [`{ anyOf: [${BINARY}, { type: 'null' }] }`, '{}', 'file', false],
  [`{ anyOf: [{ allOf: [${BINARY}] }, { type: 'null' }] }`, '{}', 'file', false],
  [`{ anyOf: [{ type: array, items: ${BINARY} }, { type: 'null' }] }`, '{}', 'file', true],
  [`{ type: array, items: { anyOf: [${BINARY}, { type: 'null' }] } }`, '{}', 'file', true],
  ["{ type: [array, 'null'], items: { type: string } }", '{}', 'text', true],
  [`{ anyOf: [{ type: array, items: { type: object } }, { type: 'null' }] }`, '{}', 'json', true],
  ["{ type: [object, 'null'] }", '{}', 'json', false],
  ['{ type: string, contentMediaType: image/png, contentEncoding: binary }', '{}', 'file', false],
  ['{ type: string, contentMediaType: image/png, contentEncoding: base64 }', '{}', 'text', false],
  ['{}', "{ f: { contentType: 'image/png, image/jpeg' } }", 'file', false],
  ['{ type: string }', '{ f: { contentType: image/png } }', 'file', false],
  [`{ oneOf: [${BINARY}, { type: string, format: uri }] }`, '{}', 'file', false],
  [`{ anyOf: [${BINARY}, { type: integer }] }`, '{}', 'file', false],
  ['{}', '{}', 'file', false],
  ['{ $ref: "#/components/schemas/Any" }', '{}', 'file', false],
  ['{}', '{ f: { contentType: application/json } }', 'json', false],
])('the suite sends a part of the schema %s and the encoding %s as %s', (schema, encoding, kind, isList) => {
  expect(readPart(schema, encoding)).toMatchObject({ kind, isList });
});

test.each([
  [`{ oneOf: [${BINARY}, { type: object }] }`, '{}'],
  ['{ enum: [a, {}] }', '{}'],
])('the suite does not send a part of the schema %s, which may be JSON or something else', (schema, encoding) => {
  expect(readPart(schema, encoding)).toBeUndefined();
});

test.each([
  [`additionalProperties: ${BINARY}`, 'another'],
  [`properties: { a: { type: string } }, additionalProperties: ${BINARY}`, 'another'],
  [`patternProperties: { '^x-': ${BINARY} }, additionalProperties: false`, 'x-'],
])('the suite sends files in forms with %s', (schema, name) => {
  const { cases } = createSuite(
    `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
paths:
  /a:
    post:
      operationId: a
      requestBody: { required: true, content: { multipart/form-data: { schema: { type: object, ${schema} } } } }
      responses: { '204': { description: Done. } }
`,
    { bodyLimit: 1024, marker: 'mark', level: 'contract' },
  );
  const bodies = cases.filter(({ expect: wanted }) => wanted === 'accepted').map(({ request }) => String(request.body));
  const file = new RegExp(`; name="${name}[^"]*"; filename=`);
  expect(bodies.filter((body) => file.test(body)).length).toBeGreaterThan(1);
  expect(bodies.filter((body) => !body.includes('; name='))).toEqual([]);
});
