import { copySchemas } from './copy-schemas';
import { resolveReference, type Document, type SecurityScheme } from './document';
import { JSON_TYPE } from './media-type';
import type { Message } from './message';
import type { Operation } from './operation';

/** How the validator knows an operation, which is by nothing but its messages and its security. */
export interface Enforceable {
  readonly operation: Operation;
  readonly path: string;
  /** A media type of our own for each message that a request may be. */
  readonly requests: ReadonlyMap<Message, string>;
  /** A status of our own for each message that a reply may be: the validator checks none from 500 up. */
  readonly replies: ReadonlyMap<Message, number>;
}

const FIRST_STATUS = 100;

export function toEnforceable(operation: Operation, index: number): Enforceable {
  const requests = [operation.bare, ...(operation.body?.media.values() ?? [])];
  const replies = [...operation.replies.values()].flatMap(({ bare, media }) => [bare, ...media.values()]);
  return {
    operation,
    path: `/${String(index)}`,
    requests: new Map(requests.map((message, place) => [message, `application/x-${String(place)}+json`])),
    replies: new Map(replies.map((message, place) => [message, FIRST_STATUS + place])),
  };
}

/**
 * An OpenAPI document of these operations and of nothing else. Each request is a POST, whose body is a message.
 *
 * The validator compiles each of them together with the whole of its document, so that is kept small.
 */
export function toDocument(document: Document, enforceables: readonly Enforceable[]): object {
  const { copy, copies } = copySchemas(document);
  const paths = Object.fromEntries(
    enforceables.map((enforceable) => [enforceable.path, { post: toPost(enforceable) }]),
  );
  const schemes = Object.entries(document.components?.securitySchemes ?? {});
  const securitySchemes = schemes.map(([name, node]) => [name, resolveReference<SecurityScheme>(document, node)]);

  function toPost({ operation, requests, replies }: Enforceable): object {
    const content = [...requests].map(([{ schema }, type]) => [type, { schema: copy(schema) }]);
    const responses = [...replies].map(([{ schema }, status]) => {
      return [status, { description: '', content: { [JSON_TYPE]: { schema: copy(schema) } } }];
    });
    return {
      operationId: operation.id,
      security: operation.security.map((alternative) =>
        Object.fromEntries(alternative.map(({ scheme }) => [scheme, []])),
      ),
      requestBody: { required: true, content: Object.fromEntries(content) as object },
      responses: Object.fromEntries(responses) as object,
    };
  }

  return {
    openapi: document.openapi,
    info: { title: document.info.title, version: document.info.version },
    paths,
    components: {
      schemas: Object.fromEntries(copies()),
      securitySchemes: structuredClone(Object.fromEntries(securitySchemes)) as object,
    },
  };
}
