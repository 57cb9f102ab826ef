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
])('the suite sends a part of the schema %s and the encoding %s as %s', (schema, encoding, kind, isList) => {
  expect(readPart(schema, encoding)).toMatchObject({ kind, isList });
});

test.each([
  [`{ oneOf: [${BINARY}, { type: string, format: uri }] }`, '{}'],
  ['{}', '{}'],
])('the suite does not send a part of the schema %s, which may be a file or text', (schema, encoding) => {
  expect(readPart(schema, encoding)).toBeUndefined();
});
