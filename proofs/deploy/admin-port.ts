import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdminServer, type Readiness } from '../../packages/server/src/admin/admin-server';
import { createMetrics } from '../../packages/server/src/admin/metrics';

/** Asks the admin port of a service that serves. @returns the status for a path */
export async function askAdminPort(path: string): Promise<number> {
  const readiness: Readiness = { phase: undefined, checks: [] };
  const server = createAdminServer(readiness, createMetrics(readiness).registry);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    return (await fetch(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}${path}`)).status;
  } finally {
    server.close();
  }
}
