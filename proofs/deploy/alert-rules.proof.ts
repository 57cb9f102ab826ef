import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPort } from '../../tests/support/listen-on-loopback';
import { startPostgres } from '../../tests/support/start-postgres';
import { startProcess, type ServiceProcess } from '../../tests/support/start-process';
import { until } from '../../tests/support/until';

const RULES = 'deploy/alert-rules.yaml';
const CONFIG = 'deploy/prometheus.yaml';
const TESTS = 'proofs/deploy/alert-rules.tests.yaml';
const rules = readFileSync(RULES, 'utf8');
const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, alert]) => String(alert));
const TOKEN = 'a-token-for-the-tests';

const isInstalled = ['promtool', 'prometheus'].every((program) => spawnSync(program, ['--version']).status === 0);
if (!isInstalled) {
  process.stderr.write(
    'No promtool: the alerts were not tried. Install it (apt-get install --no-install-recommends prometheus).\n',
  );
}
const describeWithPrometheus = isInstalled ? describe : describe.skip;

/** @returns the exit status, and what is wrong */
function runPromtool(args: readonly string[], input = ''): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

describeWithPrometheus('promtool', () => {
  test('accepts the rules, and the configuration with them', () => {
    expect(runPromtool(['check', 'rules', RULES])).toMatchObject({ status: 0 });
    const { status, output } = runPromtool(['check', 'config', CONFIG]);
    expect([status, output]).toEqual([0, expect.stringContaining(`${String(alerts.length)} rules found`)]);
  });

  test('finds that each alert fires when it should, and no other does', () => {
    const { status, output } = runPromtool(['test', 'rules', TESTS]);
    expect([status, output]).toEqual([0, expect.stringContaining('SUCCESS')]);
  });

  test.each(
    alerts.flatMap((alert) => [
      [`${alert}, named otherwise`, alert, `alert: ${alert}\n`, 'alert: Another\n'],
      [`${alert}, which does not wait`, alert, /for: \d+m/, 'for: 0m'],
    ]),
  )('finds a change: %s', (_, alert, part, another) => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'rules-'));
    const start = rules.indexOf(`alert: ${alert}\n`);
    const changed = rules.slice(0, start) + rules.slice(start).replace(part, another);
    expect(changed).not.toBe(rules);
    writeFileSync(join(folder.path, 'rules.yaml'), changed);
    const file = join(folder.path, 'tests.yaml');
    writeFileSync(file, readFileSync(TESTS, 'utf8').replace('../../deploy/alert-rules.yaml', 'rules.yaml'));
    const { status, output } = runPromtool(['test', 'rules', file]);
    expect([status, output]).toEqual([1, expect.stringContaining('FAILED')]);
  });
});

interface WatchedService extends AsyncDisposable {
  readonly process: ServiceProcess;
  readonly readMetrics: () => Promise<string>;
  /** The names of the alerts that fire. */
  readonly listFiring: () => Promise<string[]>;
}

// What lasts minutes in the rules lasts seconds here.
const QUICK_RULES = rules.replaceAll('[5m]', '[20s]').replaceAll(/for: \d+m/g, 'for: 4s');

/** The built service with a client that creates plants all the time, and a Prometheus that watches it. */
async function watchService(env: Record<string, string>): Promise<WatchedService> {
  const service = startProcess({ API_TOKENS: TOKEN, ...env });
  const [, url = '', admin = ''] = await service.waitFor(/"url":"([^"]+)".*"admin":"([^"]+)"/);
  const own = `127.0.0.1:${String(await findPort())}`;
  writeFileSync(join(service.folder, 'alert-rules.yaml'), QUICK_RULES);
  const config = readFileSync(CONFIG, 'utf8').replace('127.0.0.1:3001', new URL(admin).host);
  const times = 'global: { scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 2s }';
  writeFileSync(join(service.folder, 'prometheus.yaml'), `${config}${times}\n`);
  const args = ['--config.file=prometheus.yaml', '--storage.tsdb.path=metrics', `--web.listen-address=${own}`];
  const prometheus = spawn('prometheus', args, { cwd: service.folder, stdio: 'ignore' });
  const ask = async <T>(path: string): Promise<T> => {
    const reply = await fetch(`http://${own}/api/v1/${path}`);
    return ((await reply.json()) as { data: T }).data;
  };
  const listFiring = async (): Promise<string[]> => {
    const { alerts: found } = await ask<{ alerts: { state: string; labels: { alertname: string } }[] }>('alerts');
    return found.flatMap(({ state, labels }) => (state === 'firing' ? labels.alertname : []));
  };
  let id = 0;
  const creation = setInterval(() => {
    const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ id: (id += 1), name: 'Rose' });
    // A service that is stopped answers later, or its connection is gone.
    fetch(`${url}/plants`, { method: 'POST', headers, body }).then(
      (reply) => reply.arrayBuffer(),
      () => undefined,
    );
  }, 50);
  // Until Prometheus answers, and has seen a service that is ready.
  await until(() =>
    listFiring().then(
      async (firing) =>
        !firing.includes('PlantStoreUnavailable') &&
        (await ask<{ result: unknown[] }>('query?query=service_ready==1')).result.length === 1,
      () => false,
    ),
  );
  return {
    process: service,
    readMetrics: async () => (await fetch(`${admin}/metrics`)).text(),
    listFiring,
    async [Symbol.asyncDispose]() {
      clearInterval(creation);
      const ended = once(prometheus, 'close');
      prometheus.kill();
      await ended;
      service[Symbol.dispose]();
    },
  };
}

describeWithPrometheus('Prometheus', () => {
  test('fires while the database is down, and is silent again when it is back', async () => {
    await using postgres = await startPostgres();
    await using watched = await watchService({ DATABASE_URL: postgres.url });
    // A busy machine may have others, and refuse at first.
    const ALERTS = ['PlantStoreCommitsFailing', 'PlantStoreRefusing', 'PlantStoreUnavailable'];
    const listThese = async (): Promise<string[]> =>
      (await watched.listFiring()).filter((alert) => ALERTS.includes(alert));
    await until(async () => (await listThese()).length === 0);
    await postgres.stop();
    await until(async () => new Set(await listThese()).size === ALERTS.length);
    const metrics = await watched.readMetrics();
    expect(runPromtool(['check', 'metrics'], metrics)).toEqual({ status: 0, output: '' });
    expect(runPromtool(['check', 'metrics'], `${metrics}# TYPE a_total gauge\na_total 1\n`).status).toBe(3);
    await postgres.start();
    await until(async () => (await listThese()).length === 0);
  });

  test('fires while the service refuses for overload', async () => {
    await using watched = await watchService({});
    const { child } = watched.process;
    // A processor that serves it only now and then, as one does that has far too much to do.
    while (!(await watched.listFiring()).includes('PlantStoreOverloaded')) {
      for (let times = 0; times < 10; times++) {
        child.kill('SIGSTOP');
        await sleep(250);
        child.kill('SIGCONT');
        await sleep(15);
      }
    }
    expect(await watched.readMetrics()).toContain('status="503"');
  });
});
