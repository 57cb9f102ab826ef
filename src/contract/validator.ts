import { parse as parseUrl } from 'node:url';
import type { Request, Response } from 'express';
import { middleware } from 'express-openapi-validator';
import { resolveReference, type Document, type OperationObject, type RequestBody } from './document';
import { METHODS } from './operation';

/** A request of which the operation is known. */
export interface ValidatedRequest extends Request {
  /** Where express-openapi-validator looks for the operation; it says nothing to a request that has none. */
  openapi: {
    readonly schema: OperationObject;
    /** Our own account of the credentials. */
    readonly security: { isMet: boolean; failure?: { readonly cause: unknown } };
  };
}

/** Whether a request meets a security scheme, by the scheme's name. */
export type SecurityHandlers = Readonly<Record<string, (req: Request) => Promise<boolean>>>;

/** One step of express-openapi-validator. */
export type Step = (req: Request, res: Response, next: (error?: Error) => void) => void;

/** The steps of express-openapi-validator, taken apart so that the kit can put its own between them. */
export interface Validator {
  /** Fails when the validator could not load the contract. */
  readonly load: Step;
  /** Finds the operation of a request and leaves it at `req.openapi`. */
  readonly lookUp: Step;
  readonly secure: Step;
  readonly validateRequest: Step;
  /** Puts the check of the reply into `res.json`. */
  readonly hookReply: Step;
}

export function createValidator(document: Document, handlers: SecurityHandlers): Validator {
  primeUrlParse();
  const steps = middleware({
    apiSpec: toEnforceable(document),
    // It was linted when the code was generated from it, and what cannot be compiled is found at start-up.
    validateApiSpec: false,
    validateResponses: true,
    // The faster way takes any two digits for a day.
    ajvFormats: { mode: 'full' },
    validateSecurity: { handlers },
  });
  return {
    load: findStep(steps, 'pathParamsMiddleware'),
    lookUp: findStep(steps, 'metadataMiddleware'),
    secure: findStep(steps, 'securityMiddleware'),
    validateRequest: findStep(steps, 'requestMiddleware'),
    hookReply: findStep(steps, 'responseMiddleware'),
  };
}

/** @throws Error when a new version of the validator has no such step */
export function findStep(steps: readonly { readonly name: string }[], name: string): Step {
  const step = steps.find((candidate) => candidate.name === name);
  if (!step) throw new Error(`express-openapi-validator has no ${name}`);
  return step as unknown as Step;
}

/** Runs a step. The promise is rejected with whatever the step passes on as an error. */
export function runStep(step: Step, req: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    step(req, req.res as Response, (error?: Error) => {
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}

/** The status under which the validator knows a reply: it checks none from 500 up, so those stand at 100 and up too. */
export function toCheckedStatus(status: number): number {
  return status >= 500 ? status - 400 : status;
}

type Spec = Exclude<Parameters<typeof middleware>[0]['apiSpec'], string>;

// The kit finds operations itself, hence no servers. The copy is for the validator, which changes what it is given.
function toEnforceable(document: Document): Spec {
  const paths = mapValues(document.paths, (item) =>
    mapValues(item, (value, key) => (METHODS.has(key) ? toEnforceableOperation(document, value) : value)),
  );
  return structuredClone({ ...document, servers: [{ url: '/' }], paths }) as unknown as Spec;
}

function toEnforceableOperation(document: Document, operation: OperationObject): OperationObject {
  const { requestBody, responses } = operation;
  const failures = Object.entries(responses).filter(([status]) => status.startsWith('5'));
  const known = failures.map(([status, reply]) => [toCheckedStatus(Number(status)), reply]);
  return {
    ...operation,
    ...(requestBody && { requestBody: { required: false, ...resolveReference<RequestBody>(document, requestBody) } }),
    responses: { ...responses, ...(Object.fromEntries(known) as typeof responses) },
  };
}

function mapValues<T>(map: Readonly<Record<string, T>>, change: (value: T, key: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]));
}

// The validator calls url.parse for each request. Since Node 24 that looks up its caller each time, until an
// application has been warned of it once.
function primeUrlParse(): void {
  const { noDeprecation } = process;
  process.noDeprecation = true;
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the very call whose warning is to be over with
  parseUrl('/');
  process.noDeprecation = noDeprecation ?? false;
}
