import { Gauge, Histogram, type Registry } from 'prom-client';
import type { StoreCounts, StoreObserver } from './store';

const COMMIT_SECONDS = [
  ...[0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05],
  ...[0.1, 0.25, 0.5, 1, 2.5, 5, 10],
];
const COMMIT_ROWS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000];

/**
 * Registers the metrics of a store, and returns the observer to pass to openStore.
 *
 * @example const metrics = createStoreMetrics(registry); const store = await openStore(location, schema, metrics);
 */
export function createStoreMetrics(registry: Registry): Required<Omit<StoreObserver, 'warn'>> {
  let count = (): StoreCounts => ({ rows: 0, reads: 0 });
  const registers = [registry];
  const commits = new Histogram({
    name: 'store_commit_duration_seconds',
    help: 'Store commits, by outcome',
    labelNames: ['kept'],
    buckets: COMMIT_SECONDS,
    registers,
  });
  // Prometheus' `rate` ignores the first value of a series. Without these zeros, it would miss the first failures.
  for (const kept of ['true', 'false']) commits.zero({ kept });
  const rows = new Histogram({
    name: 'store_commit_rows',
    help: 'Rows for each commit',
    buckets: COMMIT_ROWS,
    registers,
  });
  const log = new Gauge({
    name: 'store_log_bytes',
    help: 'The size of the write-ahead log of SQLite',
    registers,
  });
  for (const [name, help, kind] of [
    ['store_waiting_rows', 'Rows that are waiting for a commit', 'rows'],
    ['store_waiting_reads', 'Statements that are waiting to read', 'reads'],
  ] as const) {
    const collect = (): void => {
      gauge.set(count()[kind]);
    };
    const gauge = new Gauge({ name, help, registers, collect });
  }
  new Gauge({
    name: 'store_connections',
    help: 'Connections to PostgreSQL by pool and state, and what waits for one',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      this.reset();
      for (const [pool, servers] of Object.entries(count().pools ?? {}))
        for (const counts of servers)
          for (const [state, count] of Object.entries(counts)) this.inc({ pool, state }, count);
    },
  });
  return {
    observeCommit({ size, milliseconds, isKept }) {
      commits.observe({ kept: String(isKept) }, milliseconds / 1000);
      rows.observe(size);
    },
    observeLog(bytes) {
      log.set(bytes);
    },
    watch(newCount) {
      count = newCount;
    },
  };
}
