import type { IncomingMessage } from 'node:http';
import { TOKEN } from '../../../../../tests/support/start-app';
import { withStatus } from './change-reply';
import type { Fault } from './fault';

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
