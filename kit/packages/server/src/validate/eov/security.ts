import {
  ContractError,
  mapValues,
  resolveReference,
  type NormalizedDocument,
  type SecurityScheme,
} from '@contract-kit/contract';
import type { OpenApiValidator, SecuredRequest, Validator } from '../validator';

type Options = Parameters<OpenApiValidator['middleware']>[0];
type ApiDoc = Exclude<Options['apiSpec'], string>;

const NOT_EOV =
  "validator is not express-openapi-validator: pass what `import * as OpenApiValidator from 'express-openapi-validator'` gives";

type Middleware = ReturnType<OpenApiValidator['middleware']>[number];

// EOV's middleware, which keeps no state. It is shared, because EOV takes about 50 ms to compile OpenAPI's own schema for it.
const sharedMiddleware = new WeakMap<OpenApiValidator, Map<string, Middleware>>();

/** Uses EOV's security middleware, with each request's verifiers as its handlers. */
export function createSecurity(
  eov: OpenApiValidator | undefined,
  document: NormalizedDocument,
  openapi: string,
): Validator['createIsSecure'] {
  if (!eov) throw new ContractError(NOT_EOV);
  const securitySchemes = mapValues(document.components?.securitySchemes ?? {}, (node) => {
    const { type, name, in: location, scheme } = resolveReference<SecurityScheme>(document, node, 'SecurityScheme');
    return { type, name, in: location, scheme };
  });
  const handlers = mapValues(securitySchemes, (_scheme, name) => (request: unknown, scopes: readonly string[]) => {
    const isValid = (request as SecuredRequest).isValid(name, scopes);
    return typeof isValid === 'boolean' ? refuseUnless(isValid) : isValid.then(refuseUnless);
  });
  const apiSpec = toApiDoc(openapi, { securitySchemes });
  const key = JSON.stringify(apiSpec);
  const middlewareBySpec = sharedMiddleware.get(eov) ?? new Map<string, Middleware>();
  const secure = middlewareBySpec.get(key) ?? createMiddleware(eov, { apiSpec, validateSecurity: { handlers } });
  sharedMiddleware.set(eov, middlewareBySpec.set(key, secure));
  return (security) => {
    const route = { openApiRoute: '/', schema: { security } };
    return ({ headers, query, cookies, isValid }) =>
      new Promise((resolve, reject) => {
        const request = { headers, query, cookies, isValid, openapi: route };
        void secure(request as never, NO_RESPONSE as never, (error?: unknown) => {
          restoreStacks();
          const status = Number(statusOf(error));
          if (error === undefined) resolve(true);
          else if (status >= 400 && status < 500) resolve(false);
          else reject(toFailure(error));
        });
      });
  };
}

const NO_RESPONSE = Object.freeze({});

function refuseUnless(isValid: boolean): true {
  if (!isValid) throw REFUSAL_ERROR;
  return true;
}

// EOV reads this message just before it creates its own error. If a handler returned false, EOV would create another error first.
const REFUSAL_ERROR = Object.defineProperty(new Error(), 'message', { get: disableStacks });

let stackTraceLimit: number | undefined;

/** Makes EOV create the error for a refusal without a stack trace, which nobody reads. EOV's failures still have one. */
export function disableStacks(): void {
  stackTraceLimit ??= Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
}

/** Undoes disableStacks. Must be called as soon as EOV has answered. */
export function restoreStacks(): void {
  if (stackTraceLimit === undefined) return;
  Error.stackTraceLimit = stackTraceLimit;
  stackTraceLimit = undefined;
}

function createMiddleware(eov: OpenApiValidator, options: Options): Middleware {
  const defaults = { validateApiSpec: false, validateRequests: false, validateResponses: false, fileUploader: false };
  const { middleware } = Object(eov) as Partial<OpenApiValidator>;
  if (typeof middleware !== 'function') throw new ContractError(NOT_EOV);
  const steps = middleware({ ...defaults, ...options });
  // Earlier steps find the operation, which the kit has already done.
  const secure = steps.find(({ name }) => name === 'securityMiddleware');
  if (!secure) throw new ContractError(NOT_EOV);
  return secure;
}

// EOV copies its document into each schema that it compiles, so the contract's schemas are not part of the document.
export function toApiDoc(openapi: string, components: object = {}): ApiDoc {
  return { openapi, info: { title: '', version: '' }, paths: {}, components } as ApiDoc;
}

export const UNDECIDED = 'express-openapi-validator did not decide';

export function statusOf(error: unknown): unknown {
  return (error as { readonly status?: unknown } | null)?.status;
}

/** Creates the error to throw if EOV itself failed. A RangeError, for a stack overflow, stays unchanged. */
export function toFailure(answer: unknown): Error {
  if (answer instanceof RangeError) return answer;
  // Leaves out the status of EOV's error, which would blame the client.
  return new Error(answer instanceof Error ? answer.message : UNDECIDED, { cause: answer });
}
