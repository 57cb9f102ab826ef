import './node-version';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { createApp } from './app';
import { ConfigError, parseConfig, type Config } from './config';
import { createDrain } from './contract/drain';
import { ContractError } from './contract/contract-error';
import { loadContract } from './contract/load-contract';
import { createLog, logOutcome } from './log';
import { describeLocation, openStore } from './store/open-store';
import { StoreUnavailable } from './store/plant-store';

const CONTRACT = resolve(__dirname, '..', 'openapi.yaml');

async function main(): Promise<void> {
  const config = parseConfig();
  const contract = loadContract(CONTRACT);
  const store = await openStore(config.database);
  const log = createLog(config.logLevel);
  const ownToken = config.tokenSources.length === 0 ? randomBytes(32).toString('base64url') : undefined;

  const server = await createApp({
    contract,
    store,
    tokens: ownToken === undefined ? config.tokens : [ownToken],
    prefix: config.prefix,
    bodyLimit: config.bodyLimit,
    report: (outcome) => {
      logOutcome(log, outcome);
    },
  });
  if (process.argv.includes('--check')) {
    await store.close();
    log.info('checked: it would start');
    return;
  }
  const drain = createDrain(server);
  const url = await listen(server, config);

  async function stop(signal: NodeJS.Signals): Promise<void> {
    // A second signal finds no handler, and ends the process as the system has it: at once.
    process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT');
    log.info({ signal }, 'stopping');
    const isComplete = await drain(config.shutdownTimeout);
    await store.close();
    if (isComplete) log.info('stopped');
    else log.warn('stopped; requests that took longer than SHUTDOWN_TIMEOUT were cut');
  }
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));

  // Only now: whoever reads that it listens may end it.
  const tokens =
    ownToken === undefined ? config.tokenSources.join(' and ') : 'made at start, printed on standard error';
  log.info({ url, database: describeLocation(config.database), tokens }, 'listening');
  if (ownToken !== undefined) console.error(curlLine(url, ownToken));
}

/** @returns the address that it listens on, as the URL that every path of the contract is appended to */
async function listen(server: Server, { host, port, prefix }: Config): Promise<string> {
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    throw new ConfigError(`- HOST and PORT cannot be listened on: ${(error as Error).message}`);
  }
  const { address, family, port: taken } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${String(taken)}${prefix}`;
}

function curlLine(url: string, token: string): string {
  return `No token source is set, so this one counts until the server stops. To create a plant:

curl -i ${url}/plants -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"id":1,"name":"Rose","tag":"flower"}'
`;
}

main().catch((error: unknown) => {
  const isExpected = [ConfigError, ContractError, StoreUnavailable].some((kind) => error instanceof kind);
  console.error(isExpected ? `The plant store cannot start:\n${(error as Error).message}` : error);
  process.exitCode = 1;
});
