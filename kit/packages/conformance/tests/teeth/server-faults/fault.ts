import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { startApp, type StartParts, type RunningApp } from '@contract-kit/test-support/start-app';
import type { PlantStore } from '@contract-kit/test-support/plants/src/store/plant-store';
import { readJson, writeJson, isJsonObject, type JsonObject, type Wire } from '../../../src/wire/json';
import { startSituations, startWhole } from '@contract-kit/test-support/start-target';
import type { Level } from '../../../src/contract/standards';
import type { Candidate } from '../find-complaint';
import type { Seeded } from '../proof';

/** A reply as the app is about to send it. */
export interface SentReply {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Buffer;
  /** Sent as it stands, with whatever length its headers tell. */
  readonly isFramed?: boolean;
}

type Header = readonly [name: string, value: string];

/** One thing that is wrong with the server, put round the real app. */
export interface Fault {
  readonly name: string;
  /** The mildest that has to find it; `contract` unless it says otherwise. */
  readonly level?: Level;
  /** Other parts than the app's own. */
  readonly parts?: Partial<StartParts>;
  readonly store?: (store: PlantStore) => PlantStore;
  /** Changes the head of a request before the app sees it; false keeps it from the app altogether. */
  readonly head?: (req: IncomingMessage) => boolean | undefined;
  /** Changes what the app reads as the body. */
  readonly body?: (body: Buffer) => Buffer;
  readonly reply?: (reply: SentReply, request: SeenRequest) => SentReply;
  readonly server?: (server: Server) => void;
}

/** A request as the fault sees it when the reply is made. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly body: Buffer;
}

export type ChangeReply = (reply: SentReply, request: SeenRequest) => SentReply;
type ChangeAnyReply = (reply: SentReply) => SentReply;

/** Faults that a milder level than this one does not have to find. */
export function atLevel<Own extends Fault>(level: Level, faults: readonly Own[]): Own[] {
  return faults.map((fault) => ({ ...fault, level }));
}

export function ofReply(name: string, reply: ChangeReply): Fault {
  return { name, reply };
}

/** Of replies with some statuses only. */
export function ofStatus(name: string, statuses: readonly number[], change: ChangeReply): Fault {
  return { name, reply: onStatus(statuses, change) };
}

/** Of replies with some error numbers only. */
export function ofError(name: string, numbers: readonly number[], change: ChangeReply): Fault {
  const isMeant = ({ status, body }: SentReply): boolean =>
    status >= 400 && numbers.includes(Number(objectOf(body)['error']));
  return { name, reply: (reply, request) => (isMeant(reply) ? change(reply, request) : reply) };
}

/** Of the head of a request. */
export function ofHead(name: string, change: (req: IncomingMessage) => void): Fault {
  return { name, head: (req) => (change(req), true) };
}

/** Of the text that the app reads as the body, a character for each byte. */
export function ofText(name: string, change: (text: string) => string): Fault {
  return { name, body: (body) => Buffer.from(change(body.toString('latin1')), 'latin1') };
}

export function onStatus(statuses: readonly number[], change: ChangeReply): ChangeReply {
  return (reply, request) => (statuses.includes(reply.status) ? change(reply, request) : reply);
}

/** Changes the object that a reply has. */
export function onObject(change: (body: JsonObject) => Wire): ChangeAnyReply {
  return (reply) => ({ ...reply, body: Buffer.from(writeJson(change(objectOf(reply.body)))) });
}

/** Sets members of the object that a reply has. */
export function withMembers(members: Readonly<Record<string, Wire>>): ChangeAnyReply {
  return onObject((body) => ({ ...body, ...members }));
}

/** Sets a header, or takes it away. */
export function withHeader(name: string, value: string | undefined): ChangeAnyReply {
  return (reply) => {
    const rest = reply.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
    return { ...reply, headers: value === undefined ? rest : [...rest, [name, value]] };
  };
}

export function withStatus(status: number): ChangeAnyReply {
  return (reply) => ({ ...reply, status });
}

/** A success that no handler gave. */
export function success(text: string): ChangeAnyReply {
  return () => ({ status: 200, headers: [['Content-Type', 'application/json']], body: Buffer.from(text) });
}

/** An object as it was sent or received; an empty one where it is none. */
export function objectOf(body: Buffer): JsonObject {
  try {
    const json = readJson(body.toString('utf8'));
    return isJsonObject(json) ? json : {};
  } catch {
    return {};
  }
}

/** Faults by their kinds, as a proof tries them. */
export function toItems<Own extends Fault>(faults: Readonly<Record<string, readonly Own[]>>): (Own & Seeded)[] {
  return Object.entries(faults).flatMap(([kind, own]) =>
    own.map((fault) => ({ kind, ...fault, level: fault.level ?? 'contract' })),
  );
}

// A fault may be that there is no reply.
const SOON = 30_000;

/** The app with a fault, wherever the suite looks at it. */
export async function startFaulty(fault: Fault): Promise<Candidate & AsyncDisposable> {
  const { store, parts: own, server } = fault;
  const start = async (...[parts, wrap]: Parameters<typeof startApp>): Promise<RunningApp> => {
    const app = await startApp({ ...parts, ...own }, store ?? wrap);
    install(app.server, fault);
    server?.(app.server);
    return app;
  };
  const all = new AsyncDisposableStack();
  const target = all.use(await startWhole(start, SOON));
  return {
    target,
    startSituations: async () => all.use(await startSituations(start)),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

type Change = Pick<Fault, 'head' | 'body' | 'reply'>;

/** Puts what a fault changes of requests and replies round a server. */
export function install(server: Server, { head, body = (sent) => sent, reply }: Change): void {
  for (const event of ['request', 'checkContinue']) {
    const listeners = server.listeners(event);
    server.removeAllListeners(event);
    server.on(event, (req: IncomingMessage, res: ServerResponse) => {
      const seen = { method: req.method ?? '', url: req.url ?? '', body: Buffer.alloc(0) };
      watchBody(req, seen, body);
      if (reply) changeReply(res, (sent) => reply(sent, seen));
      if (head?.(req) === false) return;
      for (const listener of listeners) listener.call(server, req, res);
    });
  }
}

// The app listens to the request itself; what it hears is all that there is.
function watchBody(req: IncomingMessage, seen: { body: Buffer }, change: (body: Buffer) => Buffer): void {
  const emit = req.emit.bind(req);
  const chunks: Buffer[] = [];
  req.emit = (event: string, ...values: unknown[]): boolean => {
    if (event === 'data') {
      chunks.push(values[0] as Buffer);
      return true;
    }
    if (event === 'end') {
      seen.body = Buffer.concat(chunks);
      const changed = change(seen.body);
      if (changed.length > 0) emit('data', changed);
    }
    return emit(event, ...values);
  };
}

// The app writes the head, and then the body at once.
function changeReply(res: ServerResponse, change: (reply: SentReply) => SentReply): void {
  const send = { head: res.writeHead.bind(res), write: res.write.bind(res), end: res.end.bind(res) };
  let head: { readonly status: number; readonly headers: readonly string[] } | undefined;
  const flush = (text = ''): Buffer => {
    const { status, headers } = head ?? { status: 200, headers: [] };
    head = undefined;
    const changed = change({ status, headers: toPairs(headers), body: Buffer.from(text) });
    const rest = changed.headers.filter(([name]) => name.toLowerCase() !== 'content-length');
    const length: [string, string] = ['Content-Length', String(changed.body.length)];
    send.head(changed.status, (changed.isFramed ? changed.headers : [...rest, length]).flat());
    return changed.body;
  };
  res.writeHead = ((status: number, headers: string[]) => {
    head = { status, headers };
    return res;
  }) as typeof res.writeHead;
  res.write = ((text: string) => send.write(head ? flush(text) : text)) as typeof res.write;
  res.end = ((text?: string) => send.end(head ? flush(text) : text)) as typeof res.end;
}

function toPairs(flat: readonly string[]): [name: string, value: string][] {
  return flat.flatMap((name, index): [string, string][] => (index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : []));
}
