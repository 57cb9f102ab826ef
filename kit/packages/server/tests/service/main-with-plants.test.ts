import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fetchPatiently, LISTENING, startProcess, untilNobodyListens } from '@contract-kit/test-support/start-process';
import { holdCreation } from '@contract-kit/test-support/send-raw';
import { readRows } from '@contract-kit/test-support/start-app';

const BODY = '{"id":9007199254740993,"name":"Rose","tag":"flower"}';

const HEADERS = { Authorization: 'Bearer a-token-for-the-tests', 'Content-Type': 'application/json' };

/** What a shell says to a line; told to come again, it does. */
async function paste(line: string, cwd = '.'): Promise<string> {
  const reply = execFileSync('sh', ['-c', line], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], cwd });
  if (!reply.startsWith('HTTP/1.1 503 ')) return reply;
  await setTimeout(1_000);
  return paste(line);
}

test('the curl line that is printed works when it is pasted, and the plant survives a restart', async () => {
  using service = startProcess();
  await service.waitFor(LISTENING);
  const [line] = await service.waitFor(/^TOKEN=.*\n(?:.* \\\n)+.*\n/m);
  const reply = await paste(line);
  expect(reply).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(reply).toMatch(/\r\n\r\n\{"name":"Rose","tag":"flower"\}$/);
  service.child.kill('SIGKILL');
  await service.ended;

  const database = join(service.folder, 'data/plants.db');
  using again = startProcess({ DATABASE_URL: `file:${database}`, API_TOKENS: 'a-token-for-the-tests' });
  const [, url = ''] = await again.waitFor(LISTENING);
  const created = fetchPatiently(`${url}/plants`, { method: 'POST', headers: HEADERS, body: BODY });
  await expect(created).resolves.toMatchObject({ status: 200 });
  await again.waitFor(/"operation":"createPlant","status":200/);
  expect(readRows(database)).toEqual([
    { id: 1n, name: 'Rose', tag: 'flower' },
    { id: 9007199254740993n, name: 'Rose', tag: 'flower' },
  ]);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s: a creation in flight is answered and kept where the start said, then the process ends with status 0',
  async (signal) => {
    using service = startProcess({ API_TOKENS: 'a-token-for-the-tests' });
    const [, url = ''] = await service.waitFor(LISTENING);
    const database = join(service.folder, 'data/plants.db');
    expect(service.output.stdout).toContain(`"database":${JSON.stringify(database)}`);
    const { finish } = await holdCreation(url, HEADERS);
    service.child.kill(signal);
    await service.waitFor(new RegExp(`"signal":"${signal}","msg":"stopping"`));
    await untilNobodyListens(url);
    await expect(finish(BODY)).resolves.toMatch(/^HTTP\/1\.1 200 [^]*\r\nConnection: close\r\n/);
    await expect(service.ended).resolves.toBe(0);
    expect(service.output.stdout).toContain('"msg":"stopped"');
    expect(readRows(database)).toHaveLength(1);
  },
);
