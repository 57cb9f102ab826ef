import { parse as parseUrl } from 'node:url';
import type { Request, Response } from 'express';
import { middleware } from 'express-openapi-validator';
import { isNearInt64 } from './int64';

/** One step of express-openapi-validator. */
export type Step = (req: Request, res: Response, next: (error?: Error) => void) => void;

/** Whether a request meets a security scheme, by the scheme's name. */
export type SecurityHandlers = Readonly<Record<string, (req: Request) => Promise<boolean>>>;

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

/** @param document an OpenAPI document, which the validator changes */
export function createValidator(document: object, handlers: SecurityHandlers): Validator {
  primeUrlParse();
  const steps = middleware({
    apiSpec: document as Exclude<Parameters<typeof middleware>[0]['apiSpec'], string>,
    // It was linted when the code was generated from it, and what cannot be compiled is found at start-up.
    validateApiSpec: false,
    validateResponses: true,
    // The faster way takes any two digits for a day.
    ajvFormats: { mode: 'full' },
    // A double does not tell the last of an int64 from the next number; the kit does.
    formats: { int64: { type: 'number', validate: isNearInt64 } },
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

/** Runs a step on what stands for a request. The promise is rejected with whatever the step passes on as an error. */
export function runStep(step: Step, req: object, res: object = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    step(req as Request, res as Response, (error) => {
      if (error === undefined) resolve();
      else reject(error);
    });
  });
}

// The validator, and Express, call url.parse. Since Node 24 that looks up its caller each time, until an application has
// been warned of it once.
function primeUrlParse(): void {
  const { noDeprecation } = process;
  process.noDeprecation = true;
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the very call whose warning is to be over with
  parseUrl('/');
  process.noDeprecation = noDeprecation ?? false;
}
