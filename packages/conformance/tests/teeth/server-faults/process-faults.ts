import type { IncomingMessage, Server } from 'node:http';
import { TOKEN } from '../../../../../tests/support/start-app';
import { atLevel, ofHead, ofReply, onStatus, withStatus, type ChangeReply, type Fault, type SentReply } from './fault';

/** What depends on what went before, or ends the conversation. */
export const processFaults: readonly Fault[] = [
  onRepeat('the same request again is 201', withStatus(201)),
  onRepeat('the same request again is refused', withStatus(400)),
  ofReply('every tenth request fails', everyTenth()),
  {
    name: 'the connection is closed without a reply',
    head: (req) => {
      if (req.method === 'POST') req.socket.destroy();
      return req.method !== 'POST';
    },
  },
  {
    name: 'malformed messages are not answered',
    server: (server) => {
      server.removeAllListeners('clientError');
      server.on('clientError', (_error, socket) => socket.destroy());
    },
  },
  { name: 'headers may be of 128 bytes', parts: { http: { maxHeaderSize: 128 } } },
  { name: 'a slow client is waited for', parts: { http: { headersTimeout: 0, requestTimeout: 0 } } },
  ofHead('two Hosts are one', ({ headers }) => {
    headers.host = headers.host?.split(',')[0];
  }),
  ofHead('a missing Host is let pass', ({ headers }) => {
    headers.host ??= 'localhost';
  }),
  ofHead('a malformed Host is let pass', ({ headers }) => {
    if (headers.host === 'a b') headers.host = 'localhost';
  }),
  ...atLevel('robust', [
    silentOn('a malformed body is not answered', /^{'|^\[,\]/),
    silentOn('a deep body is not answered', /^\[{1000}/),
    dyingOf('the server dies of a large body', (body) => body.length > 1024 ** 2),
    dyingOf('the server dies of a deep body', (body) => body.toString('latin1', 0, 3) === '[[['),
  ]),
];

function onRepeat(name: string, change: (reply: SentReply) => SentReply): Fault {
  const seen = new Set<string>();
  const changeRepeated: ChangeReply = (reply, request) => {
    const key = request.body.toString('latin1');
    const isKnown = seen.has(key);
    seen.add(key);
    return isKnown ? change(reply) : reply;
  };
  return ofReply(name, onStatus([200], changeRepeated));
}

function everyTenth(): ChangeReply {
  let count = 0;
  return onStatus([200], (reply) => (++count % 10 === 0 ? { ...reply, status: 500 } : reply));
}

// Whoever waits for the end of the body waits forever.
function silentOn(name: string, pattern: RegExp): Fault {
  return ofHead(name, (req) => {
    const emit = req.emit.bind(req);
    let isSilent = false;
    req.emit = (event: string, ...values: unknown[]): boolean => {
      if (event === 'data') isSilent ||= pattern.test((values[0] as Buffer).toString('latin1'));
      return event === 'end' && isSilent ? true : emit(event, ...values);
    };
  });
}

function dyingOf(name: string, isTooMuch: (body: Buffer) => boolean): Fault {
  let dying: Server | undefined;
  return {
    name,
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

const SECOND = Buffer.from('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');

/** What belongs to another request on the connection, or to another part of the message. */
export const connectionFaults: readonly Fault[] = [
  afterFirst('credentials count for the whole connection', (req, first) => {
    req.headers.authorization ??= first.headers.authorization;
  }),
  afterFirst('who is refused once is refused on that connection', (req, first) => {
    if (first.headers.authorization === undefined) delete req.headers.authorization;
  }),
  ofHead('a body that is not read is the next request', (req) => {
    const isRefused = req.headers.authorization === undefined && req.method === 'POST';
    // Another request follows on the connection.
    if (isRefused && req.headers.connection === undefined) req.once('close', () => req.socket.write(SECOND));
  }),
  ofHead('credentials behind the body count', ({ headers }) => {
    if (headers['transfer-encoding'] !== undefined) headers.authorization ??= `Bearer ${TOKEN}`;
  }),
  ofHead('a message with a trailer is refused', (req) => {
    if (req.headers.trailer !== undefined) req.url = '/plants?x';
  }),
  ofReply('OPTIONS * is 500', (reply, { url }) => (url === '*' ? { ...reply, status: 500 } : reply)),
  ofHead('an encoded path needs no credentials', (req) => {
    if (isEncoded(req)) req.headers.authorization ??= `Bearer ${TOKEN}`;
  }),
  ...atLevel('robust', [
    {
      name: 'a message with an empty Host is not answered',
      head: ({ headers }: IncomingMessage) => headers.host !== '',
    },
  ]),
];

/** Changes what follows another request on its connection. */
function afterFirst(name: string, change: (req: IncomingMessage, first: IncomingMessage) => void): Fault {
  const firsts = new WeakMap<object, IncomingMessage>();
  return ofHead(name, (req) => {
    const first = firsts.get(req.socket);
    if (first) change(req, first);
    else firsts.set(req.socket, req);
  });
}

function isEncoded({ url = '' }: IncomingMessage): boolean {
  return /%[4-7]/.test(url);
}
