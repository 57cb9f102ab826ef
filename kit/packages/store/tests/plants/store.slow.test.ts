import { openPlantStore, type StoredPlant } from '@contract-kit/test-support/plants/src/store/plant-store';
import { fetchPatiently, startProcess } from '@contract-kit/test-support/start-process';
import { usePostgres } from '@contract-kit/test-support/start-postgres';

const ROSE: StoredPlant = { id: 1n, name: 'Rose', tag: 'flower' };

const postgres = usePostgres();

test('a digest that another program makes is the same', async () => {
  const { url, query } = await postgres.createDatabase();
  const store = await openPlantStore({ servers: [url] });
  await Promise.all([ROSE, { id: 1n, name: 'é:1' }, { id: 1n, name: '', tag: '' }].map((plant) => store.add(plant)));
  const digest = `sha256(convert_to(octet_length(name) || ':' || name || coalesce(':' || tag, ''), 'UTF8'))`;
  await expect(query(`SELECT name FROM plants WHERE digest <> ${digest}`)).resolves.toEqual([]);
  await store.close();
});

test('the key can be spread by id: it begins with it, and nothing else is unique, counts or triggers', async () => {
  const { url, query } = await postgres.createDatabase();
  await (await openPlantStore({ servers: [url] })).close();
  await expect(query(`SELECT indexdef FROM pg_indexes WHERE tablename = 'plants'`)).resolves.toEqual([
    { indexdef: expect.stringMatching(/UNIQUE INDEX \w+ ON public\.plants USING btree \(id, digest\)/) as string },
  ]);
  await expect(query(`SELECT relname FROM pg_class WHERE relkind = 'S'`)).resolves.toEqual([]);
  await expect(query('SELECT tgname FROM pg_trigger')).resolves.toEqual([]);
});

test('the service uses it, and logs no password', async () => {
  const { url, query } = await postgres.createDatabase();
  using service = startProcess({ DATABASE_URL: url, API_TOKENS: 'a-token-for-the-tests' });
  const [, address = ''] = await service.waitFor(/"url":"([^"]+)"/);
  const headers = { Authorization: 'Bearer a-token-for-the-tests', 'Content-Type': 'application/json' };
  const body = '{"id":1,"name":"Rose"}';
  await expect(fetchPatiently(`${address}/plants`, { method: 'POST', headers, body })).resolves.toMatchObject({
    status: 200,
  });
  service.child.kill('SIGTERM');
  await expect(service.ended).resolves.toBe(0);
  expect(service.output.stdout).toContain(`"database":"${url.replace('postgres:secret@', '')}"`);
  expect(service.output.stdout + service.output.stderr).not.toContain('secret');
  await expect(query('SELECT name FROM plants')).resolves.toHaveLength(1);
});
