// The three parts of express-openapi-validator (EOV) that decide on credentials, requests and replies: see README.md beside
// this file.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Ajv } from 'ajv';
import { RequestValidator, ResponseValidator } from 'express-openapi-validator/dist/middlewares';
import {
  ContractError,
  INHERITED_NAMES,
  isOpenApi30,
  JSON_TYPE,
  toExactJson,
  toRegExp,
  type MessageSchema,
  type NormalizedDocument,
  type ValidatorSchema,
} from '@contract-kit/contract';
import { addFaults, type RequestFault } from '../../errors/refusal';
import { createFormats, type Formats } from '../formats';
import { shareSchemas } from '../shared-schemas';
import { toFaults } from '../to-faults';
import type { Messages, OpenApiValidator, Validator } from '../validator';
import { copyMessages, toBytes, toSchemaId } from './copy-schemas';
import { addKeywords, limitRules, type JudgeOnce } from './keywords';
import { createSecurity, resumeStacks, statusOf, stopStacks, toApiDoc, toFailure, UNDECIDED } from './security';

type ApiDoc = ConstructorParameters<typeof RequestValidator>[0];
type Schemas = Readonly<Record<string, ValidatorSchema>>;

// EOV's own options, but for those that turn off what OpenAPI does not demand: tuples need no length, unknown formats are
// annotations, patterns need no flag u.
const OPTIONS = {
  strict: false,
  strictNumbers: true,
  validateSchema: false,
  validateFormats: true,
  // The mode `fast` accepts any two digits as a day.
  ajvFormats: { mode: 'full' },
  logger: false,
  // A referenced schema of up to 20 keywords is inlined, which saves a call; a larger one is compiled once.
  inlineRefs: 20,
  // Optimizing takes a fifth of a start with 500 operations, and makes no request cheaper.
  code: { regExp: Object.assign(toRegExp, { code: 'toRegExp' }), optimize: false },
};

// Only where a contract has such a name, Ajv looks whether an object has a property itself, which takes longer.
const INHERITED_NAME = new RegExp(`"(?:${INHERITED_NAMES.join('|')})"`);

// EOV refuses 3.2, whose schemas are those of 3.1.
const toVersion = ({ openapi }: NormalizedDocument): string => openapi.replace(/^3\.2\b/, '3.1');

/**
 * Makes EOV's three parts for a contract. EOV compiles a message when it judges the first one: `proveValidators` does so at the
 * start.
 *
 * @throws ContractError when a fork is in the place of Ajv; and `createIsSecure` does when something else is in that of EOV
 */
export function createValidator(
  eov: OpenApiValidator | undefined,
  document: NormalizedDocument,
  operations: readonly Messages[],
  formats: Formats = {},
): Validator {
  const messages = operations.flatMap(({ requests, replies }) => [...requests, ...replies]);
  const { names, copies, defaults } = copyMessages(document, messages);
  shareSchemas(copies, (reference) => reference.slice(toSchemaId('').length));
  const schemas = { ...copies, [PROOF]: SELF_REFERENCE };
  const openapi = toVersion(document);
  const options = {
    ...OPTIONS,
    formats: createFormats(formats),
    ownProperties: INHERITED_NAME.test(toExactJson(schemas)),
  };
  const requests = createRequestJudge(openapi, schemas, options);
  const replies = createReplyJudge(openapi, schemas, options);
  proveAjv(openapi, [requests, replies]);
  // A default that its schema refuses is not filled in: clients that send nothing would be told of it.
  for (const copies of Map.groupBy(defaults, toBytes).values()) {
    const [copy] = copies as [(typeof copies)[number]];
    if (replies.judgeOnce(() => replies.ajv.compile(copy)(copy['x-default'] ?? copy.default))) continue;
    for (const each of copies) for (const name of ['default', 'x-default']) Reflect.deleteProperty(each, name);
  }
  // Created at the first invalid request: it would make the start longer.
  let allErrors: Pick<Judge, 'ajv' | 'judgeOnce'> | undefined;
  return {
    createIsSecure: (security) => createSecurity(eov, document, openapi)(security),
    nameOf,
    judgeRequest: createFindFault(requests, nameOf),
    judgeReply: createFindFault(replies, nameOf),
    judgeRequestItem: createFindItemFault(requests, nameOf),
    judgeReplyItem: createFindItemFault(replies, nameOf),
    findFaults(message, value, found) {
      allErrors ??= createRequestJudge(openapi, schemas, { ...options, allErrors: true });
      const validate = allErrors.ajv.getSchema(toSchemaId(nameOf(message)));
      try {
        void allErrors.judgeOnce(() => validate?.(value));
        return addFaults(found, toFaults(validate?.errors ?? [], 'request'));
      } catch (cause) {
        // The stack overflowed.
        if (!(cause instanceof RangeError)) throw cause;
        return found;
      }
    },
  };

  function nameOf(message: MessageSchema): string {
    const name = names.get(message);
    if (name === undefined) throw new Error('the message is not in the contract');
    return name;
  }
}

/** One of EOV's validators. */
interface Judge {
  /** The Ajv that it judges bodies by. */
  readonly ajv: Ajv;
  readonly judgeOnce: JudgeOnce;
  /** Has EOV judge a message by the schema of a name. It answers undefined, or with an error. */
  readonly ask: (name: string, message: unknown, answer: (error?: unknown) => void) => void;
  /** The key that EOV gives to the compiled function of a schema. */
  readonly toKey: (name: string) => string;
  /** The status of the error that refuses a message, what texts call the message, and its pointer in what EOV judges. */
  readonly refusal: readonly [status: number, root: string, prefix: string];
}

// The message, with all of its parameters, is the body of the request that EOV judges: EOV would convert parameters. It has no
// Content-Type, which EOV would parse each time.
function createRequestJudge(openapi: string, schemas: Schemas, options: object): Judge {
  const validator = new RequestValidator(toApiDoc(openapi) as ApiDoc, { ...options, useDefaults: true });
  const toRoute = createRoutes((schema) => ({ schema: { requestBody: { content: { '*/*': { schema } } } } }));
  return {
    ...prepareAjv(validator, schemas),
    ask(name, message, answer) {
      const request = { __proto__: QUESTION, body: message, openapi: toRoute(name) };
      void validator.validate(request as never, {} as never, answer);
    },
    toKey: (name) => `POST-${name}-not_provided`,
    refusal: [400, 'request', '/body'],
  };
}

// What is the same for each request. EOV reads the path for the error of a refusal, which it makes next.
const QUESTION = Object.defineProperty(
  { method: 'POST', originalUrl: '/', headers: {}, params: {}, query: {} },
  'path',
  { get: stopStacks },
);

// EOV judges what a response sends by its method `json`.
function createReplyJudge(openapi: string, schemas: Schemas, options: object): Judge {
  const validator = new ResponseValidator(toApiDoc(openapi) as ApiDoc, options);
  const hook = validator.validate();
  const toRoute = createRoutes((schema) => ({
    _responseSchema: { responses: { 200: { content: { [JSON_TYPE]: { schema } } } } },
  }));
  return {
    ...prepareAjv(validator, schemas),
    ask(name, message, answer) {
      const request = { method: 'GET', originalUrl: '/', headers: {}, openapi: toRoute(name) };
      const json = (): void => {
        answer();
      };
      const response = { statusCode: 200, headersSent: false, getHeaders: () => ({}), json };
      hook(request as never, response as never, (error?: unknown) => {
        if (error === undefined) (response.json as (body: unknown) => void)(message);
        else answer(error);
      });
    },
    toKey: (name) => `GET-${name}-not_provided-200-${JSON_TYPE}`,
    refusal: [500, '/response', '/response'],
  };
}

function prepareAjv(validator: object, schemas: Schemas): Pick<Judge, 'ajv' | 'judgeOnce'> {
  const { ajvBody: ajv } = validator as { readonly ajvBody: Ajv };
  const judgeOnce = addKeywords(ajv);
  if (ajv.opts.allErrors === true) limitRules(ajv);
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema(schema, toSchemaId(name));
  return { ajv, judgeOnce };
}

// The route of a message, as EOV's metadata describes one, by the name of its schema.
function createRoutes(describe: (schema: object) => object): (name: string) => object {
  const routes = new Map<string, object>();
  return (name) => {
    const route = routes.get(name) ?? {
      expressRoute: name,
      pathParams: {},
      serial: -1,
      ...describe({ $ref: toSchemaId(name) }),
    };
    routes.set(name, route);
    return route;
  };
}

type FindFault<T> = (message: T, value: unknown) => readonly RequestFault[];

const NO_FAULTS: readonly RequestFault[] = Object.freeze([]);

function createFindFault<T>(judge: Judge, nameOf: (message: T) => string): FindFault<T> {
  const { ajv, judgeOnce, ask, toKey } = judge;
  const [refused, root, prefix] = judge.refusal;
  return (message, value) => {
    const name = nameOf(message);
    let answer: unknown = UNDECIDED;
    try {
      judgeOnce(() => {
        ask(name, value, (error) => {
          // The first answer counts, as in Express.
          if (answer === UNDECIDED) answer = error;
        });
      });
    } catch (error) {
      // Such as what a format of the team throws, which may be undefined.
      answer = error ?? new Error('the validator failed', { cause: error });
    } finally {
      resumeStacks();
    }
    if (answer === undefined) return NO_FAULTS;
    if (statusOf(answer) !== refused) throw toFailure(answer);
    const validate = ajv.getSchema(toKey(name));
    // addFaults takes one fault of each field, at most ten.
    const faults = addFaults([], toFaults(validate?.errors ?? [], root, prefix));
    // The next message is not told of them.
    if (validate) validate.errors = null;
    if (faults.length > 0) return faults;
    return [{ pointer: '', rule: 'openapi', message: `${root} ${(answer as Error).message}` }];
  };
}

// EOV judges the first item of a message, and wrong ones. What it has compiled judges all others: its own steps for each would
// cost more than all else.
function createFindItemFault<T extends object>(judge: Judge, nameOf: (message: T) => string): FindFault<T> {
  const compiled = new WeakMap<T, (value: unknown) => unknown>();
  const findFault = createFindFault(judge, nameOf);
  const [, , prefix] = judge.refusal;
  const name = prefix.slice(1);
  return (message, value) => {
    const validate = compiled.get(message);
    if (validate && judge.judgeOnce(() => validate({ [name]: value })) === true) return NO_FAULTS;
    const faults = findFault(message, value);
    const found = judge.ajv.getSchema(judge.toKey(nameOf(message)));
    if (found) compiled.set(message, found);
    return faults;
  };
}

const PROOF = 'proof';
const REFERENCE = { $ref: toSchemaId(PROOF) };

// Judges a property by one reference twice, in alternatives. Only a reference that is compiled to a call can pass wrongly: to
// a schema that refers to itself, say.
const SELF_REFERENCE = {
  required: ['id'],
  properties: {
    anyOf: { anyOf: [REFERENCE, REFERENCE] },
    oneOf: { oneOf: [REFERENCE, REFERENCE] },
    if: { if: REFERENCE, else: REFERENCE },
  },
} as unknown as ValidatorSchema;

/**
 * Proves that wrong values do not pass where a schema is referred to more than once. A fork of Ajv looks at a value only once:
 * what it has refused passes the next time, and stays in memory. npm puts it in the place of Ajv for a package that depends on
 * it as `"ajv": "npm:..."`.
 *
 * @throws ContractError with the package in the place of Ajv, and what to add to package.json
 */
function proveAjv(openapi: string, judges: readonly Judge[]): void {
  const passes = (judge: Judge, value: object): boolean =>
    createFindFault(judge, () => PROOF)(undefined, value).length === 0;
  // Where everything passes, Ajv is not what is wrong: `proveValidators` tells.
  const refusing = judges.filter((judge) => !passes(judge, {}));
  const keywords = Object.keys({ ...SELF_REFERENCE.properties });
  const passed = keywords.filter((keyword) => refusing.some((judge) => passes(judge, { id: 1, [keyword]: {} })));
  if (passed.length === 0) return;
  const ajv = String(readManifest(join(__dirname, '../../../package.json')).peerDependencies?.ajv);
  // EOV takes Ajv for OpenAPI 3.0 by way of ajv-draft-04.
  const eov = createRequire(require.resolve('express-openapi-validator'));
  const user = isOpenApi30(openapi) ? createRequire(eov.resolve('ajv-draft-04')) : eov;
  const { name, version } = readManifest(user.resolve('ajv/package.json'));
  const mended = { dependencies: { ajv }, overrides: { 'ajv@8': '$ajv' } };
  throw new ContractError(
    `${name}@${version} is installed in place of ajv@${ajv}, and lets wrong values pass ${passed.join(', ')}.
Add this to package.json and run npm install:\n${JSON.stringify(mended, null, 2)}`,
  );
}

function readManifest(
  file: string,
): Readonly<Record<'name' | 'version', string>> & { peerDependencies?: { ajv: string } } {
  return JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof readManifest>;
}
