import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdminServer, type Readiness } from '../../packages/server/src/admin/admin-server';
import { createMetrics } from '../../packages/server/src/admin/metrics';

/** What the admin port of a service that serves, or is in another phase, does. */
export async function withAdminPort<T>(use: (port: number) => Promise<T>, phase?: Readiness['phase']): Promise<T> {
  const readiness: Readiness = { phase, checks: [] };
  const server = createAdminServer(readiness, createMetrics(readiness).registry);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    server.close();
  }
}

/** @returns the status for a path */
export async function askAdminPort(path: string): Promise<number> {
  return withAdminPort(async (port) => (await fetch(`http://127.0.0.1:${String(port)}${path}`)).status);
}
