import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SERVICE_FOLDER } from '@contract-kit/test-support/service-folder';

const RULES = join(SERVICE_FOLDER, 'deploy/alert-rules.yaml');
const HOUR = 60;

/** Samples of one series, a minute apart, in the notation of promtool. */
type Series = Readonly<Record<string, string>>;

const READY: Series = { 'service_ready{job="plant-store",instance="a"}': '1x60' };
const REPLIES: Series = { 'http_requests_total{job="plant-store",instance="a",status="200"}': '0+90x60' };
const replies = (status: number, values: string): Series => ({
  [`http_requests_total{job="plant-store",instance="a",status="${String(status)}"}`]: values,
});
const gauge = (name: string, values: string): Series => ({ [`${name}{job="plant-store",instance="a"}`]: values });
const took = (le: string, values: string, status = '200'): Series => ({
  [`http_request_duration_seconds_bucket{job="plant-store",operation="createPlant",status="${status}",le="${le}"}`]:
    values,
});
const commits = (values: string): Series => ({
  'store_commit_duration_seconds_count{job="plant-store",instance="a",kept="false"}': values,
});

/** What goes wrong at minute 30, and the minutes in which its alert does not fire yet, and fires. */
const FIRING: readonly (readonly [alert: string, quiet: number, fires: number, series: Series])[] = [
  ['PlantStoreUnavailable', 30, 33, gauge('service_ready', '1x30 0x30')],
  ['PlantStoreFailing', 34, 40, { ...READY, ...REPLIES, ...replies(500, '0x30 0+2x29') }],
  ['PlantStoreRefusing', 34, 40, { ...READY, ...REPLIES, ...replies(503, '0x30 0+9x29') }],
  ['PlantStoreCommitsFailing', 34, 40, { ...READY, ...commits('0x30 0+1x29') }],
  ['PlantStoreIssuerFailing', 34, 36, { ...READY, ...gauge('jwt_issuer_failing', '0x30 1x29') }],
  ['PlantStoreNotReady', 34, 36, { ...READY, 'service_ready{job="plant-store",instance="b"}': '1x30 0x30' }],
  ['PlantStoreRestarting', 33, 35, { ...READY, ...gauge('process_start_time_seconds', '1000x30 2000 3000 4000x27') }],
  [
    'PlantStoreOverloaded',
    31,
    34,
    { ...READY, ...REPLIES, ...replies(503, '0+1x60'), ...gauge('nodejs_eventloop_lag_p99_seconds', '0.02x30 0.3x29') },
  ],
  ['PlantStoreEventLoopLate', 40, 42, { ...READY, ...gauge('nodejs_eventloop_lag_p99_seconds', '0.02x30 0.11x29') }],
  [
    'PlantStoreSlow',
    10,
    12,
    {
      ...{ ...READY, ...took('0.5', '0+98x60'), ...took('1', '0+100x60'), ...took('+Inf', '0+100x60') },
      ...{ ...took('0.5', '0+900x60', '400'), ...took('1', '0+900x60', '400'), ...took('+Inf', '0+900x60', '400') },
    },
  ],
  [
    'PlantStoreConnections',
    34,
    36,
    { ...READY, ...gauge('process_open_fds', '100x30 830x29'), ...gauge('process_max_fds', '1024x60') },
  ],
  ['PlantStoreLogGrowing', 44, 46, { ...READY, ...gauge('store_log_bytes', '1000000x30 70000000x29') }],
];

/** An hour with what happens on any day: no alert fires. */
const QUIET: Series = {
  ...{ ...READY, ...REPLIES, ...replies(503, '0+4x60'), ...replies(500, '0x30 100x29'), ...commits('0x30 9x29') },
  ...{ ...gauge('process_start_time_seconds', '1000x30 2000 3000x28'), ...gauge('store_log_bytes', '6e7x60') },
  ...{ ...gauge('process_open_fds', '3900x60'), ...gauge('process_max_fds', '1048576x60') },
};

const isInstalled = spawnSync('promtool', ['--version']).status === 0;
if (!isInstalled) process.stderr.write('The alerts were not tried, because promtool is not installed.\n');

function promtool(...args: readonly string[]): [status: number | null, output: string] {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  return [status, stdout + stderr];
}

function toTest(series: Series, firing: Readonly<Record<number, readonly string[]>>): object {
  const expr = 'count by (alertname) (ALERTS{alertstate="firing"})';
  return {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    promql_expr_test: Object.entries(firing).map(([minute, alerts]) => ({
      ...{ expr, eval_time: `${minute}m` },
      exp_samples: alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
    })),
  };
}

(isInstalled ? describe : describe.skip)('promtool', () => {
  test('accepts the rules, and the configuration with them', () => {
    expect(promtool('check', 'rules', RULES)).toEqual([0, expect.any(String)]);
    expect(promtool('check', 'config', join(SERVICE_FOLDER, 'deploy/prometheus.yaml'))).toEqual([
      0,
      expect.stringContaining(`${String(FIRING.length)} rules found`),
    ]);
  });

  test('finds that each alert fires when it should, and no other does', () => {
    const alerts = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, alert]) => alert);
    expect(FIRING.map(([alert]) => alert)).toEqual(alerts);
    const tests = FIRING.map(([alert, quiet, fires, series]) => toTest(series, { [quiet]: [], [fires]: [alert] }));
    using folder = mkdtempDisposableSync(join(tmpdir(), 'alerts-'));
    const file = join(folder.path, 'tests.yaml');
    // JSON is YAML.
    writeFileSync(
      file,
      JSON.stringify({ rule_files: [resolve(RULES)], tests: [toTest(QUIET, { [HOUR]: [] }), ...tests] }),
    );
    expect(promtool('test', 'rules', file)).toEqual([0, expect.stringContaining('SUCCESS')]);
  });
});
