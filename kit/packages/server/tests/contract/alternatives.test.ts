import request from 'supertest';
import type { Identity, Verifier } from '../../src/auth/authenticate';
import { serveOperation, type ServedOperation } from '@contract-kit/test-support/serve-operation';
import { serveText, type Served } from '@contract-kit/test-support/serve-text';
import { loadText } from '@contract-kit/test-support/load-text';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import type { ServiceOptions } from '../../src/pipeline/serve-contract';
import { createRenderer } from '../../src/errors/create-renderer';
import { notBuilt } from '../../src/pipeline/handler';
import { REFUSALS, Refusal } from '../../src/errors/refusal';

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
    ['bearer', { Authorization: BASIC }, '', 40100, `Bearer ${REALM}`],
    ['basic', {}, '', 40100, `Basic ${REALM}`],
    ['basic', { Authorization: 'Bearer good-basic' }, '', 40100, `Basic ${REALM}`],
    ['basic', { Authorization: 'Basic !' }, '', 40101, `Basic ${REALM}`],
    ['basic', { Authorization: toBasic('good-basic') }, '', 40101, `Basic ${REALM}`],
    ['key', {}, '', 40100, `ApiKey ${REALM}`],
    ['key', { 'X-Key': '' }, '', 40101, `ApiKey ${REALM}`],
    ['queryKey', {}, '?key=good-queryKey&key=good-queryKey', 40101, `ApiKey ${REALM}`],
    ['queryKey', {}, '?%ff=1&key=%ff', 40101, `ApiKey ${REALM}`],
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

// Problem details are what is sent of a refusal that nothing declares.
function contractOf(security: string): string {
  return `openapi: 3.1.0
info: { title: Pets, version: 1.0.0 }
paths: { /pets: { get: { operationId: listPets, security: ${security}, responses: { '200': { description: Fine., content: { application/json: {} } } } } } }
components:
  securitySchemes:
    oauth: { type: oauth2, flows: { clientCredentials: { tokenUrl: https://example.org, scopes: { read: Read., write: Write. } } } }
    openId: { type: openIdConnect, openIdConnectUrl: https://example.org }
    key: { type: apiKey, in: header, name: X-Key }
`;
}

// The credentials are the scopes.
const verifyScopes: Verifier = (credentials) => ({ subject: 'me', scopes: credentials.split('+') });

function servePets(
  security: string,
  verifiers: Readonly<Record<string, Verifier>> = {},
  more: Partial<ServiceOptions> = {},
): Promise<Served> {
  const source = contractOf(security);
  const all = { oauth: verifyScopes, openId: verifyScopes, key: verifyScopes, ...verifiers };
  const listPets: UntypedHandler = ({ identity }, reply) => reply(200, identity);
  return serveText(source, { listPets }, all, { render: createRenderer({ contract: loadText(source) }), ...more });
}

function getPets({ server }: Served, headers: Readonly<Record<string, string>>) {
  return request(server).get('/pets').set(headers);
}

test.each([
  ['[{ oauth: [read] }]', 'read'],
  ['[{ oauth: [read, write] }]', 'write+other+read'],
  ['[{ oauth: [write] }, { oauth: [read] }]', 'read'],
  ['[{ oauth: [] }]', 'other'],
])('%s: 200 for %s, and the handler sees what was granted', async (security, granted) => {
  await using served = await servePets(security);
  const reply = await getPets(served, { Authorization: `Bearer ${granted}` }).expect(200);
  expect(reply.body).toEqual({ oauth: { subject: 'me', scopes: granted.split('+') } });
});

test.each([
  ['[{ oauth: [read] }]', 'write', 'read'],
  ['[{ oauth: [read, write] }]', 'read', 'read write'],
  ['[{ oauth: [read] }]', 'rea', 'read'],
  ['[{ key: [] }, { oauth: [read] }, { oauth: [write] }]', 'other', 'read'],
  [`[{ oauth: ['a"b', 'c'] }]`, 'a', 'c'],
])('%s: 403 for %s', async (security, granted, scope) => {
  await using served = await servePets(security);
  const reply = await getPets(served, { Authorization: `Bearer ${granted}` }).expect(403);
  expect(reply.headers['www-authenticate']).toBe(`Bearer realm="Pets", error="insufficient_scope", scope="${scope}"`);
  expect(reply.headers['content-type']).toBe('application/problem+json');
  expect(reply.body).toMatchObject({ status: 403, title: 'Forbidden' });
  expect(served.outcomes).toMatchObject([{ status: 403, refusal: { kind: 'FORBIDDEN' } }]);
});

test.each([undefined, []])('an identity whose verifier returned the scopes %j has no scope', async (scopes) => {
  await using served = await servePets('[{ oauth: [read] }]', { oauth: () => ({ subject: 'me', scopes }) });
  expect((await getPets(served, { Authorization: 'Bearer a' })).status).toBe(403);
});

test('401 for wrong credentials comes before 403 for missing scopes', async () => {
  await using served = await servePets('[{ oauth: [read] }]', { oauth: () => undefined });
  expect((await getPets(served, { Authorization: 'Bearer read' })).status).toBe(401);
  expect((await getPets(served, {})).status).toBe(401);
});

test('each scheme of an alternative has scopes of its own', async () => {
  await using served = await servePets('[{ oauth: [read], key: [admin] }]');
  await getPets(served, { Authorization: 'Bearer read', 'X-Key': 'admin' }).expect(200);
  const reply = await getPets(served, { Authorization: 'Bearer read+admin', 'X-Key': 'read' }).expect(403);
  expect(reply.headers['www-authenticate']).toContain('scope="read"');
});

test('a role of another scheme than bearer has no challenge', async () => {
  await using served = await servePets('[{ key: [admin] }]');
  const reply = await getPets(served, { 'X-Key': 'user' }).expect(403);
  expect(reply.headers).not.toHaveProperty('www-authenticate');
});

test('another alternative counts, also that of anybody', async () => {
  await using served = await servePets('[{ oauth: [read] }, { key: [] }]');
  const headers = { Authorization: 'Bearer other', 'X-Key': 'a' };
  expect((await getPets(served, headers).expect(200)).body).toEqual({ key: { subject: 'me', scopes: ['a'] } });
  await using open = await servePets('[{ oauth: [read] }, {}]');
  expect((await getPets(open, headers).expect(200)).body).toEqual({});
});

test('a verifier that is not written yet says so to a caller with credentials', async () => {
  await using served = await servePets('[{ key: [] }]', { key: () => notBuilt('the verifier of key') });
  const { text } = await getPets(served, { 'X-Key': 'a' }).expect(501);
  expect(text).toContain('the verifier of key is not built yet');
  await getPets(served, {}).expect(401);
});

test('503, and no 403, where a verifier that failed might have granted it', async () => {
  const openId: Verifier = () => Promise.reject(new Error('away'));
  await using served = await servePets('[{ oauth: [read] }, { openId: [read] }]', { openId });
  expect((await getPets(served, { Authorization: 'Bearer other' })).status).toBe(503);
});

test('a verifier may say for the log, and not for the client, which rule wrong credentials break', async () => {
  const refuse = (rule: string): Verifier => {
    return () => {
      throw new Refusal('CREDENTIALS_INVALID', undefined, { rule });
    };
  };
  await using served = await serveOperation(
    { method: 'get', members: 'security: [{ key: [] }, { bearer: [] }]', components: SCHEMES },
    undefined,
    { key: refuse('revoked'), bearer: async (...given) => Promise.resolve().then(() => refuse('expired')(...given)) },
  );
  const headers = { 'X-Key': 'a-key', Authorization: 'Bearer a-token' };
  const reply = await request(served.server).get('/a').set(headers);
  expect([reply.status, reply.body]).toMatchObject([401, { message: REFUSALS.CREDENTIALS_INVALID.meaning }]);
  expect(served.outcomes).toMatchObject([{ status: 401, refusal: { kind: 'CREDENTIALS_INVALID', rule: 'revoked' } }]);
});

test.each([true, false])(
  'only a caller who is known is reported, if callers are to be named: %s',
  async (namesCaller) => {
    const key = (): Identity => ({ subject: 'till' });
    await using served = await servePets('[{ oauth: [read], key: [] }, { oauth: [write] }]', { key }, { namesCaller });
    const callerOf = async (status: number, token: string, path = '/pets'): Promise<unknown> => {
      await request(served.server)
        .get(path)
        .set({ Authorization: `Bearer ${token}`, 'X-Key': 'any' })
        .expect(status);
      return served.outcomes.at(-1)?.caller;
    };
    const named = (caller: string): unknown => (namesCaller ? caller : undefined);
    await expect(callerOf(200, 'write')).resolves.toBe(named('me'));
    await expect(callerOf(200, 'read')).resolves.toBe(named('me,till'));
    await expect(callerOf(400, 'write', '/pets?undeclared=1')).resolves.toBe(named('me'));
    await expect(callerOf(403, 'other')).resolves.toBe(named('me,till'));
    await expect(callerOf(401, '')).resolves.toBeUndefined();
    await expect(callerOf(404, 'write', '/nowhere')).resolves.toBeUndefined();
  },
);
