import { getEnvironmentData } from 'node:worker_threads';

/** Divides a limit among the processes of a service. The result is at least 1. runService sets the number of workers first. */
export function toProcessShare(limit: number): number {
  return Math.ceil(limit / (Number(getEnvironmentData('contract-kit:workers')) || 1));
}
