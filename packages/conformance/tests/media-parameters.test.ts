import { createSuite } from '../src';
import { findContent } from '../src/contract/serialization';

const CONTRACT = `openapi: 3.0.3
info: { title: Notes, version: 1.0.0 }
paths:
  /notes:
    post:
      operationId: keepNote
      requestBody:
        content:
          application/vnd.note+json; version=1: { schema: { type: object, properties: { a: { type: string } } } }
          application/vnd.note+json; version=2: { schema: { type: array, items: { type: string } } }
      responses: { '204': { description: Kept. } }
`;

const { model, cases } = createSuite(CONTRACT, { bodyLimit: 1024, mark: 'mark', level: 'strict' });
const contents = model.operations.flatMap(({ body }) => body?.contents ?? []);

test.each([
  ['application/vnd.note+json; version=2', 1],
  ['Application/Vnd.Note+JSON;charset=utf-8;VERSION=2', 1],
  ['application/vnd.note+json; version=1', 0],
])('%s is the one with the most parameters', (type, index) => {
  expect(findContent(contents, type)).toBe(contents[index]);
});

test('a media type is sent with the parameters that the contract has', () => {
  const right = cases.filter(({ expect: wanted, request }) => wanted === 'accepted' && request.body !== undefined);
  const types = right.flatMap(({ request }) => request.headers.filter(([name]) => name === 'Content-Type'));
  expect(new Set(types.map(([, value]) => value))).toEqual(new Set(contents.map(({ mediaType }) => mediaType)));
});
