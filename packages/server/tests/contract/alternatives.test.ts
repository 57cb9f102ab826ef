import request from 'supertest';
import type { Verifier } from '../../src/auth/authenticate';
import { serveOperation, type ServedOperation } from '../../../../tests/support/serve-operation';

const SCHEMES = `securitySchemes: {
    bearer: { type: http, scheme: bearer },
    basic: { type: http, scheme: Basic },
    key: { type: apiKey, in: header, name: X-Key },
    queryKey: { type: apiKey, in: query, name: key },
    cookieKey: { type: apiKey, in: cookie, name: session },
    openId: { type: openIdConnect, openIdConnectUrl: 'https://example.org' },
    oauth: { $ref: '#/components/x-schemes/oauth' } }, x-schemes: { oauth: { type: oauth2, flows: {} } }`;

/** Answers with the identity; credentials of a scheme count when they are `good-` and its name. */
function serveSecured(security: string, failing: readonly string[] = []): Promise<ServedOperation> {
  const verify =
    (scheme: string): Verifier =>
    (credentials) => {
      if (failing.includes(scheme)) throw new Error('away');
      return [`good-${scheme}`, `me:good-${scheme}`].includes(credentials) ? { subject: scheme } : undefined;
    };
  const names = ['bearer', 'basic', 'key', 'queryKey', 'cookieKey', 'openId', 'oauth'];
  return serveOperation(
    { method: 'get', members: `security: ${security}`, reply: '{}', components: SCHEMES },
    ({ identity }, reply) => reply(200, identity),
    Object.fromEntries(names.map((name) => [name, verify(name)])),
  );
}

type Headers = Readonly<Record<string, string>>;

async function get(security: string, headers: Headers, query = '', failing: string[] = []): Promise<request.Response> {
  await using served = await serveSecured(security, failing);
  return await request(served.server).get(`/a${query}`).set(headers);
}

const toBasic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const BASIC = toBasic('me:good-basic');
const REALM = 'realm="Tests"';

describe('a scheme alone', () => {
  test.each<[string, Headers, string]>([
    ['bearer', { Authorization: 'Bearer good-bearer' }, ''],
    ['openId', { Authorization: 'bearer good-openId' }, ''],
    ['oauth', { Authorization: 'Bearer good-oauth' }, ''],
    ['basic', { Authorization: BASIC }, ''],
    ['key', { 'X-Key': 'good-key' }, ''],
    ['queryKey', {}, '?key=good%2DqueryKey'],
    ['cookieKey', { Cookie: 'a=b; session=good-cookieKey' }, ''],
  ])('%s', async (scheme, headers, query) => {
    const reply = await get(`[{ ${scheme}: [] }]`, headers, query);
    expect([reply.status, reply.body]).toEqual([200, { [scheme]: { subject: scheme } }]);
  });

  test.each<[string, Headers, string, number, string]>([
    ['bearer', {}, '', 40100, `Bearer ${REALM}`],
    ['bearer', { Authorization: BASIC }, '', 40100, `Bearer ${REALM}`],
    ['bearer', { Authorization: 'Bearer bad' }, '', 40101, `Bearer ${REALM}, error="invalid_token"`],
    ['basic', {}, '', 40100, `Basic ${REALM}`],
    ['basic', { Authorization: 'Bearer good-basic' }, '', 40100, `Basic ${REALM}`],
    ['basic', { Authorization: 'Basic !' }, '', 40101, `Basic ${REALM}`],
    ['basic', { Authorization: toBasic('good-basic') }, '', 40101, `Basic ${REALM}`],
    ['key', {}, '', 40100, `ApiKey ${REALM}`],
    ['key', { 'X-Key': '' }, '', 40101, `ApiKey ${REALM}`],
    ['key', { 'X-Key': 'bad' }, '', 40101, `ApiKey ${REALM}`],
    ['queryKey', {}, '?key=good-queryKey&key=good-queryKey', 40101, `ApiKey ${REALM}`],
    ['queryKey', {}, '', 40100, `ApiKey ${REALM}`],
    ['queryKey', {}, '?%ff=1&key=%ff', 40101, `ApiKey ${REALM}`],
    ['cookieKey', { Cookie: 'session=bad' }, '', 40101, `ApiKey ${REALM}`],
    ['cookieKey', { Cookie: 'session=good-cookieKey; session=good-cookieKey' }, '', 40101, `ApiKey ${REALM}`],
    ['cookieKey', { Cookie: 'other=good-cookieKey' }, '', 40100, `ApiKey ${REALM}`],
  ])('401: %s %j %s', async (...[scheme, headers, query, error, challenge]) => {
    const reply = await get(`[{ ${scheme}: [] }]`, headers, query);
    expect([reply.status, reply.body, reply.headers['www-authenticate']]).toMatchObject([401, { error }, challenge]);
  });
});

describe('alternatives and combinations', () => {
  const EITHER = '[{ bearer: [] }, { key: [], basic: [] }]';

  test.each<[string, Headers, string[]]>([
    [EITHER, { Authorization: 'Bearer good-bearer' }, ['bearer']],
    [EITHER, { Authorization: BASIC, 'X-Key': 'good-key' }, ['key', 'basic']],
    [EITHER, { Authorization: 'Bearer good-bearer', 'X-Key': 'bad' }, ['bearer']],
    [EITHER, { Authorization: 'Bearer good-bearer', 'X-Key': 'good-key' }, ['bearer']],
    ['[{}, { key: [] }]', { 'X-Key': 'good-key' }, ['key']],
    ['[{}, { key: [] }]', { 'X-Key': 'bad' }, []],
    ['[{ key: [] }, {}]', {}, []],
    ['[]', { 'X-Key': 'good-key' }, []],
  ])('200: %s %j', async (security, headers, schemes) => {
    const reply = await get(security, headers);
    expect([reply.status, Object.keys(reply.body as object).sort()]).toEqual([200, schemes.sort()]);
  });

  test.each<[string, Headers, number]>([
    [EITHER, {}, 40100],
    [EITHER, { 'X-Key': 'good-key' }, 40101],
    [EITHER, { Authorization: BASIC }, 40101],
    [EITHER, { Authorization: 'Bearer bad', 'X-Key': 'good-key' }, 40101],
    ['[{ key: [], queryKey: [] }]', { 'X-Key': 'good-key' }, 40101],
  ])('401: %s %j', async (security, headers, error) => {
    expect(await get(security, headers)).toMatchObject({ status: 401, body: { error } });
  });

  test('a refusal has the challenges of all alternatives', async () => {
    const { headers } = await get(EITHER, { Authorization: 'Bearer bad' });
    const challenges = `Bearer ${REALM}, error="invalid_token", ApiKey ${REALM}, Basic ${REALM}`;
    expect(headers['www-authenticate']).toBe(challenges);
  });

  test.each<[string, string, string, Headers, number]>([
    ['the only one that might be met cannot be told', EITHER, 'bearer', { Authorization: 'Bearer good-bearer' }, 503],
    ['another one is met', EITHER, 'bearer', { Authorization: BASIC, 'X-Key': 'good-key' }, 200],
    ['a caller cannot be told, where anonymous calls are allowed', '[{}, { key: [] }]', 'key', { 'X-Key': 'a' }, 503],
    ['an anonymous call is allowed', '[{}, { key: [] }]', 'key', {}, 200],
  ])('a verifier fails, and %s', async (...[, security, failing, headers, status]) => {
    expect(await get(security, headers, '', [failing])).toMatchObject({ status });
  });
});

test('a key in the query is no parameter of the handler: others are refused, and so is a key that is not declared', async () => {
  expect(await get('[{ queryKey: [] }]', {}, '?key=good-queryKey&other=1')).toMatchObject({ status: 400 });
  expect(await get('[]', {}, '?key=1')).toMatchObject({ status: 400 });
});
