import type { IncomingMessage, Server } from 'node:http';
import { TOKEN } from '@contract-kit/test-support/start-app';
import {
  atLevel,
  ofHead,
  ofReply,
  onStatus,
  withStatus,
  type ChangeReply,
  type Fault,
  type SentReply,
  objectOf,
  ofStatus,
} from './fault';
import type { PlantStore, StoredPlant } from '@contract-kit/test-support/plants/src/store/plant-store';
import { writeJson, type JsonObject, type Wire } from '../../../src/wire/json';

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

const ASTRAL = /[\u{10000}-\u{10ffff}]/gu;

/** Plants that are not kept as they were sent, though the reply is right: nobody can see that from outside. */
export const storeFaults: readonly Fault[] = [
  { name: 'a plant with a known id is refused', store: refusingKnownIds },
  ...atLevel('robust', [
    keeping('nothing is kept', () => undefined),
    keeping('a plant without a tag is not kept', (plant) => (plant.tag === undefined ? undefined : plant)),
    keeping('the tag is not kept', ({ id, name }) => ({ id, name })),
    keeping('an empty tag is not kept', ({ id, name, tag }) => ({ id, name, ...(tag && { tag }) })),
    keeping('a missing tag is kept as an empty one', ({ id, name, tag = '' }) => ({ id, name, tag })),
    keepingId('as a double', (id) => BigInt.asIntN(64, BigInt(Number(id)))),
    keepingId('in 32 bits', (id) => BigInt.asIntN(32, id)),
    keepingId('without its sign', (id) => (id < 0n ? -(id + 1n) : id)),
    keepingId('up to 2^53', (id) => (id > 2n ** 53n ? 2n ** 53n : id)),
    keepingName('trimmed', (name) => name.trim()),
    keepingName('in lower case', (name) => name.toLowerCase()),
    keepingName('composed (NFC)', (name) => name.normalize('NFC')),
    keepingName('up to 255 signs', (name) => name.slice(0, 255)),
    keepingName('without astral signs', (name) => name.replace(ASTRAL, '?')),
    keepingName('escaped', (name) => name.replaceAll("'", "''")),
    { name: 'a plant is kept after the reply', store: keepingLater },
    adding('a plant is kept twice, under another id too', async (plant, store) => {
      await store.add(plant);
      await store.add({ ...plant, id: BigInt.asIntN(64, plant.id + 7n) });
    }),
    { name: 'a request is kept before it is checked', ...keepingEverything() },
  ]),
];

function adding(name: string, add: (plant: StoredPlant, store: PlantStore) => Promise<void>): Fault {
  return { name, store: (store) => ({ ...store, add: (plant) => add(plant, store) }) };
}

function keeping(name: string, change: (plant: StoredPlant) => StoredPlant | undefined): Fault {
  return adding(name, async (plant, store) => {
    const changed = change(plant);
    if (changed) await store.add(changed);
  });
}

function keepingId(how: string, change: (id: bigint) => bigint): Fault {
  return keeping(`the id is kept ${how}`, ({ id, ...rest }) => ({ ...rest, id: change(id) }));
}

function keepingName(how: string, change: (name: string) => string): Fault {
  return keeping(`the name is kept ${how}`, ({ name, ...rest }) => ({ ...rest, name: change(name) }));
}

// With the next one.
function keepingLater(store: PlantStore): PlantStore {
  let late: StoredPlant | undefined;
  return {
    ...store,
    async add(plant) {
      const first = late;
      late = plant;
      if (first) await store.add(first);
    },
  };
}

function keepingEverything(): Pick<Fault, 'store' | 'body'> {
  let kept: PlantStore | undefined;
  let count = 0n;
  return {
    store: (store) => (kept ??= store),
    body: (body) => {
      void kept?.add({ id: ++count, name: 'of a request that was not checked' }).catch(() => undefined);
      return body;
    },
  };
}

function refusingKnownIds(store: PlantStore): PlantStore {
  const known = new Set<bigint>();
  return {
    ...store,
    async add(plant) {
      if (known.has(plant.id)) throw new Error('known');
      known.add(plant.id);
      await store.add(plant);
    },
  };
}

/** Plants that come back otherwise than the contract says, in more than the one thing that `reply-mutants.ts` alters. */
export const plantFaults: readonly Fault[] = [
  returning('a missing tag comes back as null', (body) => ({ tag: null, ...body })),
];

function returning(name: string, change: (plant: JsonObject, sent: JsonObject) => Wire): Fault {
  return ofStatus(name, [200], (reply, request) => {
    const changed = change(objectOf(reply.body), objectOf(request.body));
    return { ...reply, body: Buffer.from(writeJson(changed)) };
  });
}
