import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchPatiently } from '../../../../tests/support/fetch-patiently';
import { startProcess } from '../../../../tests/support/start-process';
import { until } from '../../../../tests/support/until';

test('the service itself: a token comes and one goes without a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  const path = join(folder, 'tokens');
  writeFileSync(path, 'one-of-the-tokens\ntwo-of-the-tokens\n');
  using service = startProcess({ API_TOKENS_FILE: path });
  const [, url = ''] = await service.waitFor(/"url":"(http:[^"]+)".*"msg":"listening"/);
  const statusOf = async (token: string): Promise<number> => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const body = '{"id":1,"name":"Rose"}';
    return (await fetchPatiently(`${url}/plants`, { method: 'POST', headers, body })).status;
  };
  await expect(
    Promise.all(['one-of-the-tokens', 'two-of-the-tokens', 'three-of-the-tokens'].map(statusOf)),
  ).resolves.toEqual([200, 200, 401]);
  writeFileSync(`${path}.new`, 'two-of-the-tokens\nthree-of-the-tokens\n');
  renameSync(`${path}.new`, path);
  await until(async () => (await statusOf('one-of-the-tokens')) === 401);
  await expect(
    Promise.all(['one-of-the-tokens', 'two-of-the-tokens', 'three-of-the-tokens'].map(statusOf)),
  ).resolves.toEqual([401, 200, 200]);
  writeFileSync(path, '');
  await service.waitFor(/"level":40,.*"msg":"API_TOKENS_FILE is set but holds no token; its last tokens still count"/);
  await expect(
    Promise.all(['one-of-the-tokens', 'two-of-the-tokens', 'three-of-the-tokens'].map(statusOf)),
  ).resolves.toEqual([401, 200, 200]);
  service.child.kill('SIGTERM');
  await expect(service.ended).resolves.toBe(0);
  rmSync(folder, { recursive: true });
});
