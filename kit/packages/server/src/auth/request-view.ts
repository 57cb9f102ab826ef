import { Readable } from 'node:stream';
import type { Request } from 'express';

/** Express's request with anything that middleware added, such as `session`. It cannot be changed or read as a stream. */
export type RequestView = Readonly<Omit<Request, keyof Readable>>;

const READ_ONLY_PROXY_HANDLER: ProxyHandler<Request> = {
  // A getter such as `ip` needs the request itself as `this`.
  get: (req, name) => (isStreamMember(name) ? undefined : (Reflect.get(req, name, req) as unknown)),
  set: () => false,
  defineProperty: () => false,
  deleteProperty: () => false,
};

function isStreamMember(name: string | symbol): boolean {
  return name in Readable.prototype && !(name in Object.prototype);
}

export function createRequestView(req: Request): RequestView {
  return new Proxy(req, READ_ONLY_PROXY_HANDLER);
}
