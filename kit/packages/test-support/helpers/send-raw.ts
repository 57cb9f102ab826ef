import { once } from 'node:events';
import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** One reply as it came over the wire. */
export interface RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends bytes that no HTTP client would, and reads until the server closes. Once a reply says that it is the last one,
 * it sends no more, or the server would wait for it.
 *
 * @param parts sent one after the other, each when the one before has been handed to the system
 * @returns every reply, 1xx ones included
 */
export async function sendRaw(port: number, ...parts: readonly string[]): Promise<RawReply[]> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let received = '';
  socket.setEncoding('latin1').on('data', (data: string) => {
    received += data;
    if (hasLastReply(received)) socket.end();
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  for (const part of parts) {
    if (socket.writable) await new Promise((resolve) => socket.write(part, 'latin1', resolve));
  }
  await closed;
  return parseReplies(received);
}

function hasLastReply(text: string): boolean {
  const last = text.endsWith('\r\n\r\n') || text.endsWith('}') ? parseReplies(text).at(-1) : undefined;
  return last?.headers['connection'] === 'close' && last.body.length === Number(last.headers['content-length'] ?? 0);
}

function parseReplies(text: string): RawReply[] {
  const replies: RawReply[] = [];
  for (let rest = text; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers: Record<string, string> = {};
    for (const line of lines) headers[line.split(': ', 1).join().toLowerCase()] = line.slice(line.indexOf(': ') + 2);
    const length = Number(headers['content-length'] ?? 0);
    replies.push({ status: Number(statusLine.split(' ')[1]), headers, body: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return replies;
}

/** A client that keeps what it receives. */
export interface RawClient {
  readonly socket: Socket;
  received: string;
  readonly closed: Promise<unknown>;
}

/** Connects to a server on loopback; what goes wrong with the connection later ends it, and no test. */
export function openClient(port: number, options: Partial<TcpNetConnectOpts> = {}): RawClient {
  const socket = connect({ port, host: '127.0.0.1', ...options }).on('error', () => undefined);
  const client = { socket, received: '', closed: new Promise((resolve) => socket.once('close', resolve)) };
  socket.setEncoding('latin1').on('data', (data: string) => (client.received += data));
  return client;
}

const HEAD = /^HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n/;

/** A creation whose body the service waits for. */
interface HeldCreation {
  /** Sends the body and fulfils with the reply, as it comes over the wire. */
  readonly finish: (body: string) => Promise<string>;
}

/** Sends the head of a creation; when this is fulfilled the service has asked for the body. */
export async function holdCreation(url: string, headers: Readonly<Record<string, string>>): Promise<HeldCreation> {
  const { hostname, port, pathname } = new URL(url);
  const lines = Object.entries({ Host: 'a', Expect: '100-continue', 'Transfer-Encoding': 'chunked', ...headers });
  const head = lines.map((header) => `${header.join(': ')}\r\n`).join('');
  for (;;) {
    const socket = connect(Number(port), hostname).setEncoding('latin1');
    socket.write(`POST ${pathname.replace(/\/$/, '')}/plants HTTP/1.1\r\n${head}\r\n`);
    const [, status] = HEAD.exec(await readUntil(socket, HEAD)) ?? [];
    if (status === '100') return { finish: (body) => finish(socket, body) };
    socket.destroy();
    if (status !== '503') throw new Error(`the status is ${String(status)}`);
    // Overloaded; Retry-After is a second.
    await setTimeout(1_000);
  }
}

async function readUntil(socket: Socket, end: RegExp): Promise<string> {
  let received = '';
  while (!end.test(received)) received += ((await once(socket, 'data')) as [string])[0];
  return received;
}

async function finish(socket: Socket, body: string): Promise<string> {
  let reply = '';
  socket.on('data', (text: string) => (reply += text));
  const closed = once(socket, 'close');
  socket.write(`${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  await closed;
  return reply;
}
