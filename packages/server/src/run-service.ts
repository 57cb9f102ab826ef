import { createAdminServer } from './admin/admin-server';
import { createMetrics } from './admin/metrics';
import type { Readiness } from './admin/readiness';
import { namesFor } from './auth/loopback';
import { ConfigError, parseConfig } from './process/config';
import { tellOwnPaths } from './docs/find-own-paths';
import { createDrain } from './contract/http/drain';
import { createRenderer } from './contract/refusal/create-renderer';
import { ContractError } from './contract/document/mistake';
import { loadContract } from './contract/operation/load-contract';
import { listPublic } from './contract/operation/list-public';
import { closeAll, type Closable } from './process/close-all';
import { listen, toUrl } from './process/listen';
import { createLog, toStandardOutput } from './process/log';
import { createOverloadGuard } from './process/overload';
import { createOwnToken } from './process/own-token';
import { createRequestLog } from './process/request-log';
import { createServer } from './process/create-server';
import { createConfiguredVerifier } from './process/token-scopes';
import { toCurl } from './process/curl-line';
import type { AppParts, ServedContract, Service } from './service';

/**
 * Runs a service as a process: reads the settings, opens what the handlers work with, listens, and stops on SIGTERM or
 * SIGINT when the requests under way have their replies. With the argument `--check` it only tries the start. What
 * keeps it from starting is printed, and the exit status is 1.
 *
 * @example void runService(service, { file: resolve('openapi.yaml'), sha256, errors })
 */
export async function runService<Settings>(service: Service<Settings>, served: ServedContract): Promise<void> {
  // What a process that cannot start leaves behind would keep it from ending, and so would its channel to a parent.
  const closing: Closable[] = [{ close: () => process.channel?.unref() }];
  try {
    await start(service, served, closing);
  } catch (error) {
    const isExpected = error instanceof ConfigError || error instanceof ContractError || service.isUnavailable(error);
    console.error(isExpected ? `${service.title} cannot start:\n${(error as Error).message}` : error);
    process.exitCode = 1;
    await closeAll(closing);
  }
}

const LOG_GRACE_MS = 500;

/** @param closing gets what is to be closed at the end, in the order in which it was opened */
async function start<Settings>(
  service: Service<Settings>,
  { file, sha256, errors }: ServedContract,
  closing: Closable[],
): Promise<void> {
  const config = parseConfig(service.readSettings);
  const contract = loadContract(file, sha256);
  const log = createLog(config.logLevel, toStandardOutput(config));
  const logRequest = createRequestLog(log);
  const metrics = createMetrics();
  metrics.observeContract(contract.identity);
  const readiness: Readiness = { phase: 'starting', checks: [] };
  const admin = createAdminServer(readiness, metrics.registry, namesFor(config.adminHost));
  // The admin server does not keep the process alive.
  closing.push(admin.unref());
  await listen(admin, 'ADMIN_HOST and ADMIN_PORT', config.adminHost, config.adminPort);

  const opened = await service.open(config.own, metrics.registry, log);
  closing.push(opened);
  const guard = createOverloadGuard();
  const ownToken = config.tokenSources.length === 0 ? createOwnToken(config.devToken) : undefined;
  const bearer = createConfiguredVerifier(config, contract.operations, ownToken, log);
  closing.push(guard, bearer);
  readiness.checks.push(opened.check, bearer.check);
  const parts: AppParts = {
    contract,
    handlers: opened.handlers,
    verifiers: service.createVerifiers(bearer.verify, config.own),
    corsOrigins: config.corsOrigins,
    isUnavailable: service.isUnavailable,
    render: createRenderer({ contract, errors, renderError: service.renderError, statuses: service.statuses }),
    prefix: config.prefix ?? contract.serverPath,
    readOnly: service.readOnly,
    bodyLimit: config.bodyLimit,
    observeDroppedBody: metrics.observeDroppedBody,
    docs: config.docs && tellOwnPaths(contract.operations, log),
    isOverloaded: guard.isOverloaded,
    report: (outcome) => {
      metrics.observeRequest(outcome);
      logRequest(outcome);
    },
    reportCut: metrics.observeCut,
  };
  const server = createServer(await service.createApp(parts, config.own), parts);
  server.on('drop', metrics.observeDrop);
  const drain = createDrain(server);
  const url = (await listen(server, 'HOST and PORT', config.host, config.port)) + parts.prefix;
  if (process.argv.includes('--check')) {
    await drain(config.shutdownTimeout);
    await closeAll(closing);
    log.info('checked: it would start');
    return;
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    // A second signal finds no handler, and ends the process as the system has it: at once.
    process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT');
    log.info({ signal }, 'stopping');
    readiness.phase = 'draining';
    const isComplete = await drain(config.shutdownTimeout);
    await closeAll(closing);
    if (isComplete) log.info('stopped');
    else log.warn('stopped; requests that took longer than SHUTDOWN_TIMEOUT, or whose replies were not read, were cut');
    // A thread that writes to a reader of the log that stalls would keep the process for ever, even beyond its exit.
    setTimeout(process.kill.bind(process), LOG_GRACE_MS, process.pid, signal).unref();
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));

  // Log this last: a supervisor may send SIGTERM as soon as it reads the line.
  readiness.phase = undefined;
  const addresses = { url, docs: parts.docs ? `${url}/docs` : undefined };
  const about = { ...addresses, admin: toUrl(admin), contract: contract.identity, ...listPublic(contract.operations) };
  const tokens = config.tokenSources.join(' and ') || 'made at start, printed on standard error';
  log.info({ ...about, ...service.describe(config.own), tokens }, 'listening');
  if (ownToken !== undefined) console.error(toCurl(service.example, addresses, ownToken));
  // To a parent that waits for it, as `contract-kit dev` does.
  process.send?.('ready');
}
