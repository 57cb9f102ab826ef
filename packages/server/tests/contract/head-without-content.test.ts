import type { Socket } from 'node:net';
import { createContractServer } from '../../src/http/server';
import { IMPATIENT } from '../../src/runtime/situations';
import { renderFixture } from '../../../../tests/support/fixture-errors';
import { listenOnLoopback } from '../../../../tests/support/listen-on-loopback';
import { openClient } from '../../../../tests/support/send-raw';
import { until } from '../../../../tests/support/until';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}';
const MALFORMED = 'HEAD / HTTP/1.1\r\nX-A : 1\r\n\r\n';

/** What a server sends for these parts, each of which is written once it has read the one before. */
async function receive(...parts: readonly string[]): Promise<string> {
  const server = createContractServer(
    (req, res) => {
      req.resume().once('end', () => res.end());
    },
    { render: renderFixture, report: () => undefined },
    IMPATIENT,
  );
  let accepted: Socket | undefined;
  server.on('connection', (socket) => (accepted = socket));
  await using listening = await listenOnLoopback(server);
  const client = openClient(listening.port, { noDelay: true });
  let sent = 0;
  for (const part of parts) {
    await until(() => (accepted?.bytesRead ?? 0) === sent);
    client.socket.write(part);
    sent += part.length;
  }
  await client.closed;
  return client.received;
}

test.each([
  ['has a malformed header', [MALFORMED]],
  ['begins with an empty line', [`\r\n${MALFORMED}`]],
  ['arrives in two packets', [MALFORMED.slice(0, 20), MALFORMED.slice(20)]],
  ['has headers that are too large', [`HEAD / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`]],
  ['does not end', ['HEAD / HTTP/1.1\r\n']],
  ['does not end in the name of a header', ['HEAD / HTTP/1.1\r\nX-']],
  ['does not end in the value of a header', [GET, 'HEAD / HTTP/1.1\r\nX-A: 1']],
  ['does not end in its request line', ['HEAD / HT']],
  ['comes after another request in a packet of its own', [GET, MALFORMED]],
  ['comes after another request in one packet', [GET + MALFORMED]],
  ['comes right after the body of another request', [POST + MALFORMED]],
])('a reply to HEAD has no content where node:http creates no request for a message that %s', async (_, parts) => {
  const received = await receive(...parts);
  const refusal = received.slice(received.lastIndexOf('HTTP/1.1 '));
  expect(refusal).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nContent-Length: 0\r\n[^]*\r\nConnection: close\r\n\r\n$/);
});

test.each([
  ['is the first one', [MALFORMED.replace('HEAD', 'GET')]],
  ['comes after another one in a packet of its own', [GET, MALFORMED.replace('HEAD', 'GET')]],
  ['comes after another one in one packet', [GET + MALFORMED.replace('HEAD', 'GET')]],
])('the refusal of a malformed request that is certainly not HEAD has content if it %s', async (_, parts) => {
  await expect(receive(...parts)).resolves.toContain('"error":40000');
});

test.each(['GET / HTTP/1.1\r\n', 'POST / HTTP/1.1\r\nX-', 'POST / HTTP/1.1\r\nX-A: 1'])(
  'the refusal of a request that does not end, and is certainly not HEAD, has content: %j',
  async (head) => {
    await expect(receive(head)).resolves.toContain('"error":40002');
    await expect(receive(GET, head)).resolves.toContain('"error":40002');
  },
);
