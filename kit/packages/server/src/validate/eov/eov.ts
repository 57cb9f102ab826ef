// The three parts of express-openapi-validator (EOV) that check credentials, requests and replies. See README.md.
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
import { createSecurity, restoreStacks, statusOf, disableStacks, toApiDoc, toFailure, UNDECIDED } from './security';

type ApiDoc = ConstructorParameters<typeof RequestValidator>[0];
type Schemas = Readonly<Record<string, ValidatorSchema>>;

// EOV's defaults, except that tuples need no length, formats may be unknown, and patterns need not be valid with the flag u.
const EOV_OPTIONS = {
  strict: false,
  strictNumbers: true,
  validateSchema: false,
  validateFormats: true,
  // The mode `fast` would accept any two digits as a day.
  ajvFormats: { mode: 'full' },
  logger: false,
  // Inlining a schema saves a call. A schema with more keywords than this is compiled only once.
  inlineRefs: 20,
  // With 500 operations, optimizing takes a fifth of the start, and does not make requests cheaper.
  code: { regExp: Object.assign(toRegExp, { code: 'toRegExp' }), optimize: false },
};

// Checking for own properties makes Ajv slower, so Ajv does this only if a contract has an inherited name such as `toString`.
const INHERITED_NAME = new RegExp(`"(?:${INHERITED_NAMES.join('|')})"`);

// EOV rejects OpenAPI 3.2, so it gets 3.1 instead, which has the same schemas.
const toEovVersion = ({ openapi }: NormalizedDocument): string => openapi.replace(/^3\.2\b/, '3.1');

/**
 * Creates the validator for a contract. EOV compiles a schema the first time it validates a message against it, which
 * `proveValidators` triggers at start-up.
 *
 * @throws ContractError if a fork has replaced Ajv. `createIsSecure` throws one if EOV itself has been replaced
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
  const schemas = { ...copies, [PROOF_NAME]: SELF_REFERENCE };
  const openapi = toEovVersion(document);
  const options = {
    ...EOV_OPTIONS,
    formats: createFormats(formats),
    ownProperties: INHERITED_NAME.test(toExactJson(schemas)),
  };
  const requests = createRequestJudge(openapi, schemas, options);
  const replies = createReplyJudge(openapi, schemas, options);
  proveAjv(openapi, [requests, replies]);
  // A default that does not match its schema is not filled in, since clients that omit the value would be refused.
  for (const copies of Map.groupBy(defaults, toBytes).values()) {
    const [copy] = copies as [(typeof copies)[number]];
    if (replies.judgeOnce(() => replies.ajv.compile(copy)(copy['x-default'] ?? copy.default))) continue;
    for (const each of copies) for (const name of ['default', 'x-default']) Reflect.deleteProperty(each, name);
  }
  // Created for the first invalid request, because creating it would slow down the start.
  let allErrorsJudge: Pick<Judge, 'ajv' | 'judgeOnce'> | undefined;
  return {
    createIsSecure: (security) => createSecurity(eov, document, openapi)(security),
    nameOf,
    judgeRequest: createFindFault(requests, nameOf),
    judgeReply: createFindFault(replies, nameOf),
    judgeRequestItem: createFindItemFault(requests, nameOf),
    judgeReplyItem: createFindItemFault(replies, nameOf),
    findFaults(message, value, first) {
      allErrorsJudge ??= createRequestJudge(openapi, schemas, { ...options, allErrors: true });
      const validate = allErrorsJudge.ajv.getSchema(toSchemaId(nameOf(message)));
      try {
        void allErrorsJudge.judgeOnce(() => validate?.(value));
        return addFaults(first, toFaults(validate?.errors ?? [], 'request'));
      } catch (cause) {
        if (!(cause instanceof RangeError)) throw cause;
        return first;
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
  readonly ajv: Ajv;
  readonly judgeOnce: JudgeOnce;
  /** Makes EOV validate a message against a named schema. It answers with undefined or an error. */
  readonly ask: (name: string, message: unknown, answer: (error?: unknown) => void) => void;
  /** The key under which EOV keeps the compiled function of a schema. */
  readonly toKey: (name: string) => string;
  /** EOV's status for an invalid message, the message's name in errors, and its pointer in the value that EOV validates. */
  readonly refusal: readonly [status: number, root: string, prefix: string];
}

// The whole message is the body, because EOV would convert parameters. Without a Content-Type, EOV has no header to parse.
function createRequestJudge(openapi: string, schemas: Schemas, options: object): Judge {
  const validator = new RequestValidator(toApiDoc(openapi) as ApiDoc, { ...options, useDefaults: true });
  const toRoute = createRoutes((schema) => ({ schema: { requestBody: { content: { '*/*': { schema } } } } }));
  return {
    ...prepareAjv(validator, schemas),
    ask(name, message, answer) {
      const request = { __proto__: REQUEST_PROTOTYPE, body: message, openapi: toRoute(name) };
      void validator.validate(request as never, {} as never, answer);
    },
    toKey: (name) => `POST-${name}-not_provided`,
    refusal: [400, 'request', '/body'],
  };
}

// The members that all requests inherit. EOV reads `path` just before it creates an error, so the getter disables stack traces.
const REQUEST_PROTOTYPE = Object.defineProperty(
  { method: 'POST', originalUrl: '/', headers: {}, params: {}, query: {} },
  'path',
  { get: disableStacks },
);

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

// Creates routes in the form that EOV attaches to requests.
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
  const [refusalStatus, root, prefix] = judge.refusal;
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
      // A team's format can throw anything, even undefined.
      answer = error ?? new Error('the validator failed', { cause: error });
    } finally {
      restoreStacks();
    }
    if (answer === undefined) return NO_FAULTS;
    if (statusOf(answer) !== refusalStatus) throw toFailure(answer);
    const validate = ajv.getSchema(toKey(name));
    const faults = addFaults([], toFaults(validate?.errors ?? [], root, prefix));
    if (validate) validate.errors = null;
    if (faults.length > 0) return faults;
    return [{ pointer: '', rule: 'openapi', message: `${root} ${(answer as Error).message}` }];
  };
}

// Only the first item, and invalid ones, go through all of EOV's steps, which would cost more than everything else.
function createFindItemFault<T extends object>(judge: Judge, nameOf: (message: T) => string): FindFault<T> {
  const compiledFunctions = new WeakMap<T, (value: unknown) => unknown>();
  const findFault = createFindFault(judge, nameOf);
  const [, , prefix] = judge.refusal;
  const name = prefix.slice(1);
  return (message, value) => {
    const validate = compiledFunctions.get(message);
    if (validate && judge.judgeOnce(() => validate({ [name]: value })) === true) return NO_FAULTS;
    const faults = findFault(message, value);
    const validateByEov = judge.ajv.getSchema(judge.toKey(nameOf(message)));
    if (validateByEov) compiledFunctions.set(message, validateByEov);
    return faults;
  };
}

const PROOF_NAME = 'proof';
const REFERENCE = { $ref: toSchemaId(PROOF_NAME) };

// A schema whose properties refer to it twice, because the fork below fails only for references that are compiled to calls.
const SELF_REFERENCE = {
  required: ['id'],
  properties: {
    anyOf: { anyOf: [REFERENCE, REFERENCE] },
    oneOf: { oneOf: [REFERENCE, REFERENCE] },
    if: { if: REFERENCE, else: REFERENCE },
  },
} as unknown as ValidatorSchema;

// A known fork of Ajv validates each value only once, so a refused value passes the next time. npm may install it in place of Ajv
// if a package depends on it as `"ajv": "npm:..."`.
function proveAjv(openapi: string, judges: readonly Judge[]): void {
  const passes = (judge: Judge, value: object): boolean =>
    createFindFault(judge, () => PROOF_NAME)(undefined, value).length === 0;
  // If everything passes, Ajv is not the cause, and `proveValidators` reports the failure.
  const refusers = judges.filter((judge) => !passes(judge, {}));
  const keywords = Object.keys({ ...SELF_REFERENCE.properties });
  const failures = keywords.filter((keyword) => refusers.some((judge) => passes(judge, { id: 1, [keyword]: {} })));
  if (failures.length === 0) return;
  const ajv = String(readManifest(join(__dirname, '../../../package.json')).peerDependencies?.ajv);
  // For OpenAPI 3.0, EOV uses Ajv through ajv-draft-04.
  const requireFromEov = createRequire(require.resolve('express-openapi-validator'));
  const requireAsEov = isOpenApi30(openapi) ? createRequire(requireFromEov.resolve('ajv-draft-04')) : requireFromEov;
  const { name, version } = readManifest(requireAsEov.resolve('ajv/package.json'));
  const fix = { dependencies: { ajv }, overrides: { 'ajv@8': '$ajv' } };
  throw new ContractError(
    `${name}@${version} is installed in place of ajv@${ajv}, and lets wrong values pass ${failures.join(', ')}.
Add this to package.json and run npm install:\n${JSON.stringify(fix, null, 2)}`,
  );
}

function readManifest(
  file: string,
): Readonly<Record<'name' | 'version', string>> & { peerDependencies?: { ajv: string } } {
  return JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof readManifest>;
}
