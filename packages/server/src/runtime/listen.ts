// Makes a server listen on a host and a port.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from './config';

/** Returns the URL. `settings` names those of host and port for the error's message. @throws ConfigError when it cannot listen */
export async function listen(server: Server, settings: string, host: string, port: number): Promise<string> {
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    throw new ConfigError(`- ${settings} cannot be listened on: ${(error as Error).message}`);
  }
  return toUrl(server);
}

/** The URL of a listening server, such as `http://127.0.0.1:3000`. */
export function toUrl(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${String(port)}`;
}
