// Judges messages with express-openapi-validator, as README.md beside this file shows.
import { serialize } from 'node:v8';
import type { Document, Schema } from '../document/document';
import type { Message } from '../operation/message';
import { addFaults } from '../refusal/fault';
import { Violation, type AssertMessage, type CreateValidator } from '../refusal/validator';
import { compile, type Judge } from './compile';
import { createSchemaCopier } from './copy-schemas';
import { proveAjv } from './prove-ajv';
import { countSteps } from './step-limit';

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
  // Filled by need: to compile these, too, would double the time of the start.
  const allErrorsJudges = new Map<string, Judge>();
  return {
    assertRequest: createAssert(requests, compileRequest),
    findFaults: (message, value, found) => {
      const name = nameOf(message);
      const judge = allErrorsJudges.get(name) ?? compileAllErrorsRequest(name);
      allErrorsJudges.set(name, judge);
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
  function createAssert(messages: Iterable<Message>, compileMessage: (name: string) => Judge): AssertMessage {
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

export interface MessageDocument {
  /** An OpenAPI document that the kit makes; README.md beside this file shows one. */
  readonly document: object;
  readonly names: ReadonlyMap<Message, string>;
  /** Its schemas that have a default. */
  readonly defaults: ReadonlySet<Schema>;
}

/** Copies the schemas of messages, and all that they refer to, into one new document, in which each is a component. */
export function toMessageDocument(document: Document, messages: Iterable<Message>): MessageDocument {
  const { copy, copyReferenced, defaults } = createSchemaCopier(document);
  // Messages with equal schemas share one component, named m0, m1 and so on.
  const components = new Map<string, readonly [name: string, schema: Schema]>();
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
