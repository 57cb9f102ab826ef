// A service that runs as a cluster (node:cluster): its workers serve the requests, and the primary does everything else.
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Log } from '../http/request-log';
import { ConfigError, type Config } from './config';
import { listen } from './create-server';

type Metrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

// The messages between the primary and its workers. All others are the service's own.
const METRICS = 'contract-kit:metrics';
const DRAIN = 'contract-kit:drain';
const REPORT_INTERVAL_MS = 1_000;
// A worker without so many reports hangs.
const MAX_MISSING = 30;
const END_GRACE_MS = 2_000;
// The pause before a worker is started again doubles each time, until one runs for longer than the longest pause.
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

const ignore = (): void => undefined;

/** Makes this process the primary of `count` workers. @param token that all workers accept, if any */
export function createPrimary(count: number, token: string | undefined, log: Log, registry: Registry) {
  if (!cluster.isPrimary) throw new ConfigError('- WORKERS must not be set for a worker of another cluster');
  // JSON would turn the NaN of an empty metric into null.
  cluster.setupPrimary({ serialization: 'advanced' });
  const stopping = new AbortController();
  let port = '';
  let hasStarted = false;
  const runs: Promise<void>[] = [];
  const listening = new Set<Worker>();
  // The last metrics that each worker reported, and the totals of workers that have exited, since counters must never fall.
  const lastMetrics = new Map<number, Metrics>();
  let endedCounts: readonly object[] = [];

  async function run(number: number): Promise<void> {
    let pause = MIN_PAUSE_MS;
    do {
      const since = performance.now();
      const worker = cluster.fork({ CONTRACT_KIT_WORKER: number, PORT: port, DEV_TOKEN: token });
      worker.on('listening', () => {
        listening.add(worker);
        if (stopping.signal.aborted) worker.send(DRAIN, ignore);
      });
      // A count, unlike a time, stands still while this process does.
      let missing = 0;
      const watch = setInterval(() => {
        if (listening.has(worker) && missing++ === MAX_MISSING) worker.process.kill('SIGKILL');
      }, REPORT_INTERVAL_MS);
      worker.on('message', (message: unknown) => {
        missing = 0;
        const { [METRICS]: metrics } = Object(message) as { [METRICS]?: Metrics };
        if (metrics && listening.has(worker)) lastMetrics.set(number, metrics);
      });
      // For example, the worker could not be created, or a connection did not reach it. `once` also rejects.
      worker.on('error', ignore);
      const [status, signal]: unknown[] = await once(worker, 'exit').catch((error: unknown) => [error]);
      const end = String(signal ?? status);
      worker.process.kill('SIGKILL');
      clearInterval(watch);
      listening.delete(worker);
      const ended = [endedCounts, toSummands(lastMetrics.get(number) ?? [])];
      endedCounts = AggregatorRegistry.aggregate(ended).getMetricsAsArray();
      lastMetrics.delete(number);
      if (!hasStarted) throw new ConfigError(`- worker ${String(number)} ended before it listened: ${end}`);
      if (!stopping.signal.aborted) log.error({ worker: number, end }, 'a worker ended, and is started again');
      else if (status !== 0) log.error({ worker: number, end }, 'a worker did not stop as it should');
      if (performance.now() - since > MAX_PAUSE_MS) pause = MIN_PAUSE_MS;
      await sleep(pause, undefined, { signal: stopping.signal }).catch(ignore);
      pause = Math.min(2 * pause, MAX_PAUSE_MS);
    } while (!stopping.signal.aborted);
  }

  // Fulfilled when all workers have ended. Each logs what it cut off.
  async function drain(timeout = 0): Promise<boolean> {
    stopping.abort();
    // The others get it when they listen.
    for (const worker of listening) worker.send(DRAIN, ignore);
    setTimeout(() => {
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
    }, timeout + END_GRACE_MS).unref();
    return Promise.allSettled(runs).then(() => true);
  }

  process.on('SIGHUP', () => {
    for (const worker of listening) worker.process.kill('SIGHUP');
  });
  return {
    drain,
    /** Resolves to the origin at which the workers listen. @throws ConfigError if one cannot */
    async start({ host, port: wantedPort }: Pick<Config<unknown>, 'host' | 'port'>) {
      // If the port is taken, this reports it only once. If it is 0, all workers get the same free port.
      const server = createServer().on('connection', (socket) => socket.destroy());
      const origin = await listen(server, 'HOST and PORT', host, wantedPort);
      await once(server.close(), 'close');
      port = origin.replace(/.*:/, '');
      // Start them one by one, so that if none can start, only the first one reports why.
      while (runs.length < count) {
        runs.push(run(runs.length + 1));
        await Promise.race([once(cluster, 'listening'), ...runs]);
      }
      hasStarted = true;
      return { drain, origin };
    },
    /** Checks readiness: one listening worker is enough. */
    check: () => (listening.size > 0 ? Promise.resolve() : Promise.reject(new Error('no worker listens'))),
    contentType: registry.contentType,
    async metrics(): Promise<string> {
      const own = toSummands(await registry.getMetricsAsJSON(), {});
      const ofWorkers = Array.from(lastMetrics, ([worker, metrics]) => toSummands(metrics, { worker }));
      return AggregatorRegistry.aggregate([own, endedCounts, ...ofWorkers]).metrics();
    },
  };
}

// Only counts can be added up over all processes. The values of other metrics, such as gauges, get labels, or are left out.
function toSummands(metrics: Metrics, labels?: Readonly<Record<string, number>>): Metrics {
  return metrics.map((metric) => {
    if (['counter', 'histogram'].includes(String(metric.type))) return { ...metric, aggregator: 'sum' };
    const values = metric.values.map((value) => ({ ...value, labels: { ...value.labels, ...labels } }));
    return { ...metric, aggregator: 'sum', values: labels ? values : [] };
  });
}

/** Lets the primary control this listening process. `stop` is called when the primary asks for it or has exited. */
export function joinCluster(registry: Registry, stop: () => void): void {
  // Otherwise Node would end the worker at once when the primary exits.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  // Terminals and supervisors send signals to all processes, but the primary decides when workers stop.
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, ignore);
  process.on('disconnect', stop).on('message', (message) => {
    if (message !== DRAIN) return;
    // If the primary ends meanwhile, such as by a second signal, so does this process.
    process.off('disconnect', stop).on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
    stop();
  });
  // The primary has those of the whole service.
  for (const name of ['service_ready', 'contract_info']) registry.removeSingleMetric(name);
  setInterval(() => {
    // Any message says that this process does not hang, which a metric may.
    process.send?.(METRICS, ignore);
    // What cannot be collected here, the primary cannot collect either, and says so.
    registry.getMetricsAsJSON().then((metrics) => process.send?.({ [METRICS]: metrics }, ignore), ignore);
  }, REPORT_INTERVAL_MS).unref();
}
