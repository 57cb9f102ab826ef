import { copySchemas } from './copy-schemas';
import { resolveReference, type Document, type Schema, type SecurityScheme } from './document';
import { JSON_TYPE } from './media-type';
import type { Message } from './message';
import type { Operation } from './operation';

/** Some operations as the validator knows them. */
export interface Enforceable {
  /** An OpenAPI document of our own making. */
  readonly document: object;
  /** Its path for the security of each operation. */
  readonly paths: ReadonlyMap<Operation, string>;
  /** The property of the one body that stands for each message. */
  readonly names: ReadonlyMap<Message, string>;
}

/** Where the messages are: all of those of requests in its request body, all of those of replies in its reply. */
export const MESSAGES = '/messages';

/**
 * Puts operations into a document for the validator.
 *
 * It compiles each schema together with the whole of its document, and has a compiler for each document: so the messages
 * of some operations are one schema, of which each request and each reply uses one property.
 */
export function toEnforceable(document: Document, operations: readonly Operation[]): Enforceable {
  const requests = operations.flatMap(({ bare, body }) => [...(bare ? [bare] : []), ...(body?.media.values() ?? [])]);
  const replies = operations.flatMap((operation) =>
    [...operation.replies.values()].flatMap(({ usual, media }) => [usual, ...media.values()]),
  );
  const names = new Map(
    [...new Set([...requests, ...replies])].map((message, index) => [message, `m${String(index)}`]),
  );
  const paths = new Map(operations.map((operation, index) => [operation, `/${String(index)}`]));
  const { copy, copies } = copySchemas(document);

  function toBody(messages: readonly Message[]): object {
    const properties = messages.map((message) => [names.get(message), copy(message.schema)]);
    const schema: Schema = { type: 'object', properties: Object.fromEntries(properties) as Record<string, Schema> };
    return { required: true, description: '', content: { [JSON_TYPE]: { schema } } };
  }

  const messages = { operationId: MESSAGES, requestBody: toBody(requests), responses: { '200': toBody(replies) } };
  const posts = [...paths].map(([operation, path]) => [path, { post: toSecured(operation) }]);
  const schemes = Object.entries(document.components?.securitySchemes ?? {});
  const securitySchemes = schemes.map(([name, node]) => [name, resolveReference<SecurityScheme>(document, node)]);
  return {
    paths,
    names,
    document: {
      openapi: document.openapi,
      info: { title: document.info.title, version: document.info.version },
      paths: Object.fromEntries([[MESSAGES, { post: { ...messages, security: [] } }], ...posts]) as object,
      components: {
        schemas: Object.fromEntries(copies()),
        securitySchemes: structuredClone(Object.fromEntries(securitySchemes)) as object,
      },
    },
  };
}

function toSecured({ id, security }: Operation): object {
  const alternatives = security.map((all) => Object.fromEntries(all.map(({ scheme }) => [scheme, []])));
  return { operationId: id, security: alternatives, responses: {} };
}
