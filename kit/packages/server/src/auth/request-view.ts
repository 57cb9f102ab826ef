// What middleware found about a request, for handlers and verifiers.
import { Readable } from 'node:stream';
import type { Request } from 'express';

/** A request of Express, with what middleware added to it, such as `session`. It can neither be changed nor read as a stream. */
export type RequestView = Readonly<Omit<Request, keyof Readable>>;

const READ_ONLY: ProxyHandler<Request> = {
  // Getters, such as `ip`, get the request itself.
  get: (req, name) => (isOfStream(name) ? undefined : (Reflect.get(req, name, req) as unknown)),
  set: () => false,
  defineProperty: () => false,
  deleteProperty: () => false,
};

function isOfStream(name: string | symbol): boolean {
  return name in Readable.prototype && !(name in Object.prototype);
}

export function createRequestView(req: Request): RequestView {
  return new Proxy(req, READ_ONLY);
}
