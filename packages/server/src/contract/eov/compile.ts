// Compiles the validators of messages with EOV.
import { AjvOptions } from 'express-openapi-validator/dist/framework/ajv/options';
import { createRequestAjv, createResponseAjv } from 'express-openapi-validator/dist/framework/ajv';
import { INHERITED_NAMES } from '../document/inherited-names';
import type { Schema } from '../document/schema';
import { isNearInt64 } from '../json/int64';
import { toRegExp } from '../text/to-reg-exp';
import { FORMATS } from './formats';
import { toJudge, toValidators, type Judge, type Validators } from './judge';
import { limitRules } from './limit-rules';

export interface Compilers {
  /** The compiled function fills in defaults, and stops at the first wrong field. */
  readonly compileRequest: (name: string) => Judge;
  /** The compiled function goes on after a wrong field: Ajv's mode `allErrors`. */
  readonly compileAllErrorsRequest: (name: string) => Judge;
  readonly compileReply: (name: string) => Judge;
  /** Whether a value matches a schema of the document. */
  readonly matches: (schema: Schema, value: unknown) => boolean;
}

/**
 * Each component is compiled by itself on demand: one function for many would be slower the more it had. The compilers throw an
 * Error for a component that cannot be compiled, such as for a malformed pattern.
 */
export function compile(document: object): Compilers {
  const apiSpec = document as Parameters<typeof createRequestAjv>[0];
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
  const ofRequests = { ...toLenient(request), ownProperties };
  const requests = toValidators(createRequestAjv(apiSpec, ofRequests), STEPS);
  const replies = toValidators(createResponseAjv(apiSpec, { ...toLenient(response), ownProperties }), STEPS);

  function createAllErrorsAjv(): Validators {
    const ajv = createRequestAjv(apiSpec, { ...ofRequests, allErrors: true });
    limitRules(ajv);
    return toValidators(ajv, ALL_ERRORS_STEPS);
  }
  // Created at the first invalid request: it would make the start longer.
  let allErrorsAjv: Validators | undefined;
  // Messages begin with the last argument: `request/body/id must be integer`, `/response/body/id must be integer`.
  return {
    compileRequest: (name) => toJudge(requests, toPointer(name), 'request'),
    compileAllErrorsRequest: (name) => toJudge((allErrorsAjv ??= createAllErrorsAjv()), toPointer(name), 'request'),
    compileReply: (name) => toJudge(replies, toPointer(name), '/response'),
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
