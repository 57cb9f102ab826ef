import request from 'supertest';
import type { Verifier } from '../../src/auth/authenticate';
import { serveText, type Served } from '../../../../tests/support/serve-text';
import { serveEcho } from '../../../../tests/support/serve-echo';

const SCHEMES = `securitySchemes:
    bearer: { type: http, scheme: bearer }
    basic: { type: http, scheme: Basic }
    key: { type: apiKey, in: header, name: X-Key }
    queryKey: { type: apiKey, in: query, name: key }
    cookieKey: { type: apiKey, in: cookie, name: session }
    openId: { type: openIdConnect, openIdConnectUrl: https://example.org }
    oauth: { $ref: '#/components/x-schemes/oauth' }
  x-schemes: { oauth: { type: oauth2, flows: {} } }`;

const FAILURES = ['400', '401', '500', '503'].map(
  (status) => `'${status}': { $ref: '#/components/responses/Failure' }`,
);

/** Answers with the identity; credentials of a scheme count when they are `good-` and its name. */
function serveSecured(security: string, failing: readonly string[] = []): Promise<Served> {
  const verify =
    (scheme: string): Verifier =>
    (credentials) => {
      if (failing.includes(scheme)) throw new Error('away');
      return [`good-${scheme}`, `me:good-${scheme}`].includes(credentials) ? { subject: scheme } : undefined;
    };
  const names = ['bearer', 'basic', 'key', 'queryKey', 'cookieKey', 'openId', 'oauth'];
  return serveText(
    `openapi: 3.0.3
info: { title: Doors, version: 1.0.0 }
security: ${security}
paths:
  /a:
    get:
      operationId: a
      responses: { '200': { description: Fine., content: { application/json: { schema: { type: object } } } }, ${FAILURES.join(', ')} }
components:
  ${SCHEMES}
  responses:
    Failure: { description: Failed., headers: { X-Other: { schema: { type: string } }, WWW-Authenticate: { schema: { type: string } }, Retry-After: { schema: { type: integer } } }, content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } } }
  schemas:
    Error: { type: object, required: [error, message], properties: { error: { type: integer }, message: { type: string } } }
`,
    { a: ({ identity }, reply) => reply(200, identity) },
    Object.fromEntries(names.map((name) => [name, verify(name)])),
  );
}

const BASIC = `Basic ${Buffer.from('me:good-basic').toString('base64')}`;

describe('each scheme alone', () => {
  test.each([
    ['bearer', { Authorization: 'Bearer good-bearer' }, ''],
    ['openId', { Authorization: 'bearer good-openId' }, ''],
    ['oauth', { Authorization: 'Bearer good-oauth' }, ''],
    ['basic', { Authorization: BASIC }, ''],
    ['key', { 'X-Key': 'good-key' }, ''],
    ['queryKey', {}, '?key=good%2DqueryKey'],
    ['cookieKey', { Cookie: 'a=b; session=good-cookieKey' }, ''],
  ])('%s', async (scheme, headers, query) => {
    await using served = await serveSecured(`[{ ${scheme}: [] }]`);
    const reply = await request(served.server)
      .get(`/a${query}`)
      .set(headers as Record<string, string>)
      .expect(200);
    expect(reply.body).toEqual({ [scheme]: { subject: scheme } });
  });

  test.each([
    ['bearer', {}, '', 40100, 'Bearer realm="Doors"'],
    ['bearer', { Authorization: BASIC }, '', 40100, 'Bearer realm="Doors"'],
    ['bearer', { Authorization: 'Bearer bad' }, '', 40101, 'Bearer realm="Doors", error="invalid_token"'],
    ['basic', {}, '', 40100, 'Basic realm="Doors"'],
    ['basic', { Authorization: 'Bearer good-basic' }, '', 40100, 'Basic realm="Doors"'],
    ['basic', { Authorization: 'Basic !' }, '', 40101, 'Basic realm="Doors"'],
    [
      'basic',
      { Authorization: `Basic ${Buffer.from('good-basic').toString('base64')}` },
      '',
      40101,
      'Basic realm="Doors"',
    ],
    ['key', {}, '', 40100, 'ApiKey realm="Doors"'],
    ['key', { 'X-Key': '' }, '', 40101, 'ApiKey realm="Doors"'],
    ['key', { 'X-Key': 'bad' }, '', 40101, 'ApiKey realm="Doors"'],
    ['queryKey', {}, '?key=good-queryKey&key=good-queryKey', 40101, 'ApiKey realm="Doors"'],
    ['queryKey', {}, '', 40100, 'ApiKey realm="Doors"'],
    ['queryKey', {}, '?%ff=1&key=%ff', 40101, 'ApiKey realm="Doors"'],
    ['cookieKey', { Cookie: 'session=bad' }, '', 40101, 'ApiKey realm="Doors"'],
    ['cookieKey', { Cookie: 'session=good-cookieKey; session=good-cookieKey' }, '', 40101, 'ApiKey realm="Doors"'],
    ['cookieKey', { Cookie: 'other=good-cookieKey' }, '', 40100, 'ApiKey realm="Doors"'],
  ])('401: %s %j %s', async (...row) => {
    const [scheme, headers, query, error, challenge] = row;
    await using served = await serveSecured(`[{ ${scheme}: [] }]`);
    const reply = await request(served.server)
      .get(`/a${query}`)
      .set(headers as Record<string, string>)
      .expect(401);
    expect([reply.body, reply.headers['www-authenticate']]).toMatchObject([{ error }, challenge]);
  });
});

describe('alternatives and combinations', () => {
  const EITHER = '[{ bearer: [] }, { key: [], basic: [] }]';

  test.each([
    [EITHER, { Authorization: 'Bearer good-bearer' }, ['bearer']],
    [EITHER, { Authorization: BASIC, 'X-Key': 'good-key' }, ['key', 'basic']],
    [EITHER, { Authorization: 'Bearer good-bearer', 'X-Key': 'bad' }, ['bearer']],
    [EITHER, { Authorization: 'Bearer good-bearer', 'X-Key': 'good-key' }, ['bearer']],
    ['[{}, { key: [] }]', { 'X-Key': 'good-key' }, ['key']],
    ['[{}, { key: [] }]', { 'X-Key': 'bad' }, []],
    ['[{ key: [] }, {}]', {}, []],
    ['[]', { 'X-Key': 'good-key' }, []],
  ])('200: %s %j', async (security, headers, schemes) => {
    await using served = await serveSecured(security);
    const reply = await request(served.server)
      .get('/a')
      .set(headers as Record<string, string>)
      .expect(200);
    expect(Object.keys(reply.body as object).sort()).toEqual([...schemes].sort());
  });

  test.each([
    [EITHER, {}, 40100],
    [EITHER, { 'X-Key': 'good-key' }, 40101],
    [EITHER, { Authorization: BASIC }, 40101],
    [EITHER, { Authorization: 'Bearer bad', 'X-Key': 'good-key' }, 40101],
    ['[{ key: [], queryKey: [] }]', { 'X-Key': 'good-key' }, 40101],
  ])('401: %s %j', async (security, headers, error) => {
    await using served = await serveSecured(security);
    const reply = await request(served.server)
      .get('/a')
      .set(headers as Record<string, string>)
      .expect(401);
    expect(reply.body).toMatchObject({ error });
  });

  test('the challenges of all of them', async () => {
    await using served = await serveSecured(EITHER);
    const reply = await request(served.server).get('/a').set('Authorization', 'Bearer bad').expect(401);
    const challenges = 'Bearer realm="Doors", error="invalid_token", ApiKey realm="Doors", Basic realm="Doors"';
    expect(reply.headers['www-authenticate']).toBe(challenges);
  });

  test('503 when the only one that might be met cannot be told', async () => {
    await using served = await serveSecured(EITHER, ['bearer']);
    await request(served.server).get('/a').set('Authorization', 'Bearer good-bearer').expect(503);
    await request(served.server).get('/a').set({ Authorization: BASIC, 'X-Key': 'good-key' }).expect(200);
  });

  test('503 to somebody who cannot be told, where nobody may come too', async () => {
    await using served = await serveSecured('[{}, { key: [] }]', ['key']);
    await request(served.server).get('/a').set('X-Key', 'good-key').expect(503);
    await request(served.server).get('/a').expect(200, {});
  });
});

test('a key in the query is no parameter of the handler’s', async () => {
  await using served = await serveSecured('[{ queryKey: [] }]');
  await request(served.server).get('/a?key=good-queryKey&other=1').expect(400);
  await using echo = await serveEcho('/echo', '');
  await request(echo.server).post('/echo?key=1').expect(400);
});
