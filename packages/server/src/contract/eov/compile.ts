// Compiles the validators of messages with EOV.
import { OpenApiValidator } from 'express-openapi-validator/dist/openapi.validator';
import { createRequestAjv } from 'express-openapi-validator/dist/framework/ajv';
import { SchemaPreprocessor } from 'express-openapi-validator/dist/middlewares/parsers/schema.preprocessor';
import { RequestValidator, ResponseValidator } from 'express-openapi-validator/dist/middlewares';
import { isNearInt64 } from '../json/int64';
import { JSON_TYPE } from '../operation/media-type';
import { toRegExp } from '../text/to-reg-exp';
import { toJudge, type Ajv, type Judge } from './judge';
import { limitRules } from './limit-rules';
import { MESSAGES } from './document';

/** Compile a component of a document with all that express-openapi-validator adds to Ajv. */
export interface Compilers {
  /** The function fills in defaults. */
  readonly compileRequest: (name: string) => Judge;
  /** The function goes on after a wrong field. */
  readonly compileWholeRequest: (name: string) => Judge;
  readonly compileReply: (name: string) => Judge;
}

// The keys under which express-openapi-validator caches compiled functions (useAjvCache in its util.js).
const REQUESTS = `POST-${MESSAGES}-${JSON_TYPE}`;
const REPLIES = `${REQUESTS}-200-${JSON_TYPE}`;
const COMPONENTS = '/components/schemas/';

/**
 * Hands a document to express-openapi-validator. Each component is a function of its own, compiled when it is asked for:
 * one function of many would be slower the more it had.
 *
 * @param document changed by the validator
 * @returns functions that throw an Error when it cannot be compiled, such as for a pattern that is no regular expression
 */
export function compile(document: object): Compilers {
  const apiSpec = document as ConstructorParameters<typeof SchemaPreprocessor>[0];
  const { ajvOpts, options } = new OpenApiValidator({
    apiSpec: apiSpec,
    validateResponses: true,
    // The mode `fast` accepts any two digits as a day.
    ajvFormats: { mode: 'full' },
    // A double cannot tell the last int64 from the number after it; the kit compares the digits.
    // No standard has `url`, so that it is an annotation.
    formats: { int64: { type: 'number', validate: isNearInt64 }, url: { type: 'string', validate: () => true } },
  });
  const replyOptions = options.validateResponses as ConstructorParameters<typeof SchemaPreprocessor>[2];
  const preprocessor = new SchemaPreprocessor(apiSpec, toLenient(ajvOpts.preprocessor), replyOptions);
  const { apiDoc, apiDocRes } = preprocessor.preProcess();
  const requests = new RequestValidator(apiDoc, toLenient(ajvOpts.request));
  const replies = new ResponseValidator(apiDocRes, toLenient(ajvOpts.response), replyOptions);

  // It takes the document up at the first request, so send one.
  const schema = operationOf(apiDoc);
  const openapi = { expressRoute: MESSAGES, openApiRoute: MESSAGES, pathParams: {}, schema };
  const headers = { 'content-type': JSON_TYPE };
  const probe = { method: 'POST', originalUrl: MESSAGES, headers, query: {}, params: {}, body: {}, openapi } as never;
  void requests.validate(probe, {} as never, () => undefined);
  replies._getOrBuildValidator(probe, operationOf(apiDocRes).responses);

  // With the components alone it takes a tenth of the time that a RequestValidator does.
  function createWhole(): Ajv {
    const ajv = createRequestAjv({ openapi: apiDoc.openapi } as never, {
      ...toLenient(ajvOpts.request),
      allErrors: true,
    });
    limitRules(ajv);
    return ajv.addSchema({ components: apiDoc.components }, REQUESTS) as unknown as Ajv;
  }
  let whole: Ajv | undefined;
  return {
    compileRequest: (name) => toJudge(ajvOf(requests), `${REQUESTS}#${COMPONENTS}${name}`, 'request'),
    compileWholeRequest: (name) => {
      whole ??= createWhole();
      return toJudge(whole, `${REQUESTS}#${COMPONENTS}${name}`, 'request');
    },
    compileReply: (name) => toJudge(ajvOf(replies), `${REPLIES}#${COMPONENTS}${name}`, '/response'),
  };
}

// Optimizing takes a fifth of a start with 500 operations, and makes no request cheaper.
const CODE = { regExp: Object.assign(toRegExp, { code: 'toRegExp' }), optimize: false };

// A tuple need not have a length, a format that is not known is an annotation, and a pattern need not be one of Unicode.
function toLenient<T extends object>(options: T): T {
  return { ...options, strictTuples: false, logger: false, code: CODE };
}

function operationOf({ paths }: object & { readonly paths?: unknown }): { readonly responses: never } {
  return (paths as Readonly<Record<typeof MESSAGES, { readonly post: { readonly responses: never } }>>)[MESSAGES].post;
}

// Private in its types.
function ajvOf(validator: object): Ajv {
  return (validator as { readonly ajvBody: Ajv }).ajvBody;
}
