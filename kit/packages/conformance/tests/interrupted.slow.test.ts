import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findPort, type ListeningServer } from '@contract-kit/test-support/listen-on-loopback';
import { FROM_SOURCE } from '@contract-kit/test-support/run-as-others';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { createPace } from '../src/exchange/exchange';
import { serveReplies } from './serve-books';

const folder = useFolder();
const contract = join(folder, 'notes.yaml');

beforeAll(() => {
  writeFileSync(
    contract,
    `openapi: 3.1.0
info: { title: Notes, version: 1.0.0 }
paths:
  /notes:
    get: { operationId: listNotes, responses: { '200': { description: All of them. } } }
    head: { operationId: headNotes, responses: { '200': { description: All of them. } } }
  /tags:
    get: { operationId: listTags, responses: { '200': { description: All of them. } } }
`,
  );
});

interface Run {
  readonly ended: Promise<{ readonly status: number | null; readonly output: string }>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

function start({ base }: ListeningServer, ...args: readonly string[]): Run {
  const all = [...FROM_SOURCE, 'packages/conformance/src/cli.ts', '--contract', contract, '--url', base.href, ...args];
  const child = spawn(process.execPath, all);
  const end = async (): Promise<{ status: number | null; output: string }> => {
    const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { status: child.exitCode, output: `${out}${error}` };
  };
  return { ended: end(), kill: (signal) => child.kill(signal) };
}

function serve(onRequest: (path: string, count: number, reply: () => void) => void): Promise<ListeningServer> {
  let count = 0;
  return serveReplies((request, response) => {
    count++;
    onRequest(String(request.url), count, () => response.writeHead(200, { 'Content-Type': 'text/plain' }).end());
  });
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s ends a run at once with status %i, with the report and the JUnit file of what is there',
  async (signal, status) => {
    const runs: Run[] = [];
    await using server = await serve((_path, count, reply) => {
      // From then on, nothing is answered.
      if (count < 40) reply();
      if (count === 40) runs[0]?.kill(signal);
    });
    const junit = join(folder, `${signal}.xml`);
    const run = start(server, '--timeout', '1000000', '--junit', junit);
    runs.push(run);
    const ended = await run.ended;
    expect(ended.status).toBe(status);
    expect(ended.output).toContain(`Stopped by ${signal}`);
    expect(ended.output).toMatch(/^(?:The first )?\d+ (?:of \d+ )?cases (?:passed|failed) at level contract.* early$/m);
    expect(readFileSync(junit, 'utf8')).toMatch(/<testsuites tests="[1-9]\d*"[^]*\d of \d+ cases were not sent/);
  },
);

test('--operation and --path choose what is tested, and must be in the contract', async () => {
  const paths = new Set<string>();
  await using server = await serve((path, _count, reply) => {
    paths.add(path);
    reply();
  });
  const only = ['--only', 'positive,parameter'];
  const judge = (...args: string[]): Run['ended'] => start(server, ...only, ...args).ended;
  const { output } = await judge('--operation', 'listNotes', '--path', '/tags', '--verbose');
  expect(output).toContain('All 10 cases passed');
  const unknown = await judge('--path', '/other');
  expect([unknown.status, unknown.output]).toEqual([
    2,
    expect.stringContaining('--path /other: the contract has no such path'),
  ]);
});

test('a reply to HEAD counts as produced, and what --max-cases leaves out is counted by rule', async () => {
  await using server = await serve((_path, _count, reply) => {
    reply();
  });
  const { output } = await start(server, '--max-cases', '20').ended;
  expect(output).toMatch(/\d+ cases beyond the first 20 were left out \(--max-cases\): .*path \d+/);
  // Only GET is missing: what no operation produced would be one line for all of them.
  expect(output).not.toContain('* * 200 response');
});

test('a file has options by their names, and nothing is sent to an operation that is excluded', async () => {
  const paths = new Set<string>();
  await using server = await serve((path, _count, reply) => {
    paths.add(path);
    reply();
  });
  const config = join(folder, 'options.yaml');
  writeFileSync(
    config,
    'exclude-operation: [listTags, headNotes]\nonly: positive\nverbose: true\ndestructive: false\n',
  );
  const { status, output } = await start(server, '--config', config).ended;
  expect(output).toContain('All 3 cases passed');
  expect([...paths]).toEqual(['/no/such/path', '/notes']);
  expect(status).toBe(0);
  writeFileSync(config, 'exclude-operation: addNote\n');
  const unknown = await start(server, '--config', config).ended;
  expect(unknown.output).toContain('addNote: the contract has no such operation');
});

test('Retry-After is obeyed and shown, and what stays limited gets no more requests, and is unproven', async () => {
  const counts = { notes: 0, tags: 0 };
  await using server = await serveReplies(({ url }, response) => {
    const isTags = url?.startsWith('/tags') === true;
    const count = isTags ? ++counts.tags : ++counts.notes;
    // Of tags, more than a day.
    const retryAfter = isTags ? 99_999 : count === 3 ? 3 : undefined;
    if (retryAfter === undefined) response.writeHead(200, { 'Content-Type': 'text/plain' }).end();
    else response.writeHead(429, { 'Retry-After': retryAfter }).end();
  });
  const { status, output } = await start(server, '--only', 'positive,parameter', '--workers', '1').ended;
  expect(output).toContain('Waiting 3 s: the server answers 429 and Retry-After.');
  expect(output).toMatch(/cases unproven: the server kept answering 429 to GET: try a lower --rate \(.* of listTags\)/);
  expect(counts.tags).toBeLessThan(4);
  expect(status).toBe(3);
});

test('a pace lets no more requests pass than it should', async () => {
  const pace = createPace(100);
  const start = performance.now();
  for (let request = 0; request < 5; request++) await pace();
  expect(performance.now() - start).toBeGreaterThan(35);
});

test('after a crash, --restart finds out which of the requests under way ends the server', async () => {
  const port = await findPort();
  const [script, pid, crashing] = ['server.cjs', 'pid', 'crashing.yaml'].map((name) => join(folder, name));
  writeFileSync(
    String(script),
    // The first time, it takes another request with it.
    `const isFirst = !require('fs').existsSync(${JSON.stringify(pid)});
    require('fs').writeFileSync(${JSON.stringify(pid)}, String(process.pid));
    let isEnding = false;
    require('http').createServer(({ url }, res) => {
      if (isEnding || (!isFirst && url.includes('after=null'))) process.exit(1);
      isEnding = url.includes('after=null');
      if (isEnding) return;
      res.writeHead(url.startsWith('/notes') ? 200 : 404, { 'content-type': 'text/plain' }).end();
    }).listen(${String(port)}, '127.0.0.1');`,
  );
  const parameters = 'parameters: [{ name: after, in: query, schema: { type: integer } }], ';
  writeFileSync(String(crashing), readFileSync(contract, 'utf8').replace('listNotes, ', `listNotes, ${parameters}`));
  const command = `${process.execPath} ${String(script)}`;
  const first = spawn(process.execPath, [String(script)]);
  await once(first, 'spawn');
  const run = spawn(process.execPath, [
    ...[...FROM_SOURCE, 'packages/conformance/src/cli.ts', '--contract', String(crashing)],
    ...['--url', `http://127.0.0.1:${String(port)}`, '--operation', 'listNotes', '--restart', command],
  ]);
  const [output] = await Promise.all([text(run.stdout), once(run, 'close')]);
  process.kill(Number(readFileSync(String(pid), 'utf8')));
  expect(output).toMatch(/\d x {2}\w+: the request ends the server: it did so again, alone \[server-alive; /);
  expect(output).toMatch(/^ {2}curl .*\/notes\?after=null'/m);
  expect(output).not.toContain('at least one of these cases ended it');
  // What was under way with it survives alone.
  expect(output).not.toContain('connection-closed');
  expect(output).toContain('Stopped early');
});
