import request from 'supertest';
import { serveText } from '@contract-kit/test-support/serve-text';

const COUNT = 2_000;
const NAMES = Array.from({ length: COUNT }, (_, index) => `p${String(index)}`);
const LAST = `p${String(COUNT - 1)}`;
const TEXT = { type: 'string' };
const named = (schema: unknown): object => Object.fromEntries(NAMES.map((name) => [name, schema]));
const alternatives = NAMES.map((name) => ({ type: 'object', required: [name], properties: { [name]: TEXT } }));

function toSource(schema: object): string {
  const error = { description: 'Failed.', content: { 'application/json': { schema: { type: 'object' } } } };
  const requestBody = { required: true, content: { 'application/json': { schema } } };
  const responses = { 204: { description: 'Taken.' }, 400: error, 500: error, 503: error };
  const paths = { '/wide': { post: { operationId: 'take', requestBody, responses } } };
  return JSON.stringify({ openapi: '3.1.0', info: { title: 'Wide', version: '1.0.0' }, security: [], paths });
}

const RIGHT = { [LAST]: 'a' };
const WRONG = { [LAST]: 1 };
const CLOSED = { type: 'object', properties: named(TEXT), additionalProperties: false };
const TAGGED = NAMES.map((name) => ({ type: 'object', required: ['k'], properties: { k: { const: name } } }));

test.each<[string, object, object, object]>([
  ['properties', CLOSED, RIGHT, WRONG],
  ['undeclared beside properties', CLOSED, {}, { a: 1 }],
  ['int64s', { type: 'object', properties: named({ type: 'integer', format: 'int64' }) }, WRONG, RIGHT],
  ['required names', { type: 'object', required: NAMES, properties: named(TEXT) }, named('a'), { p0: 'a' }],
  ['alternatives of anyOf', { anyOf: alternatives }, RIGHT, WRONG],
  ['parts of allOf', { allOf: NAMES.map((name) => ({ properties: { [name]: TEXT } })) }, RIGHT, WRONG],
  ['alternatives with a tag', { anyOf: TAGGED }, { k: LAST }, { k: 'none' }],
])('a schema of 2,000 %s is enforced', async (_members, schema, right, wrong) => {
  await using served = await serveText(toSource(schema), { take: (_request, reply) => reply(204) });
  const post = async (body: object): Promise<number> => {
    const { status } = await request(served.server).post('/wide').send(body);
    return status;
  };
  expect([await post(right), await post(wrong)]).toEqual([204, 400]);
});

test.each([
  ['oneOf', { oneOf: alternatives }],
  ['prefixItems', { type: 'array', prefixItems: NAMES.map(() => TEXT) }],
  ['patternProperties', { type: 'object', patternProperties: named(TEXT) }],
  ['dependentSchemas', { type: 'object', dependentSchemas: named({ required: ['z'] }) }],
  ['dependentRequired', { type: 'object', dependentRequired: named(['z']) }],
])('a schema with 2,000 members of %s is refused with its place when the contract is read', async (keyword, schema) => {
  const serving = serveText(toSource(schema), { take: (_request, reply) => reply(204) });
  await expect(serving).rejects.toThrow('has 2,000 members, but at most 1,000 are supported');
  await expect(serving).rejects.toThrow(new RegExp(`schema.*${keyword}|${keyword}`));
});
