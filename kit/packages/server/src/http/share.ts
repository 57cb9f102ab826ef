// Divides the limits of a service among its processes.
import { getEnvironmentData } from 'node:worker_threads';

/** Returns this process's share of a limit, at least 1. runService sets the number of workers before it sets any limit. */
export function toShare(limit: number): number {
  return Math.ceil(limit / (Number(getEnvironmentData('contract-kit:workers')) || 1));
}
