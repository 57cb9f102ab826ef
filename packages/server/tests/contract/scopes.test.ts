import request from 'supertest';
import { serveText, type Served } from '../../../../tests/support/serve-text';
import { loadText } from '../../../../tests/support/load-text';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import type { Verifier } from '../../src/auth/authenticate';
import { createCatalogueRenderer, createRenderer } from '../../src/errors/create-renderer';
import { errors } from '../../../../generated/contract';

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
const verify: Verifier = (credentials) => ({ subject: 'me', scopes: credentials.split('+') });

function serve(security: string, verifiers: Readonly<Record<string, Verifier>> = {}): Promise<Served> {
  const source = contractOf(security);
  const all = { oauth: verify, openId: verify, key: verify, ...verifiers };
  const listPets: UntypedHandler = ({ identity }, reply) => reply(200, identity);
  return serveText(source, { listPets }, all, { render: createRenderer({ contract: loadText(source) }) });
}

function get({ server }: Served, headers: Readonly<Record<string, string>>) {
  return request(server).get('/pets').set(headers);
}

test.each([
  ['[{ oauth: [read] }]', 'read'],
  ['[{ oauth: [read, write] }]', 'write+other+read'],
  ['[{ oauth: [write] }, { oauth: [read] }]', 'read'],
  ['[{ oauth: [] }]', 'other'],
])('%s: 200 for %s, and the handler sees what was granted', async (security, granted) => {
  await using served = await serve(security);
  const reply = await get(served, { Authorization: `Bearer ${granted}` }).expect(200);
  expect(reply.body).toEqual({ oauth: { subject: 'me', scopes: granted.split('+') } });
});

test.each([
  ['[{ oauth: [read] }]', 'write', 'read'],
  ['[{ oauth: [read, write] }]', 'read', 'read write'],
  ['[{ oauth: [read] }]', 'rea', 'read'],
  ['[{ oauth: [read] }]', 'READ', 'read'],
  ['[{ key: [] }, { oauth: [read] }, { oauth: [write] }]', 'other', 'read'],
  [`[{ oauth: ['a"b', 'c'] }]`, 'a', 'c'],
])('%s: 403 for %s', async (security, granted, scope) => {
  await using served = await serve(security);
  const reply = await get(served, { Authorization: `Bearer ${granted}` }).expect(403);
  expect(reply.headers['www-authenticate']).toBe(`Bearer realm="Pets", error="insufficient_scope", scope="${scope}"`);
  expect(reply.headers['content-type']).toBe('application/problem+json');
  expect(reply.body).toMatchObject({ status: 403, title: 'Forbidden' });
  expect(served.outcomes).toMatchObject([{ status: 403, refusal: { kind: 'FORBIDDEN' } }]);
});

test.each([undefined, []])('an identity whose verifier returned the scopes %j has no scope', async (scopes) => {
  await using served = await serve('[{ oauth: [read] }]', { oauth: () => ({ subject: 'me', scopes }) });
  expect((await get(served, { Authorization: 'Bearer a' })).status).toBe(403);
});

test('401 for wrong credentials comes before 403 for missing scopes', async () => {
  await using served = await serve('[{ oauth: [read] }]', { oauth: () => undefined });
  expect((await get(served, { Authorization: 'Bearer read' })).status).toBe(401);
  expect((await get(served, {})).status).toBe(401);
});

test('each scheme of an alternative has scopes of its own', async () => {
  await using served = await serve('[{ oauth: [read], key: [admin] }]');
  await get(served, { Authorization: 'Bearer read', 'X-Key': 'admin' }).expect(200);
  const reply = await get(served, { Authorization: 'Bearer read+admin', 'X-Key': 'read' }).expect(403);
  expect(reply.headers['www-authenticate']).toContain('scope="read"');
});

test('a role of another scheme than bearer has no challenge', async () => {
  await using served = await serve('[{ key: [admin] }]');
  const reply = await get(served, { 'X-Key': 'user' }).expect(403);
  expect(reply.headers).not.toHaveProperty('www-authenticate');
});

test('another alternative counts, also that of anybody', async () => {
  await using served = await serve('[{ oauth: [read] }, { key: [] }]');
  const headers = { Authorization: 'Bearer other', 'X-Key': 'a' };
  expect((await get(served, headers).expect(200)).body).toEqual({ key: { subject: 'me', scopes: ['a'] } });
  await using open = await serve('[{ oauth: [read] }, {}]');
  expect((await get(open, headers).expect(200)).body).toEqual({});
});

test('503, and no 403, where a verifier that failed might have granted it', async () => {
  const openId: Verifier = () => Promise.reject(new Error('away'));
  await using served = await serve('[{ oauth: [read] }, { openId: [read] }]', { openId });
  expect((await get(served, { Authorization: 'Bearer other' })).status).toBe(503);
});

test('a catalogue needs a row for it', () => {
  const contract = loadText(contractOf('[{ oauth: [read] }]'));
  expect(() => createRenderer({ contract, errors })).toThrow('the error catalogue lacks FORBIDDEN');
  const FORBIDDEN = { number: 40300, status: 403, meaning: 'Not allowed.' };
  expect(() => createRenderer({ contract, errors: { ...errors, FORBIDDEN } })).not.toThrow();
  expect(() => createCatalogueRenderer(errors)).not.toThrow();
});
