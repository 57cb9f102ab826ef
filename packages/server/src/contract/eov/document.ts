// Makes the OpenAPI document that EOV is given.
import { serialize } from 'node:v8';
import type { Document, Schema } from '../document/document';
import type { Message } from '../operation/message';
import { copySchemas } from './copy-schemas';

/** Messages as express-openapi-validator sees them. */
export interface MessageDocument {
  /** An OpenAPI document that the kit makes; README.md beside this file shows one. */
  readonly document: object;
  /** The component that each message is. */
  readonly names: ReadonlyMap<Message, string>;
}

/** Puts messages into one document, in which each is a component. */
export function toMessageDocument(document: Document, messages: Iterable<Message>): MessageDocument {
  const { copy, copies } = copySchemas(document);
  // Operations have replies in common: what is written alike is one component.
  const components = new Map<string, readonly [name: string, schema: Schema]>();
  const names = new Map<Message, string>();
  for (const message of messages) {
    const schema = copy(message.schema, message.excluded);
    const text = serialize(schema).toString('latin1');
    const component = components.get(text) ?? [`m${String(components.size)}`, schema];
    components.set(text, component);
    names.set(message, component[0]);
  }
  const schemas = Object.fromEntries([...components.values(), ...copies()]);
  return { names, document: { openapi: document.openapi, components: { schemas } } };
}
