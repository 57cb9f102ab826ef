// Compiles the validators of messages with express-openapi-validator.
import assert from 'node:assert';
import type { Ajv, ErrorObject } from 'ajv';
import { createRequestAjv, createResponseAjv } from 'express-openapi-validator/dist/framework/ajv';
import { AjvOptions } from 'express-openapi-validator/dist/framework/ajv/options';
import { ajvErrorsToValidatorError, augmentAjvErrors } from 'express-openapi-validator/dist/middlewares/util';
import { INHERITED_NAMES } from '../../contract/schema/supported';
import { toRegExp, type ValidatorSchema } from '../../contract/schema/schema';
import { isNearInt64, NOT_INT64 } from '../../contract/json/int64';
import { shortenPointer, type RequestFault } from '../../errors/refusal';
import { FORMATS } from './formats';
import { addKeywords, limitRules, type IsValid, type Steps } from './keywords';

export interface Compilers {
  /** The compiled function fills in defaults, and stops at the first wrong field. */
  readonly compileRequest: (name: string) => FindFaults;
  /** The compiled function goes on after a wrong field: Ajv's mode `allErrors`. */
  readonly compileAllErrorsRequest: (name: string) => FindFaults;
  readonly compileReply: (name: string) => FindFaults;
  /** Whether a value matches a schema of the document. */
  readonly matches: (schema: ValidatorSchema, value: unknown) => boolean;
}

/**
 * Each component is compiled by itself on demand: one function for many would be slower the more it had. The compilers throw an
 * Error for a component that cannot be compiled, such as for a malformed pattern.
 */
export function compile(document: { readonly openapi: string; readonly components: object }): Compilers {
  // EOV refuses 3.2: its schemas are those of 3.1.
  const openapi = document.openapi.replace(/^3\.2\b/, '3.1');
  const apiSpec = { ...document, openapi } as Parameters<typeof createRequestAjv>[0];
  const { request, response } = new AjvOptions({
    validateRequests: {},
    validateResponses: {},
    validateFormats: true,
    // Do not convert dates: values stay as they were sent.
    serDes: [],
    // The mode `fast` accepts any two digits as a day.
    ajvFormats: { mode: 'full' },
    // int64: the largest one and the number after it have the same double; the digits are compared later.
    // url: no standard defines this format, so every string has it.
    formats: {
      ...FORMATS,
      int64: { type: 'number', validate: isNearInt64 },
      url: { type: 'string', validate: () => true },
    },
  } as unknown as ConstructorParameters<typeof AjvOptions>[0]);
  const ownProperties = INHERITED_NAME.test(JSON.stringify(document));
  const requestOptions = { ...toLenient(request), ownProperties };
  const requests = createLimitedAjv(createRequestAjv(apiSpec, requestOptions), STEPS);
  const replies = createLimitedAjv(createResponseAjv(apiSpec, { ...toLenient(response), ownProperties }), STEPS);

  function createAllErrorsAjv(): LimitedAjv {
    const ajv: object = createRequestAjv(apiSpec, { ...requestOptions, allErrors: true });
    limitRules(ajv as Ajv);
    return createLimitedAjv(ajv, ALL_ERRORS_STEPS);
  }
  // Created at the first invalid request: it would make the start longer.
  let allErrorsAjv: LimitedAjv | undefined;
  // Messages begin with the last argument: `request/body/id must be integer`, `/response/body/id must be integer`.
  return {
    compileRequest: (name) => createFindFaults(requests, toPointer(name), 'request'),
    compileAllErrorsRequest: (name) =>
      createFindFaults((allErrorsAjv ??= createAllErrorsAjv()), toPointer(name), 'request'),
    compileReply: (name) => createFindFaults(replies, toPointer(name), '/response'),
    matches: (schema, value) => replies.ajv.compile(schema)(value),
  };
}

// 20,000 steps take some 10 to 20 ms.
const STEPS = { atLeast: 20_000, perValue: 5 };
const ALL_ERRORS_STEPS = { atLeast: 2_000, perValue: 0 };

function toPointer(name: string): string {
  return `#/components/schemas/${name}`;
}

// Only where a contract has such a name, Ajv looks whether an object has a property itself, which takes longer.
const INHERITED_NAME = new RegExp(`"(?:${INHERITED_NAMES.join('|')})"`);

// Optimizing takes a fifth of a start with 500 operations, and makes no request cheaper.
const GENERATED_CODE = { regExp: Object.assign(toRegExp, { code: 'toRegExp' }), optimize: false };

// A referenced schema of up to 20 keywords is inlined, which saves a call; a larger one is compiled once.
export const MAX_INLINED_KEYWORDS = 20;

// Turns off what OpenAPI does not demand: tuples need no length, unknown formats are annotations, patterns need no flag u.
function toLenient<T extends object>(options: T): T {
  return { ...options, inlineRefs: MAX_INLINED_KEYWORDS, strictTuples: false, logger: false, code: GENERATED_CODE };
}

/** Validates a value with a function that express-openapi-validator compiled. Returns undefined for a valid value. */
export type FindFaults = (value: unknown) => Iterable<RequestFault> | undefined;

/** An Ajv that judges no message in more steps than its size deserves. */
interface LimitedAjv {
  readonly ajv: Ajv;
  readonly isValid: IsValid;
}

function createLimitedAjv(createdAjv: object, steps: Steps): LimitedAjv {
  const ajv = createdAjv as Ajv;
  return { ajv, isValid: addKeywords(ajv, steps) };
}

/** `pointer` is that of a schema, such as `#/components/schemas/m0`; `root` names the value in messages, such as `request`. */
function createFindFaults({ ajv, isValid }: LimitedAjv, pointer: string, root: string): FindFaults {
  const validate = ajv.getSchema(pointer);
  assert(validate, `express-openapi-validator compiled no ${pointer}`);
  return (value) => (isValid(validate, value) ? undefined : toFaults(validate.errors as Iterable<ErrorObject>, root));
}

// The name of a property that is not allowed, for a message; '' for other errors.
function undeclaredIn({ params }: ErrorObject): string {
  const { additionalProperty, unevaluatedProperty = additionalProperty } = params as Record<string, string | undefined>;
  return unevaluatedProperty === undefined ? '' : `: ${shortenPointer(unevaluatedProperty)}`;
}

// A generator, since there may be many more errors than are reported.
function* toFaults(errors: Iterable<ErrorObject>, root: string): Generator<RequestFault> {
  for (const error of errors) {
    // An error of `if` only says that `then` or `else` failed: the errors before it say why.
    if (error.keyword === 'if') continue;
    // Both functions are those of express-openapi-validator: the first adds the allowed values to messages about enum.
    const [{ instancePath, keyword, message }] = augmentAjvErrors([error as never]) as unknown as [ErrorObject];
    // For a missing or undeclared property, `path` includes its name; Ajv's `instancePath` is the path of the object.
    const [withPath] = ajvErrorsToValidatorError(0, [error as never]).errors;
    // A number far beyond the range is told as one just beyond it, of which only the digits tell.
    const isInt64 = (error.params as { readonly format?: string }).format === 'int64';
    const { rule, problem } = isInt64
      ? NOT_INT64
      : { rule: keyword, problem: `${String(message)}${undeclaredIn(error)}` };
    const pointer = shortenPointer(String(withPath?.path));
    yield { pointer, rule, message: `${root}${shortenPointer(instancePath)} ${problem}` };
  }
}
