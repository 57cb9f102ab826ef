// Judges messages with express-openapi-validator, as README.md beside this file says.
import { serialize } from 'node:v8';
import type { NormalizedDocument } from '../../contract/schema/document';
import type { Message } from '../../contract/operation/message';
import { addFaults } from '../../errors/refusal';
import { Violation, type AssertMessage, type CreateValidator } from '../validator';
import { compile, MAX_INLINED_KEYWORDS, type FindFaults } from './compile';
import { createSchemaCopier } from './copy-schemas';
import { countSteps } from './keywords';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isOpenApi30, type ValidatorSchema } from '../../contract/schema/schema';
import { ContractError } from '../../contract/text/mistake';

/**
 * The validator of `serveContract`: express-openapi-validator, of which the compiled functions judge each request and reply.
 *
 * @throws ContractError when a fork is in the place of Ajv, and Error when a schema cannot be compiled
 * @example app.use(await serveContract({ ...parts, validator: expressOpenapiValidator }))
 */
export const expressOpenapiValidator: CreateValidator = (document, operations) => {
  proveAjv(document.openapi);
  const requests = new Set(operations.flatMap((one) => one.requests));
  const replies = new Set(operations.flatMap((one) => one.replies));
  const { names, defaults, document: messageDocument } = toMessageDocument(document, [...requests, ...replies]);
  const compilers = compile(messageDocument);
  // A default that its schema refuses is not filled in: clients that send nothing would be told of it.
  for (const copy of defaults) if (!compilers.matches(copy, copy.default)) Reflect.deleteProperty(copy, 'default');
  const { compileRequest, compileAllErrorsRequest, compileReply } = compilers;
  return {
    assertRequest: createAssert(requests, compileRequest),
    findFaults: (message, value, found) => {
      // Ajv compiles it by need, once: to compile these, too, would double the time of the start.
      const judge = compileAllErrorsRequest(nameOf(message));
      try {
        return addFaults(found, judge(value) ?? []);
      } catch (cause) {
        // What takes too many steps, or overflows the stack.
        if (!(cause instanceof RangeError)) throw cause;
        return found;
      }
    },
    assertReply: createAssert(replies, compileReply),
  };

  function nameOf(message: Message): string {
    return String(names.get(message));
  }

  // Compiles each message now, so that requests only run compiled code.
  function createAssert(messages: Iterable<Message>, compileMessage: (name: string) => FindFaults): AssertMessage {
    const judges = new Map(Array.from(messages, (message) => [message, compileMessage(nameOf(message))]));
    return (message, value) => {
      const judge = judges.get(message);
      if (!judge) throw new Error('the message is not in the contract');
      const faults = judge(value);
      // addFaults takes one fault of each field, at most ten.
      if (faults) throw new Violation(addFaults([], faults));
    };
  }
};

interface MessageDocument {
  /** An OpenAPI document that the kit makes, with schemas only. */
  readonly document: { readonly openapi: string; readonly components: object };
  readonly names: ReadonlyMap<Message, string>;
  /** Its schemas that have a default. */
  readonly defaults: ReadonlySet<ValidatorSchema>;
}

/** Copies the schemas of messages, and all that they refer to, into one new document, in which each is a component. */
function toMessageDocument(document: NormalizedDocument, messages: Iterable<Message>): MessageDocument {
  const { copy, copyReferenced, defaults } = createSchemaCopier(document);
  // Messages with equal schemas share one component, named m0, m1 and so on.
  const components = new Map<string, readonly [name: string, schema: ValidatorSchema]>();
  const names = new Map<Message, string>();
  for (const message of messages) {
    const schema = copy(message.schema, message.excluded);
    // Equal schemas have equal bytes.
    const key = serialize(schema).toString('latin1');
    const component = components.get(key) ?? [`m${String(components.size)}`, schema];
    components.set(key, component);
    names.set(message, component[0]);
  }
  const schemas = Object.fromEntries([...components.values(), ...copyReferenced()]);
  return { names, defaults, document: { openapi: document.openapi, components: { schemas: countSteps(schemas) } } };
}

const KEYWORDS: Readonly<Record<string, (schema: object) => object>> = {
  anyOf: (schema) => ({ anyOf: [schema, schema] }),
  oneOf: (schema) => ({ oneOf: [schema, schema] }),
  if: (schema) => ({ if: schema, else: schema }),
};

// Makes a schema that judges the property `anyOf`, say, by one reference twice, in alternatives.
function referTwice(name: string): object {
  const reference = { $ref: `#/components/schemas/${name}` };
  const properties = Object.entries(KEYWORDS).map(([keyword, write]) => [keyword, write(reference)]);
  return { required: ['id'], properties: Object.fromEntries(properties) as object };
}

const manyKeywords = Array.from({ length: MAX_INLINED_KEYWORDS }, (_unused, index) => [`x-${String(index)}`, true]);

// Only a reference that is compiled to a call can pass wrongly: to a schema of many keywords, or that refers to itself.
const SCHEMAS = {
  tree: referTwice('tree'),
  shared: referTwice('large'),
  large: Object.fromEntries([['required', ['id']], ...manyKeywords]) as object,
};

const proven = new Set<string>();

/**
 * Proves, once for each version of OpenAPI, that wrong values do not pass where a schema is referred to more than once. A fork
 * of Ajv looks at a value only once: what it has refused passes the next time, and stays in memory. npm puts it in the place of
 * Ajv for a package that depends on it as `"ajv": "npm:..."`.
 *
 * @param compileSchemas for tests; by default what compiles the messages of a contract
 * @throws ContractError with the package in the place of Ajv, and what to add to package.json
 */
export function proveAjv(openapi: string, compileSchemas = compile): void {
  if (proven.has(openapi)) return;
  const { compileRequest, compileReply } = compileSchemas({ openapi, components: { schemas: SCHEMAS } });
  const judges = ['tree', 'shared'].flatMap((name) => [compileRequest(name), compileReply(name)]);
  const passed = Object.keys(KEYWORDS).filter((keyword) => judges.some((judge) => !judge({ id: 1, [keyword]: {} })));
  if (passed.length > 0) throw new ContractError(describe(openapi, passed));
  proven.add(openapi);
}

function describe(openapi: string, passed: readonly string[]): string {
  const { peerDependencies } = readManifest(join(__dirname, '../../../package.json'));
  const ajv = String(peerDependencies?.['ajv']);
  const mended = { dependencies: { ajv }, overrides: { 'ajv@8': '$ajv' } };
  return [
    `${findAjv(openapi)} is in the place of ajv@${ajv}, and lets wrong values pass ${passed.join(', ')}.`,
    'Add this to package.json, and run npm install:',
    JSON.stringify(mended, null, 2),
  ].join('\n');
}

// The package that EOV takes for Ajv: for OpenAPI 3.0 by way of ajv-draft-04.
function findAjv(openapi: string): string {
  const eov = createRequire(require.resolve('express-openapi-validator'));
  const user = isOpenApi30(openapi) ? createRequire(eov.resolve('ajv-draft-04')) : eov;
  const { name, version } = readManifest(user.resolve('ajv/package.json'));
  return `${name}@${version}`;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}
