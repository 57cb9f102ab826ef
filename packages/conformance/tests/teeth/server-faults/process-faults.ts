import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { toText } from '../../../src/wire/json';
import { objectOf, onStatus, withStatus, type Fault } from './fault';
import { TOKEN } from '../../../../../tests/support/start-app';

/** What depends on what went before, or ends the conversation. */
export const processFaults: readonly Fault[] = [
  { name: 'the same request again is 409', reply: onRepeat(withStatus(409)) },
  { name: 'the same request again is 201', reply: onRepeat(withStatus(201)) },
  { name: 'the same request again is refused', reply: onRepeat((reply) => ({ ...reply, status: 400 })) },
  {
    name: 'the same request again has another reply',
    reply: onRepeat((reply) => ({
      ...reply,
      body: Buffer.from(JSON.stringify({ name: `${nameOf(reply.body)} (2)` })),
    })),
  },
  { name: 'every tenth request fails', reply: everyTenth() },
  { name: 'a malformed body is not answered', ...silentOn(/^{'|^\[,\]/) },
  { name: 'a deep body is not answered', ...silentOn(/^\[{1000}/) },
  { name: 'the server dies of a large body', ...dyingOf((body) => body.length > 1024 ** 2) },
  { name: 'the server dies of a deep body', ...dyingOf((body) => body.toString('latin1', 0, 3) === '[[[') },
  {
    name: 'the connection is closed without a reply',
    head: (req) => {
      if (req.method === 'POST') req.socket.destroy();
      return req.method !== 'POST';
    },
  },
  {
    name: 'credentials are checked after the body',
    reply: onStatus([401], (reply, { body }) => (isBroken(body) ? { ...reply, status: 400 } : reply)),
    head: (req) => {
      if (req.headers.authorization === undefined) req.resume();
      return true;
    },
  },
  {
    name: 'malformed messages are not answered',
    server: (server) => {
      silence(server);
    },
  },
  {
    name: 'malformed messages are answered by node:http',
    server: (server) => void server.removeAllListeners('clientError'),
  },
  { name: 'node:http reads leniently', parts: { http: { insecureHTTPParser: true } } },
  { name: 'headers may be of any size', parts: { http: { maxHeaderSize: 1024 ** 2 } } },
  { name: 'headers may be of 128 bytes', parts: { http: { maxHeaderSize: 128 } } },
  { name: 'a slow client is waited for', parts: { http: { headersTimeout: 0, requestTimeout: 0 } } },
  {
    name: 'an unknown expectation is ignored',
    server: (server) => {
      const [serve] = server.listeners('request');
      server.removeAllListeners('checkExpectation');
      server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
        delete req.headers.expect;
        serve?.call(server, req, res);
      });
    },
  },
  {
    name: 'two Hosts are one',
    head: ({ headers }) => {
      headers.host = headers.host?.split(',')[0];
      return true;
    },
  },
  {
    name: 'a missing Host is let pass',
    head: ({ headers }) => {
      headers.host ??= 'localhost';
      return true;
    },
  },
  {
    name: 'a malformed Host is let pass',
    head: ({ headers }) => {
      if (headers.host === 'a b') headers.host = 'localhost';
      return true;
    },
  },
];

type ChangeReply = NonNullable<Fault['reply']>;

function onRepeat(change: ChangeReply): ChangeReply {
  const seen = new Set<string>();
  return onStatus([200], (reply, request) => {
    const key = request.body.toString('latin1');
    const isKnown = seen.has(key);
    seen.add(key);
    return isKnown ? change(reply, request) : reply;
  });
}

function everyTenth(): ChangeReply {
  let count = 0;
  return onStatus([200], (reply) => (++count % 10 === 0 ? { ...reply, status: 500 } : reply));
}

function nameOf(body: Buffer): string {
  return toText(objectOf(body)['name']);
}

// Whoever waits for the end of the body waits forever.
function silentOn(pattern: RegExp): Pick<Fault, 'head'> {
  return {
    head: (req) => {
      const emit = req.emit.bind(req);
      let isSilent = false;
      req.emit = (event: string, ...values: unknown[]): boolean => {
        if (event === 'data') isSilent ||= pattern.test((values[0] as Buffer).toString('latin1'));
        return event === 'end' && isSilent ? true : emit(event, ...values);
      };
      return true;
    },
  };
}

function dyingOf(isTooMuch: (body: Buffer) => boolean): Pick<Fault, 'server' | 'body'> {
  let dying: Server | undefined;
  return {
    // The one that requests are sent to; those that are started later are for situations.
    server: (server) => {
      if (dying?.listening !== true) dying = server;
    },
    body: (body) => {
      if (isTooMuch(body)) dying?.close();
      return body;
    },
  };
}

function isBroken(body: Buffer): boolean {
  return body.toString('latin1') === '{';
}

function silence(server: Server): void {
  server.removeAllListeners('clientError');
  server.on('clientError', (_error, socket) => socket.destroy());
}

/** What belongs to another request on the connection, or to another part of the message. */
export const connectionFaults: readonly Fault[] = [
  {
    name: 'credentials count for the whole connection',
    head: onFirst((req, first) => {
      req.headers.authorization ??= first.headers.authorization;
    }),
  },
  {
    name: 'who is refused once is refused on that connection',
    head: onFirst((req, first) => {
      if (first.headers.authorization === undefined) delete req.headers.authorization;
    }),
  },
  {
    name: 'a body that is not read is the next request',
    head: (req) => {
      const isRefused = req.headers.authorization === undefined && req.method === 'POST';
      // Another request follows on the connection.
      if (isRefused && req.headers.connection === undefined) req.once('close', () => req.socket.write(SECOND));
      return true;
    },
  },
  {
    name: 'credentials behind the body count',
    head: ({ headers }) => {
      if (headers['transfer-encoding'] !== undefined) headers.authorization ??= `Bearer ${TOKEN}`;
      return true;
    },
  },
  {
    name: 'a message with a trailer is refused',
    head: (req) => {
      if (req.headers.trailer !== undefined) req.url = '/plants?x';
      return true;
    },
  },
  {
    name: 'OPTIONS * is 500',
    reply: (reply, request) => (request.url === '*' ? withStatus(500)(reply, request) : reply),
  },
  { name: 'a message with an empty Host is not answered', head: ({ headers }) => headers.host !== '' },
  {
    name: 'an encoded path needs no credentials',
    head: (req) => {
      if (isEncoded(req)) req.headers.authorization ??= `Bearer ${TOKEN}`;
      return true;
    },
  },
  {
    name: 'an encoded path is another one',
    head: (req) => {
      if (isEncoded(req)) req.url = '/no/such/path';
      return true;
    },
  },
];

const SECOND = Buffer.from('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');

/** Changes what follows another request on its connection. */
function onFirst(change: (req: IncomingMessage, first: IncomingMessage) => void): (req: IncomingMessage) => boolean {
  const firsts = new WeakMap<object, IncomingMessage>();
  return (req) => {
    const first = firsts.get(req.socket);
    if (first) change(req, first);
    else firsts.set(req.socket, req);
    return true;
  };
}

function isEncoded({ url = '' }: IncomingMessage): boolean {
  return /%[4-7]/.test(url);
}
