import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createMultipartReader } from '../../src/request/multipart';
import { sweepTemporaryFiles } from '../../src/request/temporary-files';
import { allowTime, limitRequestTime, timeFor } from '../../src/http/request-time';
import { createServer } from '../../src/runtime/create-server';
import type { UntypedHandler } from '../../src/pipeline/pipeline';
import type { ServiceOptions } from '../../src/pipeline/serve-contract';
import { loadText } from '@contract-kit/test-support/load-text';
import { openClient } from '@contract-kit/test-support/send-raw';
import { until } from '@contract-kit/test-support/until';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { holdClock } from '@contract-kit/test-support/hold-clock';
import {
  contractWith,
  serveOperation,
  taking,
  type OperationParts,
  type ServedOperation,
} from '@contract-kit/test-support/serve-operation';

const MB = 1024 ** 2;
const root = useFolder();
const createFolder = (): string => mkdtempSync(join(root, 'uploads-'));
const FORM =
  '{ type: object, required: [id], properties: { id: { type: integer }, note: { type: string }, file: { type: string, format: binary }, files: { type: array, items: { type: string, format: binary } } } }';
const BYTES = 'application/octet-stream';
const REPLY = `'200': { description: Bytes., content: { image/png: {} } }, '204': { description: Done. }`;

/** An operation that takes bytes, forms and JSON, and may reply with bytes. */
function partsWith(limit: string): OperationParts {
  const content = `{ ${BYTES}: {}, application/json: {}, multipart/form-data: { schema: ${FORM} } }`;
  return { responses: REPLY, members: `requestBody: { required: true, x-body-limit: ${limit}, content: ${content} }` };
}

type Body = NonNullable<RequestInit['body']>;

interface Large extends ServedOperation {
  readonly send: (body: Body, type?: string) => Promise<Response>;
  /** The temporary files that are there. */
  readonly files: () => string[];
}

async function serve(
  handler: UntypedHandler = (_, reply) => reply(204),
  { limit = '8mb', ...options }: Partial<ServiceOptions> & { readonly limit?: string } = {},
): Promise<Large> {
  const path = options.uploadFolder ?? createFolder();
  const served = await serveOperation(partsWith(limit), handler, {}, { uploadFolder: path, bodyLimit: MB, ...options });
  return Object.assign(served, {
    files: () => readdirSync(path),
    send: (body: Body, type?: string) =>
      fetch(new URL('/a', served.base), {
        method: 'POST',
        body,
        headers: type === undefined ? {} : { 'Content-Type': type },
      }),
  });
}

/** Bytes that repeat after no power of two, and have parts of delimiters. */
function createBytes(size: number): Buffer<ArrayBuffer> {
  return Buffer.alloc(size, '\r\n--x\r\n-\r\r\n--\0\xff abc', 'latin1');
}

function formOf(parts: Readonly<Record<string, string | Blob | readonly Blob[]>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) for (const one of [value].flat() as Blob[]) form.append(name, one);
  return form;
}

const isEqual = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

test.each([1, MB, MB + 1, 5 * MB])('a body of %d bytes is a Blob, and in a file beyond 1 MB', async (size) => {
  const sent = createBytes(size);
  const seen: unknown[] = [];
  await using served: Large = await serve(async ({ body }, reply) => {
    const { type, ...blob } = { type: (body as Blob).type, size: (body as Blob).size };
    seen.push(type, blob.size, isEqual(await (body as Blob).bytes(), sent), served.files().length);
    return reply(204);
  });
  // A stream is sent in chunks, with an empty one too.
  const reply = await fetch(new URL('/a', served.base), {
    method: 'POST',
    body: new Blob([sent]).stream(),
    headers: { 'Content-Type': `${BYTES}; a=b` },
    duplex: 'half',
  });
  expect(reply.status).toBe(204);
  expect(seen).toEqual([`${BYTES}; a=b`, size, true, size > MB ? 1 : 0]);
  await until(() => served.files().length === 0);
});

test('the parts of a form that are files are Files, all of them in one temporary file', async () => {
  const [one, other] = [createBytes(900_000), createBytes(3 * MB)];
  const seen: unknown[] = [];
  await using served: Large = await serve(async ({ body }, reply) => {
    const { id, note, file, files } = body as { id: number; note: string; file: File; files: File[] };
    const all = [file, ...files];
    seen.push(
      id,
      note,
      all.map(({ name, type }) => [name, type]),
    );
    for (const each of all) seen.push(each instanceof File, await each.bytes());
    seen.push(served.files().length);
    return reply(204);
  });
  const files = [new File([other], 'ü.png', { type: 'image/png' }), new File([], 'empty'), new File([one], 'c')];
  const form = formOf({ file: new File([one], '../a.txt', { type: 'text/plain' }), id: '1', files, note: 'Grüße' });
  expect((await served.send(form)).status).toBe(204);
  const names = [
    ['a.txt', 'text/plain'],
    ['ü.png', 'image/png'],
    ['empty', BYTES],
    ['c', BYTES],
  ];
  const [id, note, heads, ...rest] = seen;
  expect([id, note, heads]).toEqual([1, 'Grüße', names]);
  const bytes = rest.filter((value) => value instanceof Uint8Array);
  expect(bytes.map((value, index) => isEqual(value, [one, other, Buffer.alloc(0), one][index] as Buffer))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(rest.at(-1)).toBe(1);
  await until(() => served.files().length === 0);
});

test.each([10, 3 * MB])(
  'a Blob of %d bytes that a handler replies with is sent whole, under the declared type',
  async (size) => {
    const sent = createBytes(size);
    await using served = await serve(({ body }, reply) => reply(200, body));
    const reply = await served.send(sent, BYTES);
    expect([reply.status, reply.headers.get('content-type'), reply.headers.get('content-length')]).toEqual([
      200,
      'image/png',
      String(size),
    ]);
    expect(isEqual(await reply.bytes(), sent)).toBe(true);
    await until(() => served.files().length === 0);
  },
);

test('the limit of an operation counts in place of that of the service: for JSON up to 4 MB', async () => {
  await using served = await serve(undefined, { limit: '6mb' });
  const json = (size: number): string => JSON.stringify('a'.repeat(size - 2));
  const statusOf = async (body: Body, type?: string): Promise<number> => (await served.send(body, type)).status;
  expect(await statusOf(new Uint8Array(6 * MB), BYTES)).toBe(204);
  expect(await statusOf(new Uint8Array(6 * MB + 1), BYTES)).toBe(400);
  expect(await statusOf(json(4 * MB), 'application/json')).toBe(204);
  expect(await statusOf(json(4 * MB + 1), 'application/json')).toBe(400);
  const note = (size: number): FormData => formOf({ id: '1', note: 'a'.repeat(size) });
  expect(await statusOf(note(4 * MB - 1_000))).toBe(204);
  expect(await statusOf(note(4 * MB))).toBe(400);
  expect(served.files()).toEqual([]);
});

test('a body that is announced to be larger than its limit is refused before it is sent', async () => {
  await using served = await serve();
  const client = openClient(served.port);
  client.socket.write(
    `POST /a HTTP/1.1\r\nHost: a\r\nContent-Type: ${BYTES}\r\nContent-Length: ${String(8 * MB + 1)}\r\n\r\n`,
  );
  await until(() => client.received.includes('The request body is larger'));
  expect(client.received).toMatch(/^HTTP\/1.1 400 /);
  client.socket.destroy();
});

const LARGE = new File([createBytes(2 * MB)], 'a');
const FAILS: UntypedHandler = () => {
  throw new Error('no');
};

test.each<[string, number, FormData, UntypedHandler | undefined]>([
  ['the contract does not allow', 400, formOf({ file: LARGE, id: 'x' }), undefined],
  ['whose handler fails', 500, formOf({ file: LARGE, id: '1' }), FAILS],
  ['with a part that is sent twice', 400, formOf({ file: [LARGE, LARGE], id: '1' }), undefined],
])('nothing is left of a form %s', async (_, status, form, handler) => {
  await using served = await serve(handler);
  expect((await served.send(form)).status).toBe(status);
  await until(() => served.files().length === 0);
});

test('nothing is left of a form that becomes malformed after its file', async () => {
  await using served = await serve();
  const head = 'Content-Disposition: form-data; name=file; filename=a\r\n\r\n';
  const body = `--x\r\n${head}${'a'.repeat(2 * MB)}\r\n--x\r\n${head}b\r\n--x?`;
  expect((await served.send(body, 'multipart/form-data; boundary=x')).status).toBe(400);
  await until(() => served.files().length === 0);
});

test('nothing is left of a body whose client leaves in the middle', async () => {
  await using served = await serve();
  const client = openClient(served.port);
  client.socket.write(
    `POST /a HTTP/1.1\r\nHost: a\r\nContent-Type: ${BYTES}\r\nContent-Length: ${String(4 * MB)}\r\n\r\n`,
  );
  client.socket.write(Buffer.alloc(2 * MB));
  await until(() => served.files().length === 1);
  client.socket.resetAndDestroy();
  await until(() => served.files().length === 0 && served.outcomes.length === 1);
  expect(served.outcomes).toMatchObject([{ status: 499, isAborted: true }]);
  expect(served.seen).toEqual([]);
});

test('after its time limit, a handler can read the body until it is settled', async () => {
  const settled = Promise.withResolvers<undefined>();
  const read = Promise.withResolvers<Uint8Array>();
  await using served = await serve(
    async ({ body }, reply) => {
      await settled.promise;
      await (body as Blob).bytes().then(read.resolve, read.reject);
      return reply(204);
    },
    { handlerTimeout: 1 },
  );
  expect((await served.send(new Uint8Array(2 * MB), BYTES)).status).toBe(503);
  expect(served.files()).toHaveLength(1);
  settled.resolve(undefined);
  expect(await read.promise).toHaveLength(2 * MB);
  await until(() => served.files().length === 0);
});

test('503 for a body that the disk does not take', async () => {
  const path = createFolder();
  await using served = await serve(undefined, { uploadFolder: path });
  rmSync(path, { recursive: true });
  const reply = await served.send(new Uint8Array(2 * MB), BYTES);
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
  mkdirSync(path);
});

test('503 for a body for which the temporary files together have no space', async () => {
  await using served = await serve(undefined, { uploadBudget: 3 * MB });
  expect((await served.send(new Uint8Array(4 * MB), BYTES)).status).toBe(503);
  await until(() => served.files().length === 0);
  expect((await served.send(new Uint8Array(3 * MB), BYTES)).status).toBe(204);
});

test('a body that a handler has is not dropped for others', async () => {
  const entered = Promise.withResolvers<undefined>();
  const settled = Promise.withResolvers<undefined>();
  await using served = await serve(
    async ({ body }, reply) => {
      entered.resolve(undefined);
      await settled.promise;
      return reply(200, body);
    },
    { uploadBudget: 5 * MB },
  );
  const first = served.send(new Uint8Array(3 * MB), BYTES);
  await entered.promise;
  expect((await served.send(new Uint8Array(3 * MB), BYTES)).status).toBe(503);
  settled.resolve(undefined);
  expect(await (await first).bytes()).toHaveLength(3 * MB);
});

test('a start removes the files of processes that ended, and no others', async () => {
  const path = createFolder();
  const name = (host: string, pid: number, start: number): string =>
    `contract-kit-${host}-${String(pid)}-${String(start)}-0198c2f4-7a51-7c3e-9d40-5b1f0a6e2c11`;
  const kept = [
    name(hostname(), process.pid, Math.round(performance.timeOrigin)),
    name(hostname(), process.ppid, 1),
    name('another', 4_194_304, 1),
    'contract-kit-photo.png',
  ];
  const folder = name(hostname(), 4_194_304, 2);
  for (const each of [...kept, name(hostname(), 4_194_304, 1), name(hostname(), process.pid, 1)])
    writeFileSync(join(path, each), 'a');
  // What cannot be removed stays.
  mkdirSync(join(path, folder));
  await using served = await serve(undefined, { uploadFolder: path });
  expect(served.files().sort()).toEqual([...kept, folder].sort());
});

test('a folder that cannot be used is an error at the start, if a body may need it', async () => {
  const uploadFolder = join(createFolder(), 'none');
  const problem = 'the folder for bodies of more than 1 MB must be a folder in which files can be created: ENOENT';
  await expect(serve(undefined, { uploadFolder })).rejects.toThrow(problem);
  await using served = await serve(undefined, { uploadFolder, limit: '1mb' });
  expect((await served.send('{}', 'application/json')).status).toBe(204);
  const file = join(createFolder(), 'file');
  writeFileSync(file, '', { mode: 0o777 });
  expect(() => {
    sweepTemporaryFiles(file);
  }).toThrow('not a directory');
});

test.each(['lots', '0mb', '-1mb', '1.5mb', '5', '1tb', '9007199254740992b', '[1mb]', 'null'])(
  'the limit %s is an error of the contract, at its place',
  (limit) => {
    const load = (): unknown => loadText(contractWith(partsWith(limit)));
    expect(load).toThrow('x-body-limit must be a size such as 500kb, 20mb or 2gb');
    expect(load).toThrow('#/paths/~1a/post/requestBody/x-body-limit');
  },
);

test.each([
  ['1b', 1],
  ['500kb', 500 * 1024],
  ['20MB', 20 * MB],
  ['2gb', 2 * 1024 ** 3],
])('the limit %s is %d bytes', (limit, bytes) => {
  expect(loadText(contractWith(partsWith(limit))).operations).toMatchObject([{ body: { limit: bytes } }]);
});

describe('time', () => {
  const head = (path: string, length: number): string =>
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${String(length)}\r\n\r\n`;

  test('a large limit gives more time to its own operation only, and no more than its announced length needs', async () => {
    using clock = holdClock('setTimeout', 'clearTimeout');
    await using server = createHttpServer((req, res) => {
      if (req.url === '/large') allowTime(req, Number(req.headers['content-length']));
      req.resume().on('end', () => res.end('done'));
    });
    server.on('clientError', (_error, socket) => socket.end('HTTP/1.1 408 Late\r\n\r\n'));
    limitRequestTime(server, timeFor(MB));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as { port: number };
    const [small, large, none] = [openClient(port), openClient(port), openClient(port)];
    none.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => none.received.includes('done'));
    small.socket.write(head('/small', 2));
    await until(() => clock.countTimers() === 1);
    large.socket.write(head('/large', 100 * MB));
    await until(() => clock.countTimers() === 2);
    clock.pass(timeFor(MB));
    await until(() => small.received.includes('408'));
    expect(large.received).toBe('');
    clock.pass(timeFor(100 * MB));
    await until(() => large.received.includes('408'));
    server.closeAllConnections();
  });

  test('a request that is over gets no more time, which would end on a closed connection, or one of another request', async () => {
    using clock = holdClock('setTimeout', 'clearTimeout');
    let isClosed = false;
    await using server = createHttpServer((req, res) => {
      req.resume().on('end', () => res.end('done'));
      // As a handler does that asks for an item when its client has left.
      req.on('close', () => {
        allowTime(req, 1);
        isClosed = true;
      });
    });
    limitRequestTime(server, timeFor(MB));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = openClient((server.address() as { port: number }).port);
    client.socket.write(`${head('/', 2)}{}`);
    await until(() => isClosed);
    expect(clock.countTimers()).toBe(0);
    server.closeAllConnections();
  });

  test('the time for the largest body of all operations is that of node:http, which has none where there are items', () => {
    const timeOf = (parts: OperationParts): number =>
      createServer(() => undefined, { contract: loadText(contractWith(parts)), report: () => undefined })
        .requestTimeout;
    expect(timeOf(partsWith('2gb'))).toBe(timeFor(2 * 1024 ** 3));
    expect(timeOf(partsWith('1kb'))).toBe(timeFor(MB));
    // Each item has its own.
    expect(timeOf(taking('application/jsonl', '{}'))).toBe(0);
  });
});

test('a form is read the same however its bytes are cut', () => {
  const text =
    'preamble\r\n--x \t\r\nContent-Disposition: form-data; name=a\r\n\r\none\r\n--\r\n--y\r\n--x\r\nContent-Disposition: form-data; name=b\r\n\r\n\r\n--x\r\nContent-Disposition: form-data; name=c\r\n\r\n--x--ignored\r\n--x';
  const read = (size: number): string => {
    const parts: string[] = [];
    const reader = createMultipartReader('multipart/form-data; boundary=x', {
      begin: ({ name }) => parts.push(`|${name}:`),
      add: (bytes) => parts.push(bytes.toString()),
    });
    for (let start = 0; start < text.length; start += size) reader.read(Buffer.from(text.slice(start, start + size)));
    reader.end();
    return parts.join('');
  };
  const sizes = Array.from(text, (_, index) => index + 1);
  expect(new Set(sizes.map(read))).toEqual(new Set(['|a:one\r\n--\r\n--y|b:|c:']));
});

test.each([
  ['--x', 'must be followed by a line break'],
  ['--x ', 'must be followed by a line break'],
  ['--x\r\nContent-Disposition: form-data; name=a\r\n', 'do not end within 16 kB'],
  ['--x\r\nContent-Disposition: form-data; name=a\r\n\r\na', 'the closing boundary is missing'],
  ['a', 'the closing boundary is missing'],
])('a form that ends with %j is malformed', (text, problem) => {
  const reader = createMultipartReader('multipart/form-data; boundary=x', { begin: () => 0, add: () => undefined });
  reader.read(Buffer.from(text));
  expect(() => {
    reader.end();
  }).toThrow(problem);
});
