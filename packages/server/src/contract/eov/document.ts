// Makes the OpenAPI document that EOV is given.
import type { Document, Schema } from '../document/document';
import { JSON_TYPE } from '../operation/media-type';
import type { Message } from '../operation/message';
import { copySchemas } from './copy-schemas';

/** Messages as express-openapi-validator sees them. */
export interface MessageDocument {
  /** An OpenAPI document that the kit makes; README.md beside this file shows one. */
  readonly document: object;
  /** The property that stands for each message. */
  readonly names: ReadonlyMap<Message, string>;
}

/** The one path of the document. */
export const MESSAGES = '/messages';

/**
 * Puts messages into one document.
 *
 * express-openapi-validator compiles each schema together with its whole document. So the messages of all requests are
 * properties of one schema, and each request uses one property. The messages of replies are properties of another.
 */
export function toMessageDocument(
  document: Document,
  requests: readonly Message[],
  replies: readonly Message[],
): MessageDocument {
  const all = [...new Set([...requests, ...replies])];
  const names = new Map(all.map((message, index) => [message, `m${String(index)}`]));
  const { copy, copies } = copySchemas(document);

  function toBody(messages: readonly Message[]): object {
    const properties = messages.map((message) => [names.get(message), copy(message.schema, message.excluded)]);
    const schema: Schema = { type: 'object', properties: Object.fromEntries(properties) as Record<string, Schema> };
    return { required: true, description: '', content: { [JSON_TYPE]: { schema } } };
  }

  const post = { security: [], requestBody: toBody(requests), responses: { '200': toBody(replies) } };
  return {
    names,
    document: {
      openapi: document.openapi,
      info: { title: document.info.title, version: document.info.version },
      paths: { [MESSAGES]: { post } },
      components: { schemas: Object.fromEntries(copies()) },
    },
  };
}
