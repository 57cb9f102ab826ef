import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

const HEAD = /^HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n/;

/** A creation whose body the service waits for. */
export interface HeldCreation {
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
