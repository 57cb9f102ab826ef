import { createSuite } from '../src';

const CONTRACT = `openapi: 3.1.0
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

const suite = createSuite(CONTRACT, { bodyLimit: 1024, marker: 'abc', level: 'robust' });
const isEmptyBody = (label: string): boolean => /no content|an empty body/.test(label);

test('an empty body is sent in both framings, where it is allowed and where no body is needed', () => {
  const sent = suite.cases.filter(({ class: kind, label }) => /positive|negative/.test(kind) && isEmptyBody(label));
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
  const { cases } = createSuite(CONTRACT, { bodyLimit: 1024, marker: 'abc', level: 'contract' });
  const labels = cases.map(({ label }) => label).filter((label) => /an empty body,|no content/.test(label));
  expect(new Set(labels)).toEqual(
    new Set(['no content, a Content-Length of 0', 'application/json, an empty body, a Content-Length of 0']),
  );
});
