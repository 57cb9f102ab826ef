// Tries the files for one machine: the unit with systemd-analyze, and nginx in front of two servers.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPort } from '@contract-kit/test-support/listen-on-loopback';
import { serveOperation } from '@contract-kit/test-support/serve-operation';
import { SERVICE_FOLDER } from '@contract-kit/test-support/service-folder';
import { until } from '@contract-kit/test-support/until';

const read = (name: string): string => readFileSync(join(SERVICE_FOLDER, 'deploy', name), 'utf8');
const EVENTS =
  "'200': { description: Events., content: { text/event-stream: { x-oai-itemSchema: { properties: { data: {} } } } } }";

function describeIf(command: string) {
  if (!spawnSync(command, ['-v']).error) return describe;
  process.stderr.write(`What needs ${command} was not tried, because it is not installed.\n`);
  return describe.skip;
}

describeIf('systemd-analyze')('systemd', () => {
  test('knows each line of the unit, and rates its exposure at no more than 2.0', () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'unit-'));
    const file = join(folder.path, 'plant-store@0.service');
    writeFileSync(file, read('plant-store@.service').replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
    const analyze = (...args: readonly string[]) => spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' });
    expect(analyze('verify')).toMatchObject({ status: 0, stderr: '' });
    expect(analyze('security', '--offline=true', '--threshold=20')).toMatchObject({ status: 0 });
  });
});

describeIf('nginx')('nginx', () => {
  test('passes on each event at once, large bodies, and requests to the server that is there', async () => {
    const { promise: hasArrived, resolve: arrive } = Promise.withResolvers<undefined>();
    async function* listEvents() {
      yield { data: 'first' };
      yield await hasArrived.then(() => ({ data: 'last' }));
    }
    const start = () => serveOperation({ body: '{}', responses: EVENTS }, (_, reply) => reply(200, listEvents()));
    await using one = await start();
    await using two = await start();
    using folder = mkdtempDisposableSync(join(tmpdir(), 'nginx-'));
    const host = `127.0.0.1:${String(await findPort())}`;
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${kind};`);
    const sample = read('nginx.conf')
      .replace('3000', String(one.port))
      .replace('3010', String(two.port))
      .replace('443 ssl', host)
      .replaceAll(/^ *ssl_.*$/gm, '');
    // Without a master, nginx does not change its user, and can read this folder.
    const config = `daemon off; master_process off; pid pid; events {} http { error_log stderr crit; access_log off; ${paths.join(' ')} ${sample} }`;
    writeFileSync(join(folder.path, 'nginx.conf'), config);
    const nginx = spawn('nginx', ['-e', 'stderr', '-p', folder.path, '-c', 'nginx.conf'], { stdio: 'inherit' });
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
    const post = (body: unknown) => fetch(`http://${host}/a`, { ...init, body: JSON.stringify(body) });
    try {
      await until(() => post(1).then(Boolean, () => false));
      const events = (await post(2)).body?.getReader();
      expect(Buffer.from((await events?.read())?.value ?? []).toString()).toContain('first');
      arrive(undefined);
      // The service refuses this, in the form of its contract.
      expect(await (await post('x'.repeat(5 * 1024 ** 2))).json()).toHaveProperty('message');
      for (let count = 0; count < 20; count++) await (await post(3)).text();
      expect(Math.min(one.seen.length, two.seen.length)).toBeGreaterThan(5);
      await one[Symbol.asyncDispose]();
      for (let count = 0; count < 20; count++) expect((await post(4)).status).toBe(200);
    } finally {
      nginx.kill();
      await once(nginx, 'exit');
    }
  });
});
