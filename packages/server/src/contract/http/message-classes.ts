// Request and response classes that spare Express a change of prototypes.
import { IncomingMessage, ServerResponse, type ServerOptions } from 'node:http';

type MessageClasses = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;

/**
 * Creates classes of requests and responses for node:http, whose objects have the prototypes of an Express application from
 * the start.
 *
 * Express changes the prototype of each request and response that it gets, unless it is the application's own already; the
 * change makes all code after it slower. The idea is that of expressjs/express#5998.
 *
 * @param app such as `express()`
 * @param classes from which the new ones are derived; by default those of node:http
 * @returns an empty object, which changes nothing, if the application is not one of Express
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
