// Compiles the validators of messages with EOV.
import { AjvOptions } from 'express-openapi-validator/dist/framework/ajv/options';
import { createRequestAjv, createResponseAjv } from 'express-openapi-validator/dist/framework/ajv';
import { isNearInt64 } from '../json/int64';
import { toRegExp } from '../text/to-reg-exp';
import { toJudge, type Ajv, type Judge } from './judge';
import { limitRules } from './limit-rules';

/** Compile a component of a document with all that express-openapi-validator adds to Ajv. */
export interface Compilers {
  /** The function fills in defaults. */
  readonly compileRequest: (name: string) => Judge;
  /** The function goes on after a wrong field. */
  readonly compileWholeRequest: (name: string) => Judge;
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
  const requests = createRequestAjv(apiSpec, toLenient(request)) as unknown as Ajv;
  const replies = createResponseAjv(apiSpec, toLenient(response)) as unknown as Ajv;

  function createWhole(): Ajv {
    const ajv = createRequestAjv(apiSpec, { ...toLenient(request), allErrors: true });
    limitRules(ajv);
    return ajv as unknown as Ajv;
  }
  let whole: Ajv | undefined;
  return {
    compileRequest: (name) => toJudge(requests, toKey(name), 'request'),
    compileWholeRequest: (name) => toJudge((whole ??= createWhole()), toKey(name), 'request'),
    compileReply: (name) => toJudge(replies, toKey(name), '/response'),
  };
}

function toKey(name: string): string {
  return `#/components/schemas/${name}`;
}

// Optimizing takes a fifth of a start with 500 operations, and makes no request cheaper.
const CODE = { regExp: Object.assign(toRegExp, { code: 'toRegExp' }), optimize: false };

// A schema with no more keywords is compiled into each that refers to it, which saves a call; a larger one once.
const SMALL = 20;

// A tuple need not have a length, a format that is not known is an annotation, and a pattern need not be one of Unicode.
function toLenient<T extends object>(options: T): T {
  return { ...options, inlineRefs: SMALL, strictTuples: false, logger: false, code: CODE };
}
