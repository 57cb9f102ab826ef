import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SERVICE_FOLDER } from '@contract-kit/test-support/service-folder';

const RULES = join(SERVICE_FOLDER, 'deploy/alert-rules.yaml');
const HOUR = 60;

/** Samples of one series, a minute apart, in the notation of promtool. */
type Series = Readonly<Record<string, string>>;

const gauge = (name: string, values: string, labels = ''): Series => ({
  [`${name}{job="plant-store",instance="a"${labels}}`]: values,
});
const READY = gauge('service_ready', '1x60');
const replies = (status: number, values: string) => gauge('http_requests_total', values, `,status="${String(status)}"`);
const REPLIES = replies(200, '0+90x60');
const lag = (values: string) => gauge('nodejs_eventloop_lag_p99_seconds', values);
const fds = (values: string) => gauge('process_open_fds', values);
const commits = (values: string) => gauge('store_commit_duration_seconds_count', values, ',kept="false"');
const took = (le: string, values: string, status = '200') =>
  gauge('http_request_duration_seconds_bucket', values, `,operation="a",status="${status}",le="${le}"`);
const SLOW = { ...took('0.5', '0+98x60'), ...took('1', '0+100x60'), ...took('+Inf', '0+100x60') };
const FAST_REFUSALS = { ...took('0.5', '0+900x60', '400'), ...took('+Inf', '0+900x60', '400') };

/** What goes wrong at minute 30, and the minutes in which its alert does not fire yet, and fires. */
const FIRING: readonly (readonly [alert: string, quiet: number, fires: number, series: Series])[] = [
  ['ServiceUnavailable', 30, 33, gauge('service_ready', '1x30 0x30')],
  ['ServiceFailing', 34, 40, { ...REPLIES, ...replies(500, '0x30 0+2x29') }],
  ['ServiceRefusing', 34, 40, { ...REPLIES, ...replies(503, '0x30 0+9x29') }],
  ['ServiceIssuerFailing', 34, 36, gauge('jwt_issuer_failing', '0x30 1x29')],
  ['ServiceNotReady', 34, 36, { 'service_ready{job="plant-store",instance="b"}': '1x30 0x30' }],
  ['ServiceRestarting', 33, 35, gauge('process_start_time_seconds', '1000x30 2000 3000 4000x27')],
  ['ServiceOverloaded', 31, 34, { ...REPLIES, ...replies(503, '0+1x60'), ...lag('0.02x30 0.3x29') }],
  ['ServiceEventLoopLate', 40, 42, lag('0.02x30 0.11x29')],
  ['ServiceSlow', 10, 12, { ...SLOW, ...FAST_REFUSALS }],
  ['ServiceConnections', 34, 36, { ...fds('100x30 830x29'), ...gauge('process_max_fds', '1024x60') }],
  ['ServiceConnections', 34, 38, gauge('http_connections_dropped_total', '0x30 0+1x29')],
  ['ServiceDropping', 34, 38, gauge('http_bodies_dropped_total', '0x30 0+1x29')],
  ['ServiceDropping', 34, 38, gauge('http_pipelines_cut_total', '0x30 0+1x29')],
  ['ServiceCommitsFailing', 34, 40, commits('0x30 0+1x29')],
  ['ServiceQueueGrowing', 34, 36, gauge('store_waiting_rows', '10x30 1500x29')],
  ['ServiceLogGrowing', 44, 46, gauge('store_log_bytes', '1000000x30 70000000x29')],
];

/** An hour with what happens on any day: no alert fires. */
const QUIET: Series = {
  ...{ ...REPLIES, ...replies(503, '0+4x60'), ...replies(500, '0x30 100x29'), ...commits('0x30 9x29') },
  ...{ ...gauge('process_start_time_seconds', '1000x30 2000 3000x28'), ...gauge('store_log_bytes', '6e7x60') },
  ...{ ...fds('3900x60'), ...gauge('process_max_fds', '1048576x60') },
};

const alerts = [...readFileSync(RULES, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, alert]) => alert);
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
    input_series: Object.entries({ ...READY, ...series }).map(([name, values]) => ({ series: name, values })),
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
      expect.stringContaining(`${String(alerts.length)} rules found`),
    ]);
  });

  test('finds that each alert fires when it should, and no other does', () => {
    expect([...new Set(FIRING.map(([alert]) => alert))]).toEqual(alerts);
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
