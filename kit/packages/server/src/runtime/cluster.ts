// Runs a service as a cluster (node:cluster). The workers serve requests, and the primary does everything else.
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Log } from '../http/request-log';
import { ConfigError, type Config } from './config';
import { listen } from './create-server';

type Metrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

// Names of messages between the primary and its workers. Any other message belongs to the service itself.
const METRICS_MESSAGE = 'contract-kit:metrics';
const DRAIN_MESSAGE = 'contract-kit:drain';
const REPORT_INTERVAL_MS = 1_000;
// After this many missing reports, a worker is considered hung.
const MAX_MISSING_REPORTS = 30;
const EXIT_GRACE_MS = 2_000;
// The pause before a worker is restarted doubles each time, until a worker runs for longer than the longest pause.
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

const ignore = (): void => undefined;

/** Makes this process the primary of `count` workers. @param token the generated token that all workers accept */
export function createPrimary(count: number, token: string | undefined, log: Log, registry: Registry) {
  if (!cluster.isPrimary) throw new ConfigError('- WORKERS must not be set for a worker of another cluster');
  // JSON would convert the NaN of an empty metric to null.
  cluster.setupPrimary({ serialization: 'advanced' });
  const stopController = new AbortController();
  let port = '';
  let hasStarted = false;
  const workerRuns: Promise<void>[] = [];
  const listeningWorkers = new Set<Worker>();
  // The latest metrics of each worker. The totals of exited workers are kept, because counters must never decrease.
  const lastMetrics = new Map<number, Metrics>();
  let exitedWorkerMetrics: readonly object[] = [];

  async function run(number: number): Promise<void> {
    let pause = MIN_PAUSE_MS;
    do {
      const since = performance.now();
      const worker = cluster.fork({ CONTRACT_KIT_WORKER: number, PORT: port, DEV_TOKEN: token });
      worker.on('listening', () => {
        listeningWorkers.add(worker);
        if (stopController.signal.aborted) worker.send(DRAIN_MESSAGE, ignore);
      });
      // Counting is safer than measuring time, because a count does not change while this process itself is suspended.
      let missingReports = 0;
      const watch = setInterval(() => {
        if (listeningWorkers.has(worker) && missingReports++ === MAX_MISSING_REPORTS) worker.process.kill('SIGKILL');
      }, REPORT_INTERVAL_MS);
      worker.on('message', (message: unknown) => {
        missingReports = 0;
        const { [METRICS_MESSAGE]: metrics } = Object(message) as { [METRICS_MESSAGE]?: Metrics };
        if (metrics && listeningWorkers.has(worker)) lastMetrics.set(number, metrics);
      });
      // For example, the worker could not be created, or a connection did not reach it.
      worker.on('error', ignore);
      const [status, signal]: unknown[] = await once(worker, 'exit').catch((error: unknown) => [error]);
      const end = String(signal ?? status);
      worker.process.kill('SIGKILL');
      clearInterval(watch);
      listeningWorkers.delete(worker);
      const metricsToSum = [exitedWorkerMetrics, toSummableMetrics(lastMetrics.get(number) ?? [])];
      exitedWorkerMetrics = AggregatorRegistry.aggregate(metricsToSum).getMetricsAsArray();
      lastMetrics.delete(number);
      if (!hasStarted) throw new ConfigError(`- worker ${String(number)} ended before it listened: ${end}`);
      if (!stopController.signal.aborted) log.error({ worker: number, end }, 'a worker ended, and is started again');
      else if (status !== 0) log.error({ worker: number, end }, 'a worker did not stop as it should');
      if (performance.now() - since > MAX_PAUSE_MS) pause = MIN_PAUSE_MS;
      await sleep(pause, undefined, { signal: stopController.signal }).catch(ignore);
      pause = Math.min(2 * pause, MAX_PAUSE_MS);
    } while (!stopController.signal.aborted);
  }

  // Stops all workers, and is fulfilled when they have exited. Each worker logs the requests that it cut off.
  async function drain(timeout = 0): Promise<boolean> {
    stopController.abort();
    for (const worker of listeningWorkers) worker.send(DRAIN_MESSAGE, ignore);
    setTimeout(() => {
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
    }, timeout + EXIT_GRACE_MS).unref();
    return Promise.allSettled(workerRuns).then(() => true);
  }

  process.on('SIGHUP', () => {
    for (const worker of listeningWorkers) worker.process.kill('SIGHUP');
  });
  return {
    drain,
    /** Resolves to the origin at which the workers listen. @throws ConfigError if a worker cannot listen */
    async start({ host, port: requestedPort }: Pick<Config<unknown>, 'host' | 'port'>) {
      // If the port is in use, this reports it only once. If the port is 0, all workers get the same free port.
      const server = createServer().on('connection', (socket) => socket.destroy());
      const origin = await listen(server, 'HOST and PORT', host, requestedPort);
      await once(server.close(), 'close');
      port = origin.replace(/.*:/, '');
      // Workers are started one by one. If none can start, only the first one reports why.
      while (workerRuns.length < count) {
        workerRuns.push(run(workerRuns.length + 1));
        await Promise.race([once(cluster, 'listening'), ...workerRuns]);
      }
      hasStarted = true;
      return { drain, origin };
    },
    /** The service is ready if at least one worker listens. */
    check: () => (listeningWorkers.size > 0 ? Promise.resolve() : Promise.reject(new Error('no worker listens'))),
    contentType: registry.contentType,
    async metrics(): Promise<string> {
      const primaryMetrics = toSummableMetrics(await registry.getMetricsAsJSON(), {});
      const workerMetrics = Array.from(lastMetrics, ([worker, metrics]) => toSummableMetrics(metrics, { worker }));
      return AggregatorRegistry.aggregate([primaryMetrics, exitedWorkerMetrics, ...workerMetrics]).metrics();
    },
  };
}

// Only counts can be added up over processes. Other metrics, such as gauges, get `labels`, or without them, lose their values.
function toSummableMetrics(metrics: Metrics, labels?: Readonly<Record<string, number>>): Metrics {
  return metrics.map((metric) => {
    if (['counter', 'histogram'].includes(String(metric.type))) return { ...metric, aggregator: 'sum' };
    const values = metric.values.map((value) => ({ ...value, labels: { ...value.labels, ...labels } }));
    return { ...metric, aggregator: 'sum', values: labels ? values : [] };
  });
}

/** Lets the primary control this listening process. `stop` is called when the primary requests it or has exited. */
export function joinCluster(registry: Registry, stop: () => void): void {
  // Otherwise, Node would end the worker immediately when the primary exits.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  // Terminals and supervisors signal all processes, but the primary decides when workers stop.
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, ignore);
  process.on('disconnect', stop).on('message', (message) => {
    if (message !== DRAIN_MESSAGE) return;
    // If the primary exits while workers drain, for example after a second signal, this process exits as well.
    process.off('disconnect', stop).on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
    stop();
  });
  // The primary reports these for the whole service.
  for (const name of ['service_ready', 'contract_info']) registry.removeSingleMetric(name);
  setInterval(() => {
    // Any message shows that this process does not hang. A metric can hang, so this message does not wait for metrics.
    process.send?.(METRICS_MESSAGE, ignore);
    // If a metric cannot be collected here, the primary cannot collect it either, and reports the error.
    registry.getMetricsAsJSON().then((metrics) => process.send?.({ [METRICS_MESSAGE]: metrics }, ignore), ignore);
  }, REPORT_INTERVAL_MS).unref();
}
