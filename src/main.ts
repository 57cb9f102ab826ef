import './process/node-version';
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { errors, sha256 } from '../generated/contract';
import { createAdminServer } from './admin/admin-server';
import { createMetrics } from './admin/metrics';
import type { Readiness } from './admin/readiness';
import { createApp } from './app';
import { createBearerVerifier } from './auth/bearer-verifier';
import { namesFor } from './auth/loopback';
import { ConfigError, parseConfig } from './process/config';
import { createDrain } from './contract/http/drain';
import { createCatalogueRenderer } from './contract/refusal/catalogue-renderer';
import { ContractError } from './contract/document/mistake';
import { loadContract } from './contract/operation/load-contract';
import { listen, toUrl } from './process/listen';
import { createLog } from './process/log';
import { createOverloadGuard } from './process/overload';
import { createRequestLog } from './process/request-log';
import { service } from './service';

const CONTRACT = resolve(__dirname, '..', 'openapi.yaml');
const LOG_GRACE_MS = 500;

async function main(): Promise<void> {
  const config = parseConfig(service.readSettings);
  const contract = loadContract(CONTRACT, sha256);
  const log = createLog(config.logLevel);
  const logRequest = createRequestLog(log);
  const metrics = createMetrics();
  metrics.observeContract(contract.identity);
  const readiness: Readiness = { phase: 'starting', checks: [] };
  const admin = createAdminServer(readiness, metrics.registry, namesFor(config.adminHost));
  // The admin server does not keep the process alive.
  admin.unref();
  await listen(admin, 'ADMIN_HOST and ADMIN_PORT', config.adminHost, config.adminPort);

  const opened = await service.open(config.own, metrics.registry, log);
  const guard = createOverloadGuard();
  const ownToken = config.tokenSources.length === 0 ? randomBytes(32).toString('base64url') : undefined;
  const bearer = createBearerVerifier(ownToken === undefined ? config.identity : { tokens: [ownToken] }, log);
  readiness.checks.push(opened.check, bearer.check);
  const server = await createApp({
    contract,
    handlers: opened.handlers,
    verifiers: service.createVerifiers(bearer.verify, config.own),
    corsOrigins: config.corsOrigins,
    ...service.createMiddleware(config.own),
    isUnavailable: service.isUnavailable,
    render: createCatalogueRenderer(errors),
    prefix: config.prefix,
    bodyLimit: config.bodyLimit,
    observeDroppedBody: metrics.observeDroppedBody,
    docs: config.docs,
    isOverloaded: guard.isOverloaded,
    report: (outcome) => {
      metrics.observeRequest(outcome);
      logRequest(outcome);
    },
    reportCut: metrics.observeCut,
  });
  server.on('drop', metrics.observeDrop);
  const drain = createDrain(server);
  const url = (await listen(server, 'HOST and PORT', config.host, config.port)) + config.prefix;
  if (process.argv.includes('--check')) {
    await drain(config.shutdownTimeout);
    bearer.close();
    await opened.close();
    log.info('checked: it would start');
    return;
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    // A second signal finds no handler, and ends the process as the system has it: at once.
    process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT');
    log.info({ signal }, 'stopping');
    readiness.phase = 'draining';
    const isComplete = await drain(config.shutdownTimeout);
    bearer.close();
    await opened.close();
    guard.close();
    admin.close();
    if (isComplete) log.info('stopped');
    else log.warn('stopped; requests that took longer than SHUTDOWN_TIMEOUT, or whose replies were not read, were cut');
    // A thread that writes to a reader of the log that stalls would keep the process for ever, even beyond its exit.
    setTimeout(process.kill.bind(process), LOG_GRACE_MS, process.pid, signal).unref();
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));

  // Log this last: a supervisor may send SIGTERM as soon as it reads the line.
  readiness.phase = undefined;
  const tokens =
    ownToken === undefined ? config.tokenSources.join(' and ') : 'made at start, printed on standard error';
  log.info(
    {
      url,
      ...(config.docs && { docs: `${url}/docs` }),
      admin: toUrl(admin),
      contract: contract.identity,
      ...service.describe(config.own),
      tokens,
    },
    'listening',
  );
  if (ownToken !== undefined) console.error(curlLine(url, ownToken));
}

function curlLine(url: string, token: string): string {
  const { purpose, path, options } = service.example;
  return `No token source is set, so this one counts until the server stops. To ${purpose}:

curl -i ${url}${path} -H 'Authorization: Bearer ${token}' ${options}
`;
}

main().catch((error: unknown) => {
  const isExpected = error instanceof ConfigError || error instanceof ContractError || service.isUnavailable(error);
  console.error(isExpected ? `${service.title} cannot start:\n${(error as Error).message}` : error);
  process.exitCode = 1;
});
