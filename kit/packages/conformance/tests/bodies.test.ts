import { toHead } from '../src/wire/request';
import { createSuite, type Case } from '../src';
import { readContract, resolve } from '../src/contract/read-contract';
import { readContents, type Part } from '../src/contract/read-content';
import { contractOf } from './contract-of';

const DONE = "responses: { '204': { description: Done. } }";

const EMPTY = `openapi: 3.1.0
info: { title: Empty, version: 1.0.0 }
paths:
  /optional: { put: { operationId: optional, requestBody: { content: { application/json: {} } }, responses: { '204': { description: Done. }, '400': { description: Wrong. }, '415': { description: Wrong. } } } }
  /required: { put: { operationId: required, requestBody: { required: true, content: { application/json: {} } }, responses: { '204': { description: Done. }, 4XX: { description: Wrong. } } } }
  /nothing: { post: { operationId: nothing, responses: { '204': { description: Done. }, 4XX: { description: Wrong. } } } }
  /any:
    put:
      operationId: any
      requestBody:
        required: true
        content:
          application/octet-stream: {}
          text/plain: { schema: { type: string } }
          text/csv: { schema: { type: string, minLength: 1 } }
          application/x-www-form-urlencoded: { schema: { type: object, properties: { a: { type: string } } } }
      responses: { '204': { description: Done. }, 4XX: { description: Wrong. } }
`;

const emptySuite = createSuite(EMPTY, { marker: 'abc', level: 'robust' });
const isEmptyBody = (label: string): boolean => /no content|an empty body/.test(label);

test('an empty body is sent in both framings, where it is allowed and where no body is needed', () => {
  const sent = emptySuite.cases.filter(
    ({ class: kind, label }) => /positive|negative/.test(kind) && isEmptyBody(label),
  );
  const framings = ['a Content-Length of 0', 'no chunks'];
  const toTitles = (start: string): string[] => framings.map((framing) => `${start}, ${framing}`);
  expect(sent.map(({ operation, expect: wanted, label }) => `${operation} ${wanted} ${label}`).toSorted()).toEqual(
    [
      ...toTitles('optional accepted no content'),
      ...toTitles('nothing accepted no content'),
      ...toTitles('any accepted application/octet-stream, an empty body'),
      ...toTitles('any accepted text/plain, an empty body'),
      ...toTitles('any accepted application/x-www-form-urlencoded, an empty body'),
      ...toTitles('required refused no content'),
      ...toTitles('required refused application/json, an empty body'),
    ].toSorted(),
  );
});

test('at the level contract, only a Content-Length of 0 without content is sent', () => {
  const { cases } = createSuite(EMPTY, { marker: 'abc', level: 'contract' });
  const labels = cases.map(({ label }) => label).filter((label) => /an empty body,|no content/.test(label));
  expect(new Set(labels)).toEqual(
    new Set(['no content, a Content-Length of 0', 'application/json, an empty body, a Content-Length of 0']),
  );
});

/** The cases of an operation that requires this header, whose body of any bytes is optional. */
function uploadsWith(header: string, schema: string): readonly Case[] {
  const parameters = `parameters: [{ name: ${header}, in: header, required: true, schema: ${schema} }]`;
  const body =
    'requestBody: { content: { application/offset+octet-stream: { schema: { type: string, format: binary } } } }';
  const contract = contractOf(`{ post: { ${parameters}, ${body}, ${DONE} } }`);
  return createSuite(contract, { marker: 'abc', level: 'robust' }).cases;
}

const isAccepted = (one: Case): boolean => one.expect === 'accepted';

test('a valid request has the Content-Length that its operation requires, with and without a body', () => {
  const accepted = uploadsWith('Content-Length', '{ type: integer }').filter(isAccepted);
  const heads = accepted.map(({ request }) => toHead(request, new URL('http://localhost')));
  expect(heads.filter((head) => !/^Content-Length: \d+\r$/m.test(head))).toEqual([]);
  expect(accepted.map(({ label }) => label)).toEqual(expect.arrayContaining(['no body', 'every byte']));
});

test.each([
  ['Content-Length', '{ type: integer, maximum: 5 }'],
  ['Host', '{ const: api.example }'],
  ['Expect', '{ type: string }'],
])('no request counts as valid whose %s is not one that the operation allows', (header, schema) => {
  const sizes = uploadsWith(header, schema).filter(isAccepted);
  expect(sizes.filter(({ request: { body } }) => header !== 'Content-Length' || (body?.length ?? 0) > 5)).toEqual([]);
});

const BINARY = '{ type: string, format: binary }';

function readPart(schema: string, encoding: string): Part | undefined {
  const form = `{ type: object, properties: { f: ${schema} } }`;
  const body = `requestBody: { content: { multipart/form-data: { schema: ${form}, encoding: ${encoding} } } }`;
  const more = 'components: { schemas: { Any: { description: Anything. } } }';
  const contract = readContract(contractOf(`{ post: { ${body}, ${DONE} } }`, { more }));
  return readContents(resolve(contract, '/paths/~1a/post/requestBody'))[0]?.parts.get('f');
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
  ['{ type: array, items: { type: integer } }', '{ f: { explode: true } }', 'text', true],
  ['{ type: string }', '{ f: { allowReserved: true } }', 'text', false],
  [BINARY, '{ f: { style: deepObject } }', 'file', false],
])('the suite sends a part of the schema %s and the encoding %s as %s', (schema, encoding, kind, isList) => {
  expect(readPart(schema, encoding)).toMatchObject({ kind, isList });
});

test.each([
  [`{ oneOf: [${BINARY}, { type: object }] }`, '{}'],
  ['{ enum: [a, {}] }', '{}'],
  ['{ type: object }', '{ f: { style: form } }'],
  ['{ type: array, items: { type: string } }', '{ f: { explode: false } }'],
])('the suite does not send a part of the schema %s and the encoding %s, which it cannot write', (schema, encoding) => {
  expect(readPart(schema, encoding)).toBeUndefined();
});

test('keywords next to each reference of a chain count', () => {
  const schemas =
    "Out: { $ref: '#/components/schemas/Mid' }, Mid: { $ref: '#/components/schemas/Base', required: [b] }";
  const base = 'Base: { type: object, properties: { b: { type: string } } }';
  const body = "requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Out' } } } }";
  const contract = `${contractOf(`{ post: { ${body}, ${DONE} } }`)}\ncomponents: { schemas: { ${schemas}, ${base} } }`;
  const { cases } = createSuite(contract, { marker: 'mark', level: 'contract' });
  const bodies = cases.filter(isAccepted).flatMap(({ request }) => (request.body ? [String(request.body)] : []));
  expect(bodies).not.toEqual([]);
  expect(bodies.filter((text) => !text.includes('"b"'))).toEqual([]);
});

test('the suite sends each value of a JSON part next to a file that has no type', () => {
  const part = '{ type: object, properties: { size: { type: integer, format: int64 } } }';
  const form = `{ type: object, properties: { f: {}, about: ${part} } }`;
  const body = `requestBody: { content: { multipart/form-data: { schema: ${form} } } }`;
  const { cases } = createSuite(contractOf(`{ post: { ${body}, ${DONE} } }`), { marker: 'mark', level: 'contract' });
  expect(
    cases
      .filter(isAccepted)
      .map(({ request }) => String(request.body))
      .join(),
  ).toContain('"size":9007199254740993}');
});

test.each([
  [`additionalProperties: ${BINARY}`, 'another'],
  [`properties: { a: { type: string } }, additionalProperties: ${BINARY}`, 'another'],
  [`patternProperties: { '^x-': ${BINARY} }, additionalProperties: false`, 'x-'],
])('the suite sends files in forms with %s', (schema, name) => {
  const body = `requestBody: { required: true, content: { multipart/form-data: { schema: { type: object, ${schema} } } } }`;
  const { cases } = createSuite(contractOf(`{ post: { ${body}, ${DONE} } }`), { marker: 'mark', level: 'contract' });
  const bodies = cases.filter(({ expect: wanted }) => wanted === 'accepted').map(({ request }) => String(request.body));
  const file = new RegExp(`; name="${name}[^"]*"; filename=`);
  expect(bodies.filter((body) => file.test(body)).length).toBeGreaterThan(1);
  expect(bodies.filter((body) => !body.includes('; name='))).toEqual([]);
});
