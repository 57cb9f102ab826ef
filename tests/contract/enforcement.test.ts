import request from 'supertest';
import { toEnforceable } from '../../src/contract/enforceable';
import { createEnforcements, type Enforcement } from '../../src/contract/enforcement';
import type { Handlers } from '../../src/contract/handler';
import type { Contract } from '../../src/contract/load-contract';
import { asVerifiers } from '../as-verifiers';
import { loadText } from '../load-text';
import type { Reply } from '../../src/contract/body-declaration';
import type { Operation } from '../../src/contract/operation';
import { createSecurityHandlers } from '../../src/contract/security';
import { serveContract } from '../../src/contract/serve-contract';
import { createValidator, findStep, type Step, type Validator } from '../../src/contract/validator';
import { NOTES, serveNotes } from '../serve-notes';
import { THINGS } from '../start-things';

const pass: Step = (_req, _res, next) => {
  next();
};

const NOTHING = { headers: {}, queryText: '' };

async function enforceWith(
  change: (validator: Validator) => Partial<Validator>,
  { document, operations }: Contract = loadText(THINGS),
): Promise<Enforcement> {
  const enforceable = toEnforceable(document, operations);
  const handlers = createSecurityHandlers(operations, { bearerAuth: () => ({}) });
  const validator = createValidator(enforceable.document, handlers);
  const [first] = (await createEnforcements({ ...validator, ...change(validator) }, enforceable)).values();
  if (!first) throw new Error('no operation');
  return first;
}

test.each<[string, Partial<Validator>, string]>([
  ['security', { secure: pass }, 'the validator let a request pass that no verifier accepted'],
  ['validation of requests', { validateRequest: pass }, 'unknown query parameters pass'],
  ['validation of replies', { hookReply: pass }, 'wrong replies pass'],
])('the service does not start when the %s is off', async (_, changed, message) => {
  await expect(enforceWith(() => changed)).rejects.toMatchObject({
    message: `createThing cannot be enforced: ${message}`,
    cause: expect.anything() as unknown,
  });
});

test('a public operation is checked but for its credentials', async () => {
  const off = enforceWith(() => ({ validateRequest: pass }), loadText(NOTES));
  await expect(off).rejects.toThrow('listNotes cannot be enforced: unknown query parameters pass');
});

test('a validator that takes one operation for another stops the start', async () => {
  const lookUp: Step = (req, _res, next) => {
    Object.assign(req, { openapi: { schema: { operationId: 'other' } } });
    next();
  };
  await expect(enforceWith(() => ({ lookUp }))).rejects.toThrow('the validator found another operation');
  await expect(enforceWith(() => ({ lookUp: pass }))).rejects.toThrow('the validator found no operation');
});

describe('a validator that fails after the start', () => {
  let isProven = false;
  beforeEach(() => {
    isProven = false;
  });
  function failing(step: Step, failure?: Error): Step {
    return (req, res, next) => {
      if (isProven) next(failure);
      else step(req, res, next);
    };
  }

  test('a request that it lets pass without a verifier is not served', async () => {
    const enforcement = await enforceWith(({ secure }) => ({ secure: failing(secure) }));
    isProven = true;
    await expect(enforcement.authenticate(NOTHING)).rejects.toThrow('no verifier accepted');
  });

  test('its failure is not taken for wrong credentials', async () => {
    const failure = new TypeError('the validator is broken');
    const enforcement = await enforceWith(({ secure }) => ({ secure: failing(secure, failure) }));
    isProven = true;
    await expect(enforcement.authenticate(NOTHING)).rejects.toBe(failure);
  });

  test('its failure is not taken for a bad request', async () => {
    const failure = new TypeError('the validator is broken');
    const enforcement = await enforceWith(({ validateRequest }) => ({
      validateRequest: failing(validateRequest, failure),
    }));
    isProven = true;
    const [{ replies } = {} as Operation] = loadText(THINGS).operations;
    const [{ usual } = {} as Reply] = replies.values();
    await expect(enforcement.validate(usual, {})).rejects.toBe(failure);
  });
});

test('a step that a new version of the validator does not have stops the start', () => {
  expect(() => findStep([pass], 'securityMiddleware')).toThrow('express-openapi-validator has no securityMiddleware');
});

describe('contracts that cannot be enforced stop the start', () => {
  test.each([
    [
      'a pattern that does not compile',
      /text: .*/,
      `text: { type: string, pattern: '[' }`,
      'Invalid regular expression',
    ],
    [
      'a pattern of a reply',
      /why: .*/,
      `why: { type: string, pattern: '^\\-$' } } } } }`,
      'Invalid regular expression',
    ],
    ['a type that does not exist', /text: .*/, 'text: { type: strin }', 'type must be JSONType'],
    [
      'a reply of the kit that is not declared',
      /'401': .*\n/,
      `'402': { description: Pay. }\n`,
      '#/paths/~1notes/put/responses the kit answers 401 by itself',
    ],
    [
      'a reply of the kit that a public operation does not declare',
      /'500': .*\n/,
      `'502': { description: Broken. }\n`,
      '#/paths/~1notes/get/responses the kit answers 500 by itself',
    ],
    ['an Error of another shape', /message: \{/, 'detail: {', 'response/body/message is not declared by the contract'],
  ])('%s', async (_, pattern, text, message) => {
    await expect(
      serveNotes(
        {},
        () => true,
        NOTES.replace(pattern, () => text),
      ),
    ).rejects.toThrow(message);
  });
});

test.each(['/Maybe', '/maybe/'])('%s is another path than /maybe, and held to its own schema', async (path) => {
  const twin = NOTES.replace(
    'security: [{ bearerAuth: [] }]\ncomponents:',
    `  ${path}: { post: { operationId: other, responses: { "200": { description: Fine. }, "400": { $ref: "#/components/responses/Failure" }, "401": { $ref: "#/components/responses/Failure" }, "500": { $ref: "#/components/responses/Failure" }, "503": { $ref: "#/components/responses/Failure" } } } }\nsecurity: [{ bearerAuth: [] }]\ncomponents:`,
  );
  await using notes = await serveNotes({ other: (_, reply) => reply(200) }, () => true, twin);
  await request(notes.server).post('/maybe').send({ numbers: 'x' }).expect(400);
  const reply = await request(notes.server).post(path).auth('a', { type: 'bearer' }).send({ numbers: 'x' });
  expect(reply.status).toBe(200);
  expect(reply.headers).toMatchObject({ 'content-length': '0' });
  expect(reply.headers).not.toHaveProperty('content-type');
});

test('a scheme without a verifier stops the start', () => {
  const { operations } = loadText(THINGS);
  const message = 'the security scheme bearerAuth has no verifier';
  expect(() => createSecurityHandlers(operations, {})).toThrow(message);
  expect(() =>
    createSecurityHandlers(operations, Object.create({ bearerAuth: () => ({}) }) as Record<string, never>),
  ).toThrow(message);
  expect(createSecurityHandlers([], {})).toEqual({});
});

test('an operation without a handler stops the start', async () => {
  const options = {
    handlers: {} as Handlers,
    verifiers: asVerifiers({ bearerAuth: () => ({}) }),
    prefix: '',
    bodyLimit: 1,
    isUnavailable: () => false,
    report: () => undefined,
  };
  await expect(serveContract(loadText(NOTES), options)).rejects.toThrow('the operation listNotes has no handler');
});
