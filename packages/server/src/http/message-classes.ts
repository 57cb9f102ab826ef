// Request and response classes that spare Express a change of prototypes.
import { IncomingMessage, ServerResponse, type ServerOptions } from 'node:http';

type MessageClasses = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;

/**
 * Creates classes for node:http whose objects have the prototypes of an Express application from the start: otherwise Express
 * changes that of each request and response, which makes all code after it slower (as in expressjs/express#5998). Empty, which
 * changes nothing, if the application is not one of Express.
 */
export function toMessageClasses(
  app: object,
  { IncomingMessage: Req, ServerResponse: Res }: MessageClasses,
): MessageClasses {
  const { request, response } = app as { request?: unknown; response?: unknown };
  if (!isObject(request) || !isObject(response)) return {};
  return {
    IncomingMessage: withPrototype(Req ?? IncomingMessage, request),
    ServerResponse: withPrototype(Res ?? ServerResponse, response),
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

// A class that constructs its objects like `base`, but with another prototype. `class extends` would make a new prototype.
function withPrototype<Class>(base: Class, prototype: object): Class {
  function Message(...args: unknown[]): object {
    return Reflect.construct(base as () => void, args, Message) as object;
  }
  Message.prototype = prototype;
  return Message as Class;
}

/** Whether the headers of a request announce a body (RFC 9112 section 6.3), which may still be empty. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
