// EOV's security middleware, the document that EOV is given, and the errors that it answers with.
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

// EOV compiles the schema of OpenAPI itself for each one that it makes, which takes some 50 ms. None keeps anything of a request.
const known = new WeakMap<OpenApiValidator, Map<string, Middleware>>();

/** EOV's security middleware, with the verifiers of each request as its handlers. */
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
  const ofEov = known.get(eov) ?? new Map<string, Middleware>();
  const secure = ofEov.get(key) ?? createMiddleware(eov, { apiSpec, validateSecurity: { handlers } });
  known.set(eov, ofEov.set(key, secure));
  return (security) => {
    const route = { openApiRoute: '/', schema: { security } };
    return ({ headers, query, cookies, isValid }) =>
      new Promise((resolve, reject) => {
        const request = { headers, query, cookies, isValid, openapi: route };
        void secure(request as never, NO_RESPONSE as never, (error?: unknown) => {
          resumeStacks();
          const status = Number(statusOf(error));
          if (error === undefined) resolve(true);
          else if (status >= 400 && status < 500) resolve(false);
          else reject(toFailure(error));
        });
      });
  };
}

// EOV has no reason to write to it.
const NO_RESPONSE = Object.freeze({});

function refuseUnless(isValid: boolean): true {
  if (!isValid) throw REFUSED;
  return true;
}

// EOV reads its message for the error of a refusal, which it makes next. Of `false`, it would make another error first.
const REFUSED = Object.defineProperty(new Error(), 'message', { get: stopStacks });

let stackTraceLimit: number | undefined;

/** Has EOV make the error of a refusal without a stack, which nobody reads. What EOV itself fails with comes before, and has one. */
export function stopStacks(): void {
  stackTraceLimit ??= Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
}

/** To be called as soon as EOV has answered. */
export function resumeStacks(): void {
  if (stackTraceLimit === undefined) return;
  Error.stackTraceLimit = stackTraceLimit;
  stackTraceLimit = undefined;
}

function createMiddleware(eov: OpenApiValidator, options: Options): Middleware {
  const others = { validateApiSpec: false, validateRequests: false, validateResponses: false, fileUploader: false };
  const { middleware } = Object(eov) as Partial<OpenApiValidator>;
  if (typeof middleware !== 'function') throw new ContractError(NOT_EOV);
  const steps = middleware({ ...others, ...options });
  // The steps before it find the operation, which the kit has done.
  const secure = steps.find(({ name }) => name === 'securityMiddleware');
  if (!secure) throw new ContractError(NOT_EOV);
  return secure;
}

// EOV copies its document into each schema that it compiles, so that the schemas of the contract stand beside the document.
export function toApiDoc(openapi: string, components: object = {}): ApiDoc {
  return { openapi, info: { title: '', version: '' }, paths: {}, components } as ApiDoc;
}

/** What an answer is until EOV gives one. */
export const UNDECIDED = 'express-openapi-validator did not decide';

export function statusOf(error: unknown): unknown {
  return (error as { readonly status?: unknown } | null)?.status;
}

/** The error to throw when EOV itself failed, or when the stack overflowed: a RangeError. */
export function toFailure(answer: unknown): Error {
  if (answer instanceof RangeError) return answer;
  // Without the status of EOV's error, which would be the client's fault.
  return new Error(answer instanceof Error ? answer.message : UNDECIDED, { cause: answer });
}
