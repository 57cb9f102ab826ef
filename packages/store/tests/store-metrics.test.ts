import { Registry } from 'prom-client';
import { createStoreMetrics } from '../src';

test('the metrics are what was observed', async () => {
  const registry = new Registry();
  const metrics = createStoreMetrics(registry);
  metrics.observeCommit({ size: 3, milliseconds: 2, isKept: false });
  await expect(registry.metrics()).resolves.toContain('\nstore_waiting_rows 0\n');
  metrics.watchQueue(() => 7);
  metrics.observeLog(4_096);
  const text = await registry.metrics();
  for (const line of [
    'store_commit_duration_seconds_bucket{le="0.001",kept="false"} 0',
    'store_commit_duration_seconds_bucket{le="0.0025",kept="false"} 1',
    'store_commit_duration_seconds_sum{kept="false"} 0.002',
    'store_commit_rows_bucket{le="2"} 0',
    'store_commit_rows_bucket{le="4"} 1',
    'store_waiting_rows 7',
    'store_log_bytes 4096',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
});
