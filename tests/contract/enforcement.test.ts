import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import express, { type Request } from 'express';
import { createEnforcement, type Enforcement } from '../../src/contract/enforcement';
import type { Handlers } from '../../src/contract/handler';
import { loadContract } from '../../src/contract/load-contract';
import { createSecurityHandlers, type Verifier } from '../../src/contract/security';
import { serveContract } from '../../src/contract/serve-contract';
import { createValidator, findStep, type Step, type Validator } from '../../src/contract/validator';
import { loadNotes } from '../serve-notes';

const pass: Step = (_req, _res, next) => {
  next();
};

function emptyRequest(): Request {
  return new IncomingMessage(new Socket()) as Request;
}

function enforceWith(changed: Partial<Validator>): Promise<Enforcement> {
  const { document, operations } = loadContract('openapi.yaml');
  const [operation] = operations;
  const verifiers = createSecurityHandlers(document, { bearerAuth: () => true });
  if (!operation) throw new Error('no operation');
  return createEnforcement({ ...createValidator(document, verifiers), ...changed }, operation, express());
}

test.each<[string, Partial<Validator>, string]>([
  ['security', { secure: pass }, 'createPlant lets missing credentials pass'],
  ['validation of requests', { validateRequest: pass }, 'createPlant lets an unknown query parameter pass'],
  ['validation of replies', { hookReply: pass }, 'createPlant lets a wrong reply pass'],
])('the service does not start when the %s is off', async (_, changed, message) => {
  await expect(enforceWith(changed)).rejects.toThrow(message);
});

test('a request that the validator lets pass without a verifier is not served', async () => {
  let isProven = false;
  const enforcement = await enforceWith({
    secure: (_req, _res, next) => {
      next(isProven ? undefined : new Error());
      isProven = true;
    },
  });
  await expect(enforcement.authenticate(emptyRequest())).rejects.toThrow('no verifier accepted');
});

test('a failure of the validator is not taken for a bad request', async () => {
  const failure = new TypeError('the validator is broken');
  const enforcement = await enforceWith({
    validateRequest: (_req, _res, next) => {
      next(failure);
    },
  });
  await expect(enforcement.validate(emptyRequest())).rejects.toBe(failure);
});

test('a step that a new version of the validator does not have stops the start', () => {
  const { document } = loadContract('openapi.yaml');
  expect(Object.keys(createValidator(document, {}))).toEqual(['lookUp', 'secure', 'validateRequest', 'hookReply']);
  expect(() => findStep([pass], 'securityMiddleware')).toThrow('express-openapi-validator has no securityMiddleware');
});

describe('security schemes', () => {
  const { document } = loadContract('openapi.yaml');
  const yes: Verifier = () => true;

  test('a scheme without a verifier stops the start', () => {
    expect(() => createSecurityHandlers(document, {})).toThrow('the security scheme bearerAuth has no verifier');
    expect(() => createSecurityHandlers(withScheme('toString', { type: 'http', scheme: 'bearer' }), {})).toThrow(
      'has no verifier',
    );
  });

  test.each([{ type: 'apiKey' }, { type: 'http', scheme: 'basic' }, { type: 'http' }])(
    'a scheme that is not enforced stops the start: %j',
    (scheme) => {
      expect(() => createSecurityHandlers(withScheme('a', scheme), { a: yes })).toThrow(
        'the security scheme a is not supported',
      );
    },
  );

  test('a contract may have none', () => {
    expect(createSecurityHandlers({ ...document, components: {} }, {})).toEqual({});
  });

  function withScheme(name: string, scheme: { type: string; scheme?: string }): typeof document {
    return { ...document, components: { securitySchemes: { [name]: scheme } } };
  }
});

test('an operation without a handler stops the start', async () => {
  const options = {
    handlers: {} as Handlers,
    verifiers: { bearerAuth: () => true },
    prefix: '',
    bodyLimit: 1,
    isUnavailable: () => false,
    report: () => undefined,
  };
  await expect(serveContract(express(), loadNotes(), options)).rejects.toThrow(
    'the operation listNotes has no handler',
  );
});
