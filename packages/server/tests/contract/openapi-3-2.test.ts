import { loadText } from '../../../../tests/support/load-text';
import { notBuilt } from '../../src/pipeline/handler';
import { contractWith, postJson, serveOperation, statusesOf, type OperationParts } from '../serve-operation';

const VERSION = '3.2.0';
const OBJECT = '{ type: object, required: [a], properties: { a: { type: integer } } }';
const MEDIA_TYPES = `mediaTypes: { A: { schema: ${OBJECT} }, B: { $ref: '#/components/mediaTypes/A' } }`;

test('content may refer to media types of the components', async () => {
  const content = "content: { application/json: { $ref: '#/components/mediaTypes/B' } }";
  const members = `requestBody: { required: true, ${content} }`;
  const responses = `'200': { description: Done., ${content} }`;
  await using served = await serveOperation(
    { version: VERSION, members, responses, components: MEDIA_TYPES },
    ({ body }, reply) => reply(200, (body as { a: number }).a === 7 ? {} : body),
  );
  await expect(statusesOf(served, ['{"a":1}', '{}', '{"a":7}'])).resolves.toEqual([200, 400, 500]);
});

test('a requirement may name a security scheme by its URI', async () => {
  const parts: OperationParts = {
    version: VERSION,
    members: "security: [{ '#/components/securitySchemes/S': [] }]",
    components: 'securitySchemes: { S: { type: apiKey, in: header, name: X-Key } }',
    body: '{}',
  };
  await using served = await serveOperation(parts, undefined, { S: (key) => (key === 'right' ? {} : undefined) });
  const sent = (key: string) =>
    fetch(`http://127.0.0.1:${String(served.port)}/a`, {
      ...{ method: 'POST', body: '1', headers: { 'X-Key': key, 'Content-Type': 'application/json' } },
    });
  expect([(await sent('right')).status, (await sent('wrong')).status]).toEqual([204, 401]);
});

describe('what would be wrong to serve is refused', () => {
  const request = (media: string): string => `requestBody: { content: { multipart/form-data: ${media} } }`;
  const NAMED = 'describe the parts by name, in encoding';

  test.each([
    [request('{ prefixEncoding: [] }'), `prefixEncoding is not supported in a request: ${NAMED}`],
    [request('{ itemEncoding: {} }'), `itemEncoding is not supported in a request: ${NAMED}`],
    [request('{ encoding: { a: { encoding: {} } } }'), `encoding is not supported in a request: ${NAMED}`],
    ["security: [{ 'https://a.example/#/S': [] }]", 'https://a.example/#/S is not defined in components'],
  ])('%s', (members, message) => {
    expect(() => loadText(contractWith({ version: VERSION, members }))).toThrow(message);
  });
});

test('in a reply, descriptions of its parts change nothing', () => {
  const responses = "'200': { description: Done., content: { multipart/mixed: { itemEncoding: {} } } }";
  expect(loadText(contractWith({ version: VERSION, responses })).operations).toHaveLength(1);
});

test('a dataValue is the sample of a reply', async () => {
  const content = `application/json: { schema: ${OBJECT}, examples: { one: { dataValue: { a: 7 } } } }`;
  const parts = { version: VERSION, body: '{}', responses: `'200': { description: Done., content: { ${content} } }` };
  await using served = await serveOperation(parts, () => notBuilt('a'), {}, { hasSamples: true });
  await postJson(served, '1').expect(200, '{"a":7}');
});
