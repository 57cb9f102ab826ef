import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ContractIdentity } from '@contract-kit/contract';
import type { FindingReport } from '../http/findings';
import type { Outcome } from '../http/report';
import { findProblems, type Readiness } from './admin-server';

const REQUEST_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

// The maximum number of durations per operation and status that are buffered until the next scrape.
const MAX_BUFFERED = 1_000;
// Durations in milliseconds, each undefined if the HTTP parser refused the request.
type DurationBuffer = (number | undefined)[];

/** Creates a function for `observeFinding` that counts findings. Clients cannot influence the labels. */
export function createFindingCounter(registry: Registry): FindingReport {
  const findings = new Counter({
    name: 'contract_findings_total',
    help: 'What was not as the contract says, and not refused, by operation, message, status, rule and place',
    labelNames: ['operation', 'message', 'status', 'rule', 'place'],
    registers: [registry],
  });
  return ({ operation, message, status, rule, place }) => {
    findings.inc({ operation, message, status, rule, place });
  };
}

/** Creates the metrics of a service. Clients cannot influence the labels. Each scrape runs the readiness checks. */
export function createMetrics(
  readiness: Readiness,
  { version, sha256 }: ContractIdentity,
  isIssuerFailing: () => boolean,
) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  // These gauges only add up other metrics, and `promtool check metrics` rejects them, because their suffix is for counters.
  for (const kind of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  const contracts = new Gauge({
    name: 'contract_info',
    help: 'The contract that the service enforces, by its info.version and the SHA-256 of its text',
    labelNames: ['version', 'sha256'],
    registers,
  });
  contracts.set({ version, sha256 }, 1);
  // Durations are added in bulk at the next scrape, because finding a series by its labels costs more than adding a value.
  const durationsByOperation = new Map<string, Map<number, DurationBuffer>>();
  const labelNames = ['operation', 'status'] as const;
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests, by operation and status; the operation is empty if the contract has none for the request',
    labelNames,
    registers,
    collect: flushAll,
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Seconds from the head of a request to the end of its reply, by operation and status',
    labelNames,
    buckets: REQUEST_SECONDS,
    registers,
    collect: flushAll,
  });
  function flushAll(): void {
    for (const [operation, statuses] of durationsByOperation)
      for (const [status, bufferedDurations] of statuses) flush({ operation, status }, bufferedDurations);
  }
  function flush(labels: { operation: string; status: number }, bufferedDurations: DurationBuffer): void {
    requests.inc(labels, bufferedDurations.length);
    for (const milliseconds of bufferedDurations.splice(0))
      if (milliseconds !== undefined) durations.observe(labels, milliseconds / 1000);
  }
  const budgets: (readonly [place: string, counts: Readonly<Record<'bytes' | 'limit' | 'dropped', number>>])[] = [];
  for (const [Metric, name, help, count] of [
    [Gauge, 'http_body_bytes', 'Bytes of request bodies in memory and in temporary files', 'bytes'],
    [Gauge, 'http_body_limit_bytes', 'How many bytes of request bodies there may be', 'limit'],
    [Counter, 'http_bodies_dropped_total', 'Unfinished request bodies that were dropped at this limit', 'dropped'],
  ] as const) {
    const collect = (): void => {
      metric.reset();
      for (const [place, counts] of budgets) metric.inc({ place }, counts[count]);
    };
    const metric = new Metric({ name, help, labelNames: ['place'], registers, collect });
  }
  const watch = (name: string, help: string, check: () => boolean | Promise<boolean>): void => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(Number(await check()));
      },
    });
  };
  watch(
    'service_ready',
    '1 while /readyz answers 200, otherwise 0',
    async () => (await findProblems(readiness)).length === 0,
  );
  watch('jwt_issuer_failing', '1 while the keys of JWT_ISSUER cannot be fetched, otherwise 0', isIssuerFailing);
  const createCount = (name: string, help: string): (() => void) => {
    const counter = new Counter({ name, help, registers });
    return () => {
      counter.inc();
    };
  };
  return {
    registry,
    observeRequest: ({ operation = '', status, milliseconds }: Outcome): void => {
      const statuses = durationsByOperation.get(operation) ?? new Map<number, DurationBuffer>();
      const bufferedDurations = statuses.get(status) ?? [];
      durationsByOperation.set(operation, statuses.set(status, bufferedDurations));
      if (bufferedDurations.push(milliseconds) === MAX_BUFFERED) flush({ operation, status }, bufferedDurations);
    },
    watchBudget: (...budget: (typeof budgets)[number]): unknown => budgets.push(budget),
    observeFinding: createFindingCounter(registry),
    observeDrop: createCount(
      'http_connections_dropped_total',
      'Connections that were closed while idle, or turned away, because there were too many',
    ),
    observeOverflow: createCount(
      'http_pipelines_cut_total',
      'Connections that were closed because they had too many requests in flight',
    ),
  };
}
