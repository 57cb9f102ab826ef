import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ContractIdentity } from '../contract/contract-identity';
import type { Outcome } from '../contract/outcome';
import type { Commit } from '../store/group-commit';

/** What Prometheus is told. No label has a value that a client can choose. */
export interface Metrics {
  readonly registry: Registry;
  /** Tells which contract is enforced. */
  readonly observeContract: (contract: ContractIdentity) => void;
  /** Counts a request. */
  readonly observeRequest: (outcome: Outcome) => void;
  /** Counts a commit of the store. */
  readonly observeCommit: (commit: Commit) => void;
  /** @param countWaiting how many plants wait for a commit now */
  readonly watchQueue: (countWaiting: () => number) => void;
  /** Counts a connection that was turned away. */
  readonly observeDrop: () => void;
}

const REQUEST_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const COMMIT_SECONDS = [0.0001, 0.00025, ...REQUEST_SECONDS];
const COMMIT_PLANTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000];

export function createMetrics(): Metrics {
  let countWaiting = (): number => 0;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const contracts = new Gauge({
    name: 'contract_info',
    help: 'The contract that is enforced: info.version, and the SHA-256 of its bytes',
    labelNames: ['version', 'sha256'],
    registers,
  });
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests by operation and status; the operation is empty where the contract has none',
    labelNames: ['operation', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the head of a request to the end of its reply, by operation',
    labelNames: ['operation'],
    buckets: REQUEST_SECONDS,
    registers,
  });
  const drops = new Counter({
    name: 'http_connections_dropped_total',
    help: 'Connections that were turned away because there were too many',
    registers,
  });
  const commits = new Histogram({
    name: 'store_commit_duration_seconds',
    help: 'Commits of the store, by whether they were kept',
    labelNames: ['kept'],
    buckets: COMMIT_SECONDS,
    registers,
  });
  const plants = new Histogram({
    name: 'store_commit_plants',
    help: 'How many plants share a commit',
    buckets: COMMIT_PLANTS,
    registers,
  });
  new Gauge({
    name: 'store_waiting_plants',
    help: 'How many plants wait for a commit',
    registers,
    collect() {
      this.set(countWaiting());
    },
  });
  return {
    registry,
    observeContract({ version, sha256 }) {
      contracts.set({ version, sha256 }, 1);
    },
    observeRequest({ operation = '', status, milliseconds }) {
      requests.inc({ operation, status });
      if (milliseconds !== undefined) durations.observe({ operation }, milliseconds / 1000);
    },
    observeCommit({ size, milliseconds, isKept }) {
      commits.observe({ kept: String(isKept) }, milliseconds / 1000);
      plants.observe(size);
    },
    watchQueue(count) {
      countWaiting = count;
    },
    observeDrop() {
      drops.inc();
    },
  };
}
