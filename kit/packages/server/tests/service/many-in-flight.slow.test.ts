import { once } from 'node:events';
import { connect } from 'node:net';
import { LISTENING, startProcess } from '@contract-kit/test-support/start-process';

const TOKEN = 'a-token-of-16-or-more';
const BODY = '{"id":1,"name":"Rose"}';
const HEADERS = `Host: a\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json`;
const REQUEST = `POST /plants HTTP/1.1\r\n${HEADERS}\r\nContent-Length: ${String(BODY.length)}\r\n\r\n${BODY}`;
const CLIENTS = 256;
const ROUNDS = 20;

test('of 256 requests in flight, nothing is left for a full garbage collection', async () => {
  using service = startProcess({ API_TOKENS: TOKEN }, ['--trace-gc-nvp']);
  const [, url] = await service.waitFor(LISTENING);
  const port = Number(new URL(String(url)).port);
  const clients = Array.from({ length: CLIENTS }, () => connect({ port, noDelay: true }));
  await Promise.all(clients.map((client) => once(client, 'connect')));

  async function load(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      const replies = clients.map((client) => once(client, 'data'));
      for (const client of clients) client.write(REQUEST);
      await Promise.all(replies);
    }
  }
  /** The bytes that small collections have moved among the old objects so far. */
  function countOldBytes(): number {
    const traces = service.output.stdout.matchAll(/"gc":"s".*"promoted":(\d+)/g);
    return [...traces].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
  }
  await load();
  const before = countOldBytes();
  await load();
  for (const client of clients) client.destroy();
  // Without tuneProcess, they are 5 kB for each request.
  expect((countOldBytes() - before) / (CLIENTS * ROUNDS)).toBeLessThan(500);
});
