import { execFile, spawn, spawnSync } from 'node:child_process';
import { createServer, get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { EVENT, EVENTS, LINES, READING, RECORDS, replying } from '../../packages/server/tests/item-parts';
import { serveOperation } from '../../packages/server/tests/serve-operation';
import type { UntypedHandler } from '../../packages/server/src/pipeline/pipeline';
import { listenOnLoopback } from '../../tests/support/listen-on-loopback';
import { until } from '../../tests/support/until';
import { useFolder } from '../../tests/support/use-folder';

const run = promisify(execFile);
const folder = useFolder();
const browser = process.env['CHROMIUM'] ?? 'chromium';

const FIRST = { event: 'reading', id: '7', retry: 10, data: { bed: 1n, value: 21.5 } };
const NOTES = [' a space: \u{1f339}', 'two\nlines', '\n', 'data: "a"', ''];

/** The first event, and the others when the client comes back with its id. */
const sendEvents: UntypedHandler = ({ headers }, reply) => {
  const others = [...NOTES.map((data) => ({ event: 'note', data })), { event: 'end', data: '' }];
  return reply(200, headers['Last-Event-ID'] === FIRST.id ? others : [FIRST]);
};
const DISPATCHED = [['reading', '{"bed":1,"value":21.5}'], ...NOTES.map((data) => ['note', data]), ['end', '']].map(
  ([type, data]) => ({ type, data, lastEventId: FIRST.id }),
);

/** Gives the events that an EventSource dispatches to the function `tell`. */
const LISTEN = `const seen = [];
  const source = new EventSource(url);
  for (const name of ['reading', 'note', 'end'])
    source.addEventListener(name, ({ type, data, lastEventId }) => {
      seen.push({ type, data, lastEventId });
      if (name === 'end') { source.close(); tell(seen); }
    });`;

async function listenWithUndici(url: string): Promise<unknown> {
  // Between two connections, nothing else keeps its process.
  const program = `const alive = setInterval(() => {}, 1_000); const url = ${JSON.stringify(url)}; const tell = (seen) => { console.log(JSON.stringify(seen)); clearInterval(alive); }; ${LISTEN}`;
  const { stdout } = await run(process.execPath, ['--experimental-eventsource', '--eval', program]);
  return JSON.parse(stdout);
}

async function listenWithBrowser(url: string): Promise<unknown> {
  let seen: unknown;
  const tell = "const tell = (seen) => void fetch('/seen', { method: 'POST', body: JSON.stringify(seen) })";
  const page = createServer((req, res) => {
    const { 'last-event-id': id } = req.headers;
    if (req.url === '/events')
      get(url, { headers: id === undefined ? {} : { 'Last-Event-ID': id } }, (reply: IncomingMessage) => {
        res.writeHead(reply.statusCode ?? 500, { 'Content-Type': reply.headers['content-type'] });
        reply.pipe(res);
      });
    else if (req.url === '/seen') void json(req).then((body) => (seen = body));
    else res.setHeader('Content-Type', 'text/html').end(`<script>const url = '/events'; ${tell}; ${LISTEN}</script>`);
  });
  await using served = await listenOnLoopback(page);
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder}`];
  const opened = spawn(browser, [...flags, '--remote-debugging-port=0', served.base.href]);
  try {
    await until(() => seen !== undefined);
  } finally {
    const ended = new Promise((resolve) => opened.once('exit', resolve));
    opened.kill();
    await ended;
  }
  return seen;
}

function isThere(command: string): boolean {
  const isInstalled = spawnSync(command, ['--version']).status === 0;
  if (!isInstalled) process.stderr.write(`The tests of streams with ${command} did not run: it is not installed.\n`);
  return isInstalled;
}

const LISTENERS = [
  ['undici', listenWithUndici] as const,
  ...(isThere(browser) ? [['a browser', listenWithBrowser] as const] : []),
];

test.each(LISTENERS)(
  'the EventSource of %s dispatches each event, and comes back with the last id',
  async (_, listen) => {
    const members = 'parameters: [{ name: Last-Event-ID, in: header, schema: { type: string } }]';
    await using app = await serveOperation({ ...replying([EVENTS, EVENT]), members }, sendEvents);
    await expect(listen(new URL('/a', app.base).href)).resolves.toEqual(DISPATCHED);
  },
);

const describeWithJq = isThere('jq') && isThere('curl') ? describe : describe.skip;
describeWithJq('jq', () => {
  test.each([
    [LINES, []],
    [RECORDS, ['--seq']],
  ])('reads the items of %s', async (type, options) => {
    const items = [1n, 2n, 9007199254740991n].map((bed) => ({ bed, value: 0.5 }));
    await using app = await serveOperation(replying([type, READING]), (_request, reply) => reply(200, items));
    const command = `curl --silent --show-error "$0" | jq ${options.join(' ')} --compact-output .`;
    const { stdout } = await run('sh', ['-c', command, new URL('/a', app.base).href]);
    const written = items.map(({ bed }) => `{"bed":${String(bed)},"value":0.5}`);
    expect(stdout.replaceAll('\x1e', '').trimEnd().split('\n')).toEqual(written);
  });
});
