// Makes a server listen on a host and a port.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigError } from './config';

/**
 * Makes a server listen.
 *
 * @param settings the names of the settings for host and port, for the error's message
 * @param port 0 for any free one
 * @returns its URL
 * @throws ConfigError when the server cannot listen there
 */
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
