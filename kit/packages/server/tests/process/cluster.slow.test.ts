import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setEnvironmentData } from 'node:worker_threads';
import { fetchPatiently, startProcess, type ServiceProcess } from '@contract-kit/test-support/start-process';
import { until } from '@contract-kit/test-support/until';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { toProcessShare } from '../../src/http/share';
import { toBudgetBytes } from '../../src/request/body-budget';

const TOKEN = 'a-token-for-the-tests';
const folder = useFolder();

function start(env = {}, ...others: [nodeArgs?: string[], options?: { main: string }]): ServiceProcess {
  return startProcess({ WORKERS: '2', API_TOKENS: TOKEN, ...env }, ...others);
}

/** What the line says that is logged when all workers listen. */
async function waitForUrls(service: ServiceProcess): Promise<{ url: string; admin: string }> {
  const [line] = await service.waitFor(/^.*"msg":"listening".*$/m);
  return JSON.parse(line) as { url: string; admin: string };
}

/** The process ids of the workers. */
function listWorkers({ child: { pid } }: ServiceProcess): number[] {
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}

function isRunning(pid: number): boolean {
  const file = `/proc/${String(pid)}/status`;
  return existsSync(file) && !/^State:\s+Z/m.test(readFileSync(file, 'utf8'));
}

// Nobody answers on a connection that was on its way to a worker when this one was killed.
const CLIENT_TIMEOUT_MS = 5_000;

/** Sends a plant on a connection of its own. @returns the status; undefined if there was no reply */
async function create(url: string, id: number, token = TOKEN): Promise<number | undefined> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Connection: 'close' };
  const [signal, body] = [AbortSignal.timeout(CLIENT_TIMEOUT_MS), JSON.stringify({ id, name: 'Rose' })];
  const reply = await fetchPatiently(`${url}/plants`, { method: 'POST', headers, signal, body }).catch(() => undefined);
  return reply?.status;
}

async function readMetrics(admin: string): Promise<string> {
  return (await fetch(`${admin}/metrics`)).text();
}

async function readCount(admin: string): Promise<number> {
  return Number(/^http_requests_total\{.*status="200"\} (\d+)$/m.exec(await readMetrics(admin))?.[1] ?? 0);
}

test('two workers serve one port, and the primary sums what they count', async () => {
  using service = start();
  const { url, admin } = await waitForUrls(service);
  expect(listWorkers(service)).toHaveLength(2);
  for (let id = 0; id < 20; id++) await expect(create(url, id)).resolves.toBe(200);
  await until(async () => (await readCount(admin)) === 20);
  const metrics = await readMetrics(admin);
  // What is said of the whole service is there once.
  expect(metrics.match(/^(service_ready|contract_info).*$/gm)).toEqual([
    expect.stringMatching(/^contract_info\{version=[^,]*,sha256=[^,]*\} 1$/),
    'service_ready 1',
  ]);
  // What cannot be summed, the primary and each worker have.
  expect(metrics.match(/^process_resident_memory_bytes.* /gm)).toHaveLength(3);
  for (const worker of ['1', '2']) expect(metrics).toContain(`store_waiting_rows{worker="${worker}"} 0`);
  expect(metrics).not.toContain('null');
  await expect((await fetch(`${admin}/readyz`)).text()).resolves.toBe('ready\n');
  service.child.kill('SIGTERM');
  await expect(service.ended).resolves.toBe(0);
  expect(service.output.stdout.match(/"msg":"(listening|stopping|stopped)"/g)).toHaveLength(3);
});

test('workers that are killed are started again: nothing acknowledged is lost, and no counter falls', async () => {
  using service = start();
  const { url, admin } = await waitForUrls(service);
  const acknowledged: number[] = [];
  const counts: number[] = [];
  let isOver = false;
  let id = 0;
  async function createAll(): Promise<void> {
    for (let own = id++; !isOver; own = id++) if ((await create(url, own)) === 200) acknowledged.push(own);
  }
  async function readCounts(): Promise<void> {
    while (!isOver) counts.push(await readCount(admin));
  }
  const clients = [createAll(), createAll(), createAll(), createAll(), readCounts()];
  for (const index of [0, 1, 0, 1]) {
    const before = counts.length;
    await until(() => counts.length > before && Number(counts.at(-1)) > 0 && listWorkers(service).length === 2);
    process.kill(Number(listWorkers(service)[index]), 'SIGKILL');
    // The other one goes on.
    const now = acknowledged.length;
    await until(() => acknowledged.length > now + 20);
  }
  await until(() => listWorkers(service).length === 2);
  isOver = true;
  await Promise.all(clients);
  // When all are killed, the next ones have the same port.
  for (const pid of listWorkers(service)) process.kill(pid, 'SIGKILL');
  await until(async () => (await create(url, id)) === 200);
  expect(counts).toEqual(counts.toSorted((one, other) => one - other));
  expect(service.output.stdout.match(/"end":"SIGKILL","msg":"a worker ended, and is started again"/g)).toHaveLength(6);
  using database = new DatabaseSync(join(service.folder, 'data/plants.db'), { readOnly: true });
  const stored = new Set(Array.from(database.prepare('SELECT id FROM plants').iterate(), (row) => row['id']));
  expect(acknowledged.filter((one) => !stored.has(one))).toEqual([]);
});

// Each process writes a line when it starts.
const TELL_START = 'data:text/javascript,console.error("starts")';

async function waitForStarts({ output }: ServiceProcess, count: number): Promise<void> {
  await until(() => output.stderr.split('starts').length > count);
}

test('the service ends, too, where a signal comes while a worker starts', async () => {
  using service = start({}, ['--import', TELL_START]);
  await waitForUrls(service);
  process.kill(Number(listWorkers(service)[0]), 'SIGKILL');
  await waitForStarts(service, 4);
  service.child.kill('SIGTERM');
  await expect(service.ended).resolves.toBe(0);
});

test('a worker that hangs is started again', async () => {
  using service = start();
  const { admin } = await waitForUrls(service);
  const workers = listWorkers(service);
  for (const pid of workers) process.kill(pid, 'SIGSTOP');
  await until(
    () => service.output.stdout.match(/"end":"SIGKILL","msg":"a worker ended, and is started/g)?.length === 2,
  );
  expect(workers.filter(isRunning)).toEqual([]);
  await until(async () => (await fetch(`${admin}/readyz`)).ok);
});

test('a worker that hangs is killed when the service stops', async () => {
  using service = start({ SHUTDOWN_TIMEOUT: '1s' });
  await waitForUrls(service);
  process.kill(Number(listWorkers(service)[0]), 'SIGSTOP');
  service.child.kill('SIGTERM');
  await expect(service.ended).resolves.toBe(0);
  expect(service.output.stdout).toContain('"end":"SIGKILL","msg":"a worker did not stop as it should"');
});

describe('requests in flight', () => {
  const BODY = '{"id":1,"name":"Rose"}';
  const HEAD = `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;

  /** Sends a request, without the body for which the server then waits. The next one is for the next worker. */
  async function begin(url: string): Promise<Socket> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`${HEAD}Content-Length: ${String(BODY.length)}\r\nExpect: 100-continue\r\n\r\n`);
    await once(socket, 'data');
    return socket;
  }

  // Not by a request: while the workers close, a connection may wait in the primary until this one ends.
  async function isRefused(url: string): Promise<boolean> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const isConnected = await once(socket, 'connect').catch(() => false);
    socket.destroy();
    return isConnected === false;
  }

  async function isDraining(_: string, admin: string): Promise<boolean> {
    return (await (await fetch(`${admin}/readyz`)).text()) === 'not ready: draining\n';
  }

  test.each([
    ['when a terminal sends SIGINT to all processes', 'SIGINT', true],
    ['when only the primary gets SIGTERM', 'SIGTERM', false],
    ['when the primary is killed', 'SIGKILL', false],
  ] as const)('of both workers get their replies %s', async (_, signal, isSentToAll) => {
    using service = start();
    const { url } = await waitForUrls(service);
    const workers = listWorkers(service);
    const sockets = [await begin(url), await begin(url)];
    for (const pid of isSentToAll ? workers : []) process.kill(pid, signal);
    service.child.kill(signal);
    await until(() => isRefused(url));
    for (const reply of await Promise.all(sockets.map((socket) => text(socket.end(BODY)))))
      expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\nConnection: close\r\n/);
    await until(() => !workers.some(isRunning));
    await expect(service.ended).resolves.toBe(signal === 'SIGKILL' ? signal : 0);
  });

  test.each([
    ['', {}, isRefused],
    [' while the service waits for load balancers', { DRAIN_DELAY: '60m' }, isDraining],
  ])('are cut off in all processes by a second signal%s', async (_, env, hasBegun) => {
    using service = start({ SHUTDOWN_TIMEOUT: '60m', ...env });
    const { url, admin } = await waitForUrls(service);
    const workers = listWorkers(service);
    const sockets = [await begin(url), await begin(url)];
    service.child.kill('SIGTERM');
    await until(() => hasBegun(url, admin));
    service.child.kill('SIGTERM');
    await expect(service.ended).resolves.toBe('SIGTERM');
    await until(() => !workers.some(isRunning));
    for (const socket of sockets) socket.destroy();
  });
});

test.each([
  ['a port that is taken', {}, 'cannot listen on HOST and PORT: .* EADDRINUSE.*'],
  ['a worker that ends', { PORT: '0' }, 'worker 2 ended before it listened: 7'],
])('%s is told once, and nothing starts', async (_, env, problem) => {
  await using other = createServer();
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const endSecond = 'data:text/javascript,if (process.env.CONTRACT_KIT_WORKER === "2") process.exit(7)';
  using service = start({ PORT: String((other.address() as AddressInfo).port), ...env }, ['--import', endSecond]);
  await expect(service.ended).resolves.toBe(1);
  expect(service.output.stdout).toBe('');
  expect(service.output.stderr).toMatch(new RegExp(`^The plant store cannot start:\n- ${problem}\n$`));
});

test('all workers accept the token that is printed where no other source is set', async () => {
  using service = startProcess({ WORKERS: '2' });
  const { url } = await waitForUrls(service);
  const [, token = ''] = await service.waitFor(/TOKEN=([\w-]{43})\n/);
  for (const id of [1, 2, 3, 4]) await expect(create(url, id, token)).resolves.toBe(200);
  expect(service.output.stderr.match(/TOKEN=/g)).toHaveLength(1);
});

test('SIGHUP makes each process read the file of tokens again', async () => {
  const file = join(folder, 'tokens');
  writeFileSync(file, `${TOKEN}\n`);
  using service = start({ API_TOKENS_FILE: file });
  const { url } = await waitForUrls(service);
  writeFileSync(file, 'another-token-for-the-tests\n');
  service.child.kill('SIGHUP');
  await until(() => service.output.stdout.match(/API_TOKENS_FILE was read again/g)?.length === 3);
  for (const id of [1, 2, 3, 4]) await expect(create(url, id, 'another-token-for-the-tests')).resolves.toBe(200);
});

test('jobs run in the primary only', async () => {
  const file = join(folder, 'openapi.yaml');
  writeFileSync(file, "openapi: 3.1.0\ninfo: { title: A, version: '1' }\nsecurity: []\npaths: {}\n");
  using service = start({ CONTRACT: file, JOB: '1' }, [], { main: 'proofs/attack/stand-in.js' });
  await waitForUrls(service);
  const listRuns = (): string[] => service.output.stdout.match(/"pid":\d+,"msg":"job"/g) ?? [];
  const before = listRuns().length;
  await until(() => listRuns().length > before + 100);
  expect(new Set(listRuns())).toEqual(new Set([`"pid":${String(service.child.pid)},"msg":"job"`]));
});

test('a worker has its share of what the service may take', () => {
  const budget = toBudgetBytes(1024);
  setEnvironmentData('contract-kit:workers', 4);
  expect([toProcessShare(5_000), toProcessShare(2), toBudgetBytes(1024)]).toEqual([1_250, 1, budget / 4]);
  setEnvironmentData('contract-kit:workers', 1);
});
