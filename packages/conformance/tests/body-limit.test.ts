import { createSuite, type Case } from '../src';
import { toFramedBody } from '../src/wire/request';

function sizeCasesOf(media: string, limit?: string): Case[] {
  const suite = createSuite(
    `openapi: 3.1.0
info: { title: Uploads, version: 1.0.0 }
security: []
paths:
  /uploads:
    post:
      operationId: upload
      requestBody:
        content: { ${media} }${limit === undefined ? '' : `\n        x-body-limit: ${limit}`}
      responses: { '204': { description: Done. } }
`,
    { bodyLimit: 1024, marker: 'mark', level: 'robust' },
  );
  return suite.cases.filter((one) => one.class === 'size');
}

/** The lengths of the bodies that are sent to try the limit of an operation, by what is said of them. */
function lengthsOf(media: string, limit?: string): Record<string, number> {
  const cases = sizeCasesOf(`${media}: { schema: {} }`, limit).filter((one) => one.label.startsWith('a body '));
  return Object.fromEntries(
    cases.map(({ label, request }) => [
      label.replace(/ \(.*$/, ''),
      toFramedBody({ ...request, framing: 'length' }).length,
    ]),
  );
}

const BYTES = 'application/octet-stream';
const pair = (limit: number): object => ({
  'a body of the largest size': limit,
  'a body one byte too large': limit + 1,
});

test.each([
  [BYTES, undefined, pair(1024)],
  // The valid body is larger than this limit.
  [BYTES, '100b', { 'a body one byte too large': 256 }],
  [BYTES, '3KB', pair(3 * 1024)],
  [BYTES, '8mb', pair(8 * 1024 ** 2)],
  [BYTES, '9mb', {}],
  [BYTES, '2gb', {}],
  ['application/json', '1mb', pair(1024 ** 2)],
  ['application/json', '5mb', { 'a body one byte too large': 5 * 1024 ** 2 + 1 }],
])('a body of %s with the limit %s is tried up to and beyond it, where it is small', (media, limit, lengths) => {
  expect(lengthsOf(media, limit)).toEqual(lengths);
});

test.each([
  ['application/jsonl', 'itemSchema: { type: object }'],
  ['application/json-seq', 'schema: { type: array, minItems: 1, items: { type: integer } }'],
  ['text/event-stream', 'itemSchema: { type: object, required: [data], properties: { data: { type: string } } }'],
])('an item of %s may make its body as large as the limit', (media, schema) => {
  const cases = sizeCasesOf(`${media}: { ${schema} }`);
  const large = cases.filter(
    ({ label, expect }) => label.includes('an item of the largest size') && expect === 'accepted',
  );
  expect(large.map(({ request }) => request.body?.length)).toEqual([1024]);
});
