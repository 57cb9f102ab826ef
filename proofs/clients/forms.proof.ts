import { execFile, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serveOperation } from '../../packages/server/tests/serve-operation';
import { listenOnLoopback } from '../../tests/support/listen-on-loopback';
import { until } from '../../tests/support/until';
import { useFolder } from '../../tests/support/use-folder';

/** A part of a form: a text, or a file with its bytes in base64. */
type Part = { readonly name: string } & (
  { readonly text: string } | { readonly filename: string; readonly base64: string }
);

const toFile = (name: string, filename: string, bytes: Buffer): Part => ({
  name,
  filename,
  base64: bytes.toString('base64'),
});
const TEXT: Part = { name: 'text', text: ' "a" & ü\u{1f331}%22 ' };
const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const WIDE = 'Gänseblümchen \u{1f33c}';
const ODD = 'a "b";\r\nc';

const FORMS: readonly (readonly Part[])[] = [
  [TEXT, toFile('one', 'a b.bin', EVERY_BYTE)],
  [TEXT, toFile('many', 'a', Buffer.from('--\r\n')), toFile('many', 'b', Buffer.from('\r\n--\r\n'))],
  [TEXT],
  [TEXT, toFile('one', 'empty', Buffer.alloc(0))],
  [toFile(WIDE, `${WIDE}.txt`, Buffer.from('a'))],
  [{ name: 'text', text: '' }, toFile(ODD, `${ODD}.txt`, Buffer.from('a'))],
];

const BINARY = '{ type: string, format: binary }';
const PROPERTIES = [
  `text: { type: string }, one: ${BINARY}, many: { type: array, items: ${BINARY} }`,
  ...[WIDE, ODD].map((name) => `${JSON.stringify(name)}: ${BINARY}`),
].join(', ');
const OPERATION = {
  members: `requestBody: { content: { multipart/form-data: { schema: { type: object, properties: { ${PROPERTIES} }, additionalProperties: false } } } }`,
};

/** The body that a handler has to get, with files as their name and bytes. */
function toBody(form: readonly Part[]): object {
  const entries = form.map((part) => [part.name, 'text' in part ? part.text : [part.filename, part.base64]] as const);
  const byName = [...Map.groupBy(entries, ([name]) => name)];
  return Object.fromEntries(
    byName.map(([name, values]) => [name, name === 'many' ? values.map(([, value]) => value) : values[0]?.[1]]),
  );
}

async function describeValue(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(describeValue));
  return value instanceof File ? [value.name, Buffer.from(await value.bytes()).toString('base64')] : value;
}

const folder = useFolder();
const run = promisify(execFile);

/** Runs a program that reads the forms from its standard input. */
async function runClient(command: string, args: readonly string[]): Promise<void> {
  const client = run(command, args);
  client.child.stdin?.end(JSON.stringify(FORMS));
  await client;
}

async function sendWithCurl(url: string): Promise<void> {
  for (const form of FORMS) {
    const fields = form.flatMap((part, index) => {
      if ('text' in part) return ['--form-string', `${part.name}=${part.text}`];
      const file = join(folder, String(index));
      writeFileSync(file, Buffer.from(part.base64, 'base64'));
      return ['-F', `${part.name}=@${file};filename="${part.filename.replaceAll('"', String.raw`\"`)}"`];
    });
    await run('curl', ['--silent', '--show-error', ...fields, url]);
  }
}

const browser = process.env['CHROMIUM'] ?? 'chromium';

async function sendWithBrowser(url: string): Promise<void> {
  let isDone = false;
  const page = createServer((req, res) => {
    isDone ||= req.url === '/done';
    if (req.url === '/forms') res.end(JSON.stringify({ url, forms: FORMS }));
    else res.setHeader('Content-Type', 'text/html').end(readFileSync('proofs/clients/forms/page.html'));
  });
  await using served = await listenOnLoopback(page);
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder}`];
  const opened = spawn(browser, [...flags, '--remote-debugging-port=0', served.base.href]);
  try {
    await until(() => isDone);
  } finally {
    const ended = new Promise((resolve) => opened.once('exit', resolve));
    opened.kill();
    await ended;
  }
}

const CLIENTS: Readonly<Record<string, (url: string) => Promise<void>>> = {
  curl: sendWithCurl,
  ...Object.fromEntries(
    ['undici', 'axios', 'form-data'].map((name) => [
      name,
      (url: string) => runClient(process.execPath, ['proofs/clients/forms/send-forms.mjs', name, url]),
    ]),
  ),
  'requests of Python': (url) => runClient('python3', ['proofs/clients/forms/send-forms.py', url]),
  'a browser': sendWithBrowser,
};

/** The programs that must be there for some clients. */
const NEEDED: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  curl: ['curl', '--version'],
  'requests of Python': ['python3', '-c', 'import requests'],
  'a browser': [browser, '--version'],
};

const usable = Object.keys(CLIENTS).filter((name) => {
  const [command, ...args] = NEEDED[name] ?? [process.execPath, '--version'];
  const isThere = spawnSync(command, args).status === 0;
  if (!isThere) process.stderr.write(`The tests of forms from ${name} did not run: it is not installed.\n`);
  return isThere;
});

test.each(usable)('a handler gets the forms that %s sends, with their names and bytes', async (name) => {
  await using app = await serveOperation(OPERATION);
  await CLIENTS[name]?.(new URL('/a', app.base).href);
  const bodies = app.seen.map(async (body) =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(body as object).map(async ([key, value]) => [key, await describeValue(value)] as const),
      ),
    ),
  );
  expect(await Promise.all(bodies)).toEqual(FORMS.map(toBody));
  expect(app.outcomes.map(({ status }) => status)).toEqual(FORMS.map(() => 204));
});
