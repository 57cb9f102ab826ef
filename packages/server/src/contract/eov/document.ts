// Makes the OpenAPI document that EOV is given.
import { serialize } from 'node:v8';
import type { Document, Schema } from '../document/document';
import type { Message } from '../operation/message';
import { createSchemaCopier } from './copy-schemas';
import { countSteps } from './step-limit';

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
