import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { usePostgres } from '@contract-kit/test-support/start-postgres';
import { fetchPatiently, LISTENING, startProcess } from '@contract-kit/test-support/start-process';
import { useFolder } from '@contract-kit/test-support/use-folder';

const TOKEN = 'a-token-for-the-tests';

const folder = useFolder();
const postgres = usePostgres();

test('a new password in DATABASE_URL_FILE is used without a restart', async () => {
  const { name, url, query } = await postgres.createDatabase();
  await query(`CREATE ROLE plants LOGIN PASSWORD 'old'; ALTER DATABASE ${name} OWNER TO plants`);
  const file = join(folder, 'database-url');
  const writeUrl = (path: string, password: string): void => {
    writeFileSync(path, `${Object.assign(new URL(url), { username: 'plants', password }).href}\n`);
  };
  writeUrl(file, 'old');
  using service = startProcess({ DATABASE_URL_FILE: file, API_TOKENS: TOKEN });
  const [line, serviceUrl = ''] = await service.waitFor(LISTENING);
  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
  const create = (id: number): Promise<Response> =>
    fetchPatiently(`${serviceUrl}/plants`, { method: 'POST', headers, body: `{"id":${String(id)},"name":"Rose"}` });
  await expect(create(1)).resolves.toMatchObject({ status: 200 });
  await query(`ALTER ROLE plants PASSWORD 'new';
    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = 'plants'`);
  writeUrl(`${file}.new`, 'new');
  renameSync(`${file}.new`, file);
  await expect(create(2)).resolves.toMatchObject({ status: 200 });
  const [, admin = ''] = /"admin":"([^"]+)"/.exec(line) ?? [];
  await expect(fetch(`${admin}/readyz`)).resolves.toMatchObject({ status: 200 });
  service.child.kill('SIGTERM');
  await expect(service.ended).resolves.toBe(0);
  expect(service.output.stdout + service.output.stderr).not.toMatch(/plants:(old|new)@/);
});
