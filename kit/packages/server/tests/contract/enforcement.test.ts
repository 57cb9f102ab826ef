import * as OpenApiValidator from 'express-openapi-validator';
import request from 'supertest';
import { createValidators, proveValidators, type Validators } from '../../src/pipeline/validators';
import { createAuthentication } from '../../src/auth/authenticate';
import type { Contract } from '@contract-kit/contract';
import { NOTES, serveNotes } from '@contract-kit/test-support/serve-text';
import type { Validator } from '../../src/validate/validator';
import { Refusal } from '../../src/errors/refusal';
import { loadText } from '@contract-kit/test-support/load-text';
import { THINGS } from '@contract-kit/test-support/start-things';

const pass = (): never[] => [];
const enforce = (contract = loadText(THINGS)): ReturnType<typeof createValidators> =>
  createValidators(contract, OpenApiValidator, { bearerAuth: () => ({}) });

async function proveWith(changed: Partial<Validators>, contract?: Contract): Promise<void> {
  const [[operation, enforcement] = []] = enforce(contract);
  if (!operation) throw new Error('no operation');
  await proveValidators({ ...enforcement, ...changed } as Validators, operation, new Set());
}

test.each<[string, Partial<Validators>, string]>([
  ['security', { authenticate: () => Promise.resolve({}) }, 'missing credentials pass'],
  ['validation of requests', { judgeRequest: pass }, 'unknown query parameters pass'],
  ['validation of replies', { judgeReply: pass }, 'wrong replies pass'],
])('the service does not start when the %s is off', async (_, changed, message) => {
  const told = { message: `createThing cannot be enforced: ${message}`, cause: expect.anything() as unknown };
  await expect(proveWith(changed)).rejects.toMatchObject(told);
});

test('a validator that is broken is told as what it is', async () => {
  const judgeRequest = (): never => {
    throw new TypeError('broken');
  };
  await expect(proveWith({ judgeRequest })).rejects.toThrow('createThing cannot be enforced: broken');
});

test('equal messages of several operations are proven once, a request as well as a reply', async () => {
  const operation = '{ get: { responses: { "204": { description: Empty. } } } }';
  const paths = `paths: { /a: ${operation}, /b: ${operation} }`;
  const proven = new Set<string>();
  const asked: string[] = [];
  for (const [one, checks] of enforce(loadText(`openapi: 3.1.0\ninfo: { title: A, version: 1.0.0 }\n${paths}`))) {
    const judgeRequest: typeof checks.judgeRequest = (message, value) => {
      asked.push(`${one.id} request`);
      return checks.judgeRequest(message, value);
    };
    const judgeReply: typeof checks.judgeReply = (message, value) => {
      asked.push(`${one.id} reply`);
      return checks.judgeReply(message, value);
    };
    await proveValidators({ ...checks, judgeRequest, judgeReply }, one, proven);
  }
  expect(asked).toEqual(['getA request', 'getA reply']);
});

test('a public operation is checked but for its credentials', async () => {
  const off = proveWith({ judgeRequest: pass }, loadText(NOTES));
  await expect(off).rejects.toThrow('listNotes cannot be enforced: unknown query parameters pass');
});

const OWN_ERROR =
  '#/components/responses/Failure the kit answers with 400, 401, 500, 503 here, as application/json: response/body/message is not declared by the contract: have renderError return what the contract declares';

test('a contract whose Error has another shape stops the start', async () => {
  const served = serveNotes({}, () => true, NOTES.replaceAll(/message\b/g, 'detail'));
  await expect(served).rejects.toThrow(OWN_ERROR);
});

test.each(['/Maybe', '/maybe/'])('%s is another path than /maybe, and held to its own schema', async (path) => {
  const failure = '{ $ref: "#/components/responses/Failure" }';
  const failures = ['400', '401', '500', '503'].map((status) => `"${status}": ${failure}`).join(', ');
  const other = `{ operationId: other, responses: { "200": { description: Fine. }, ${failures} } }`;
  const twin = NOTES.replace('security: [{ bearerAuth: [] }]\ncomponents:', `  ${path}: { post: ${other} }\n$&`);
  await using notes = await serveNotes({ other: (_, reply) => reply(200) }, () => true, twin);
  await request(notes.server).post('/maybe').send({ numbers: 'x' }).expect(400);
  const reply = await request(notes.server).post(path).auth('a', { type: 'bearer' }).send({ numbers: 'x' });
  expect(reply.status).toBe(200);
  expect(reply.headers).toMatchObject({ 'content-length': '0' });
  expect(reply.headers).not.toHaveProperty('content-type');
});

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['the function of EOV', OpenApiValidator.middleware],
  ['another module', { middleware: () => [] }],
])('%s as validator stops the start, and tells what to pass', (_, validator) => {
  const make = (): unknown => createValidators(loadText(THINGS), validator as never, { bearerAuth: () => ({}) });
  expect(make).toThrow('validator is not express-openapi-validator: pass what `import * as OpenApiValidator');
});

test('a scheme without a verifier stops the start', () => {
  const message = 'the security scheme bearerAuth has no verifier';
  expect(() => createValidators(loadText(THINGS), OpenApiValidator, {})).toThrow(message);
  const inherited = Object.create({ bearerAuth: () => ({}) }) as Record<string, never>;
  expect(() => createValidators(loadText(THINGS), OpenApiValidator, inherited)).toThrow(message);
});

test('EOV lets nobody pass by a scheme that the operation does not have', async () => {
  const { operations } = loadText(THINGS);
  const security = operations.flatMap((operation) => operation.security);
  const createIsSecure: Validator['createIsSecure'] = () => (request) => Promise.try(request.isValid, 'another', []);
  const authenticate = createAuthentication({ security }, { bearerAuth: () => ({}) }, { createIsSecure });
  await expect(authenticate({ headers: {}, queryText: '' })).rejects.toThrow(Refusal);
});

describe('what a verifier returns', () => {
  const BEARER = { headers: { authorization: 'Bearer a-token' }, queryText: '' };

  async function verifyWith(verdict: unknown): Promise<unknown> {
    const verifiers = { bearerAuth: () => verdict as never };
    const [[, validators] = []] = createValidators(loadText(THINGS), OpenApiValidator, verifiers);
    return validators?.authenticate(BEARER);
  }

  test('is the identity', async () => {
    expect(await verifyWith({ subject: 'me' })).toEqual({ bearerAuth: { subject: 'me' } });
  });

  // A promise of another library has no more than this.
  const later = (value: unknown): object => ({
    then: (resolve: (value: unknown) => void) => {
      resolve(value);
    },
  });

  test.each([Promise.resolve({}), later({})])('is waited for, whoever made it: %#', async (verdict) => {
    expect(await verifyWith(verdict)).toEqual({ bearerAuth: {} });
  });

  test.each([Promise.resolve(undefined), later(undefined)])('lets no caller in early: %#', async (verdict) => {
    await expect(verifyWith(verdict)).rejects.toThrow(Refusal);
  });

  test.each([undefined, null, false, true, 'me'])('is refused when it is not an object: %j', async (verdict) => {
    await expect(verifyWith(verdict)).rejects.toThrow(Refusal);
    await expect(verifyWith(Promise.resolve(verdict))).rejects.toThrow(Refusal);
  });
});
