// Compiles the validators of messages with EOV.
import assert from 'node:assert';
import { AjvOptions } from 'express-openapi-validator/dist/framework/ajv/options';
import { ajvErrorsToValidatorError, augmentAjvErrors } from 'express-openapi-validator/dist/middlewares/util';
import { createRequestAjv, createResponseAjv } from 'express-openapi-validator/dist/framework/ajv';
import { isNearInt64 } from '../json/int64';
import { toRegExp } from '../text/to-reg-exp';

/** A function that express-openapi-validator compiled. Returns undefined for a valid value. */
export type Judge = (value: unknown) => Fault | undefined;

/** Why a value is not valid. */
export interface Fault {
  /** A JSON pointer to the first wrong member. */
  readonly pointer: string;
  /** One line, which names the members. */
  readonly text: string;
}

/** Compile a component of a document with all that express-openapi-validator adds to Ajv. */
export interface Compilers {
  /** The function fills in defaults. */
  readonly compileRequest: (name: string) => Judge;
  readonly compileReply: (name: string) => Judge;
}

/**
 * Hands a document to express-openapi-validator. Each component is a function of its own, compiled when it is asked for:
 * one function of many would be slower the more it had.
 *
 * @returns functions that throw an Error when it cannot be compiled, such as for a pattern that is no regular expression
 */
export function compile(document: object): Compilers {
  const apiSpec = document as Parameters<typeof createRequestAjv>[0];
  const { request, response } = new AjvOptions({
    validateRequests: {},
    validateResponses: {},
    validateFormats: true,
    serDes: [],
    // The mode `fast` accepts any two digits as a day.
    ajvFormats: { mode: 'full' },
    // A double cannot tell the last int64 from the number after it; the kit compares the digits.
    // No standard has `url`, so that it is an annotation.
    formats: { int64: { type: 'number', validate: isNearInt64 }, url: { type: 'string', validate: () => true } },
  } as unknown as ConstructorParameters<typeof AjvOptions>[0]);
  const requests = createRequestAjv(apiSpec, toLenient(request));
  const replies = createResponseAjv(apiSpec, toLenient(response));
  return {
    compileRequest: (name) => toJudge(requests, name, 'request'),
    compileReply: (name) => toJudge(replies, name, '/response'),
  };
}

type Ajv = ReturnType<typeof createRequestAjv>;

// Optimizing takes a fifth of a start with 500 operations, and makes no request cheaper.
const CODE = { regExp: Object.assign(toRegExp, { code: 'toRegExp' }), optimize: false };

// A schema with no more keywords is compiled into each that refers to it, which saves a call; a larger one once.
const SMALL = 20;

// A tuple need not have a length, a format that is not known is an annotation, and a pattern need not be one of Unicode.
function toLenient<T extends object>(options: T): T {
  return { ...options, inlineRefs: SMALL, strictTuples: false, logger: false, code: CODE };
}

function toJudge(ajv: Ajv, name: string, dataVar: string): Judge {
  const validate = ajv.getSchema(`#/components/schemas/${name}`);
  assert(validate, `express-openapi-validator compiled no ${name}`);
  return (value) => {
    if (validate(value)) return undefined;
    const errors = augmentAjvErrors(validate.errors as never);
    const [first] = ajvErrorsToValidatorError(0, errors).errors;
    return { pointer: String(first?.path), text: ajv.errorsText(errors, { dataVar }) };
  };
}
