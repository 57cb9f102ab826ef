import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { FROM_SOURCE } from '@contract-kit/test-support/run-as-others';
import { useFolder } from '@contract-kit/test-support/use-folder';

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

function start(server: Server, ...args: readonly string[]): Run {
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const all = [...FROM_SOURCE, 'packages/conformance/src/cli.ts', '--contract', contract, '--url', url, ...args];
  const child = spawn(process.execPath, all);
  const end = async (): Promise<{ status: number | null; output: string }> => {
    const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { status: child.exitCode, output: `${out}${error}` };
  };
  return { ended: end(), kill: (signal) => child.kill(signal) };
}

async function serve(onRequest: (path: string, count: number, reply: () => void) => void): Promise<Server> {
  let count = 0;
  const server = createServer((request, response) => {
    count++;
    onRequest(String(request.url), count, () => response.writeHead(200, { 'Content-Type': 'text/plain' }).end());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
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
    server.closeAllConnections();
    expect(ended.status).toBe(status);
    expect(ended.output).toContain(`Stopped by ${signal}`);
    expect(ended.output).toMatch(/^(?:All )?\d+ (?:of \d+ )?cases (?:passed|failed) at level contract/m);
    expect(readFileSync(junit, 'utf8')).toMatch(/<testsuites tests="[1-9]\d*"/);
  },
);

test('--operation and --path choose what is tested, and must be in the contract', async () => {
  const paths = new Set<string>();
  await using server = await serve((path, _count, reply) => {
    paths.add(path);
    reply();
  });
  const only = ['--only', 'positive,repeat'];
  const judge = (...args: string[]): Run['ended'] => start(server, ...only, ...args).ended;
  const { output } = await judge('--operation', 'listNotes', '--path', '/tags', '--verbose');
  expect(output).toMatch(/listNotes +positive +1\/1\n.*\n.*listTags +positive +1\/1\n/);
  expect(output).not.toContain('headNotes');
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
