import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync, readdirSync } from 'node:fs';
import { request, type ClientRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { secondsSince, startStandIn, type Attack, type Figure, type Target } from '../target';

const MB = 1024 ** 2;
const BYTES = 'application/octet-stream';
const FORM = 'multipart/form-data; boundary=b';
const UPLOADS = `openapi: 3.1.0
info: { title: Uploads, version: 1.0.0 }
security: []
paths:
  /bytes: { post: { operationId: takeBytes, requestBody: &bytes { required: true, x-body-limit: 300mb, content: { ${BYTES}: {} } }, responses: &replies { '204': { description: Taken. }, 4XX: { description: Refused. }, '503': { description: Try again later. } } } }
  /guarded: { post: { operationId: takeGuarded, security: [{ bearerAuth: [] }], requestBody: *bytes, responses: *replies } }
  /forms: { post: { operationId: takeForm, requestBody: { required: true, x-body-limit: 300mb, content: { multipart/form-data: { schema: { type: object, properties: { file: { type: string, format: binary } } } } } }, responses: *replies } }
components: { securitySchemes: { bearerAuth: { type: http, scheme: bearer } } }
`;

/** A stand-in with a folder of its own for temporary files. */
interface Uploads extends Target {
  /** The temporary files that are there. */
  readonly files: () => string[];
}

async function startUploads(folder: string, env: Record<string, string> = {}): Promise<Uploads> {
  const target = await startStandIn(UPLOADS, [], { UPLOAD_FOLDER: folder, ...env });
  return Object.assign(target, { files: () => readdirSync(folder) });
}

const createFolder = () => mkdtempDisposableSync(join(tmpdir(), 'uploads-'));

/** A request whose body is still to be sent, in chunks unless its length is given. */
function begin({ url }: Target, path: string, headers: Record<string, string> = {}): ClientRequest {
  const all = { 'Content-Type': path === '/forms' ? FORM : BYTES, ...headers };
  return request(`${url}${path}`, { method: 'POST', headers: all, agent: false }).on('error', () => undefined);
}

const CHUNK = Buffer.alloc(MB, '\r\n--x');
const HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';

/** Sends as many MB as it says, between two texts. Returns the status; 0 without a reply. */
async function send(sent: ClientRequest, megabytes: number, [before, after] = ['', '']): Promise<number> {
  const replied = Promise.race([
    once(sent, 'response').then(([reply]) => {
      const { statusCode = 0 } = (reply as Readable & { statusCode?: number }).resume();
      return statusCode;
    }),
    once(sent, 'close').then(() => 0),
  ]);
  const body = Readable.from(
    (function* () {
      yield Buffer.from(before);
      for (let count = 0; count < megabytes; count++) yield CHUNK;
      yield Buffer.from(after);
    })(),
  );
  body.pipe(sent);
  return await replied;
}

const sendBytes = (target: Target, megabytes: number): Promise<number> => send(begin(target, '/bytes'), megabytes);
const sendForm = (target: Target, megabytes: number, end = '\r\n--b--'): Promise<number> =>
  send(begin(target, '/forms'), megabytes, [HEAD, end]);

/** Waits for the end of all that was begun. */
async function countFiles({ files }: Uploads): Promise<Figure> {
  const start = performance.now();
  while (files().length > 0 && secondsSince(start) < 10) await sleep(20);
  return { what: 'left behind', value: files().length, atMost: 0, unit: 'files' };
}

const count = (what: string, statuses: readonly number[], right: (status: number) => boolean): Figure => ({
  what,
  value: statuses.filter((status) => !right(status)).length,
  atMost: 0,
  unit: 'bodies',
});

const manyUploads: Attack = {
  name: 'six uploads of 150 MB and four forms of 200 MB at once',
  async run() {
    using folder = createFolder();
    using target = await startUploads(folder.path);
    // What runs for the first time is compiled.
    await Promise.all([sendBytes(target, 8), sendForm(target, 8)]);
    const before = target.memory();
    const bytes = Array.from({ length: 6 }, () => sendBytes(target, 150));
    const forms = Array.from({ length: 4 }, () => sendForm(target, 200));
    const statuses = await Promise.all([...bytes, ...forms]);
    return [
      count('not taken', statuses, (status) => status === 204),
      { what: 'memory', value: target.peakMemory() - before, atMost: 120, unit: 'MB' },
      await countFiles(target),
    ];
  },
};

const badEnds: Attack = {
  name: 'uploads that end in the middle, are malformed or too large',
  async run() {
    using folder = createFolder();
    using target = await startUploads(folder.path);
    const left = ['/bytes', '/forms'].map(async (path) => {
      const sent = begin(target, path);
      sent.write(HEAD);
      for (let written = 0; written < 8; written++) sent.write(CHUNK);
      while (target.files().length === 0) await sleep(10);
      sent.destroy();
    });
    await Promise.all(left);
    const unchanged = await countFiles(target);
    const refused = await Promise.all([
      sendForm(target, 8, '\r\n--b'),
      sendForm(target, 8, '\r\n--b\r\n\r\n\r\n--b--'),
      send(begin(target, '/bytes', { 'Content-Length': String(301 * MB) }), 0),
      sendBytes(target, 301),
    ]);
    const cpu = target.cpu();
    const strangers = await Promise.all(
      Array.from({ length: 20 }, () => send(begin(target, '/guarded', { Authorization: 'Bearer wrong' }), 100)),
    );
    return [
      unchanged,
      count('not refused', refused, (status) => status === 0 || (status >= 400 && status < 500)),
      count('read without credentials', strangers, (status) => status === 0 || status === 401),
      { what: 'processor for those', value: target.cpu() - cpu, atMost: 2, unit: 's' },
      await countFiles(target),
    ];
  },
};

const fullDisk: Attack = {
  name: 'uploads that fill the disk',
  async run() {
    using folder = createFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder.path]);
    try {
      using target = await startUploads(folder.path);
      const tooLarge = await Promise.all([sendBytes(target, 20), sendForm(target, 20)]);
      const figures = [
        count('not refused with 503', tooLarge, (status) => status === 503 || status === 0),
        await countFiles(target),
      ];
      const next = [await sendBytes(target, 8), await sendForm(target, 8)];
      return [...figures, count('not taken afterwards', next, (status) => status === 204)];
    } finally {
      execFileSync('umount', ['--lazy', folder.path]);
    }
  },
};

const killed: Attack = {
  name: 'a service that is killed during uploads, and started again',
  async run() {
    using folder = createFolder();
    using target = await startUploads(folder.path);
    const uploads = ['/bytes', '/forms'].map((path) => begin(target, path));
    for (const sent of uploads) {
      sent.write(HEAD);
      for (let written = 0; written < 8; written++) sent.write(CHUNK);
    }
    while (target.files().length < uploads.length) await sleep(10);
    target.process.child.kill('SIGKILL');
    await target.process.ended;
    const before = target.files().length;
    using next = await startUploads(folder.path);
    return [
      { what: 'removed before the next start', value: uploads.length - before, atMost: 0, unit: 'files' },
      { what: 'left behind', value: next.files().length, atMost: 0, unit: 'files' },
    ];
  },
};

/** Only root can mount a disk of its own. */
export const largeBodies: readonly Attack[] = [
  manyUploads,
  badEnds,
  ...(process.getuid?.() === 0 ? [fullDisk] : []),
  killed,
];
