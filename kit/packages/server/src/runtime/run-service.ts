import { setTimeout as setTimer } from 'node:timers/promises';
import { inspect } from 'node:util';
import { setEnvironmentData } from 'node:worker_threads';
import {
  ContractError,
  isPublic,
  listNotServed,
  listPublic,
  loadContract,
  toTerminalText,
} from '@contract-kit/contract';
import { createAdminServer, type Readiness } from '../admin/admin-server';
import { createMetrics } from '../admin/metrics';
import { isLoopback } from '../auth/loopback';
import { createTokenVerifier } from '../auth/tokens';
import { createPrimary, joinCluster } from './cluster';
import { ConfigError, parseConfig, type Config } from './config';
import { hasDocsPage } from '../docs/create-docs';
import { createDrain } from '../http/drain';
import { createRequestLog, type Log } from '../http/request-log';
import { toShare } from '../http/share';
import { findPlaceholders } from '../errors/built-in-replies';
import { createRenderer } from '../errors/create-renderer';
import { createLog, createStandardOutput, formatOf, logUnwritten } from './log';
import { createOwnToken, createConfiguredVerifier } from './token-settings';
import { createOverloadGuard, createServer, listen, toUrl } from './create-server';
import type { AppOptions, Example, ServedContract, Service } from './service';
import { jobs } from './start-job';
import { tuneProcess } from './tune-process';

/**
 * Runs a service as a process: reads the settings, opens what the handlers need, listens, and on SIGTERM or SIGINT stops once the
 * requests in flight have their replies. SIGHUP only makes it reread the token file. With the option `--check`, it only tries to
 * start, without listening, since the old release may be using the ports. It refuses any other option. If it cannot start, it
 * prints why, and exits with status 1.
 *
 * @example void runService(service, { file: resolve('openapi.yaml'), sha256 })
 */
export async function runService<Settings>(service: Service<Settings>, served: ServedContract): Promise<void> {
  // Anything left open, such as the channel to the parent, would keep the process alive.
  const opened = new AsyncDisposableStack();
  opened.defer(() => process.channel?.unref());
  // By default, SIGHUP ends a process at once; so it would one that only runs out of work, whose listeners go before it does.
  process.on('SIGHUP', () => undefined);
  // At the first beforeExit, others may begin their last work, such as to send spans.
  process.once('beforeExit', () => setImmediate(() => process.once('beforeExit', () => process.exit())));
  try {
    await start(service, served, opened);
  } catch (error) {
    // The message of an expected error says what to fix. For any other error, the stack is needed, too.
    const isExpected = error instanceof ConfigError || error instanceof ContractError || service.isUnavailable(error);
    printError(isExpected ? `${service.title} cannot start:\n${(error as Error).message}` : inspect(error));
    process.exitCode = 1;
    await opened.disposeAsync();
  }
}

function printError(text: string): void {
  console.error(toTerminalText(text));
}

// A mistyped --check must not start a service, which would migrate its store.
function readIsCheck(): boolean {
  const options = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
  const unknown = options.find((option) => option !== '--check');
  if (unknown !== undefined) throw new ConfigError(`- unknown option ${unknown}: the only option is --check`);
  return options.length > 0;
}

// Adds what must be closed at the end to `opened`.
async function start<Settings>(
  service: Service<Settings>,
  { file, sha256 }: ServedContract,
  opened: AsyncDisposableStack,
): Promise<void> {
  const isCheck = readIsCheck();
  const config = parseConfig(service.readSettings, process.env, (settings) => usesBearer(service, settings));
  const { isWorker, workers } = config;
  setEnvironmentData('contract-kit:workers', workers);
  jobs.areElsewhere = isWorker;
  const contract = loadContract(file, sha256);
  const log = createLog(config.logLevel, createStandardOutput(config));
  // Only for this machine, and not if all schemes have the service's own verifiers, which would refuse the token.
  const isOfUse = usesBearer(service, config.own) || contract.operations.every(isPublic);
  const hasOwnToken = config.tokenSources.length === 0 && isLoopback(config.host) && isOfUse;
  const ownToken = hasOwnToken ? createOwnToken(config.devToken) : undefined;
  const bearer = createConfiguredVerifier(config, contract.operations, ownToken, log);
  opened.defer(bearer.close);
  process.on('SIGHUP', () => {
    bearer.readTokensFile();
  });
  const logRequest = createRequestLog(log);
  const readiness: Readiness = { phase: 'starting', checks: [] };
  const metrics = createMetrics(readiness, contract.identity, bearer.isIssuerFailing);
  // One process is enough for the check.
  const isPrimary = workers > 1 && !isWorker && !isCheck;
  const primary = isPrimary ? createPrimary(workers, ownToken, log, metrics.registry) : undefined;
  const isOwnName = isLoopback(config.adminHost) ? isLoopback : undefined;
  const admin = createAdminServer(readiness, primary ?? metrics.registry, isOwnName);
  if (primary) opened.defer(async () => void (await primary.drain()));
  admin.unref();
  opened.defer(() => void admin.close());
  if (!isCheck && !isWorker) await listen(admin, 'ADMIN_HOST and ADMIN_PORT', config.adminHost, config.adminPort);

  const own = await service.open(config.own, metrics.registry, log);
  // Called as a method, since it may need `this`.
  opened.defer(() =>
    Promise.try(() => own.close()).catch((err: unknown) => {
      log.error({ err }, 'what the service opened could not be closed');
    }),
  );
  const described = service.describe(config.own);
  const guard = createOverloadGuard();
  opened.defer(guard.close);
  readiness.checks.push(own.check, bearer.check, ...(primary ? [primary.check] : []));
  const render = createRenderer({ ...service, contract });
  const isReplacement = config.devReplaces !== undefined;
  if (!isReplacement) logUnwritten(log, findPlaceholders(contract.operations, render));
  // If the base URL has the path of the contract's server, operations with other servers keep their own paths.
  const prefix = config.prefix === contract.serverPath ? undefined : config.prefix;
  const options: AppOptions = {
    ...service,
    contract,
    handlers: own.handlers,
    verifiers: service.createVerifiers(bearer.verify, config.own),
    corsOrigins: config.corsOrigins,
    render,
    prefix,
    observeFinding: metrics.observeFinding,
    bodyLimit: config.bodyLimit,
    uploadFolder: config.uploadFolder,
    uploadBudget: config.uploadBudget && toShare(config.uploadBudget),
    http: { keepAliveTimeout: config.keepAliveTimeout },
    watchBudget: metrics.watchBudget,
    namesCaller: config.logCaller,
    docs: config.docs && hasDocsPage({ contract, prefix }),
    isOverloaded: guard.isOverloaded,
    log,
    handlerTimeout: config.handlerTimeout,
    // Only `contract-kit dev` passes both a token and a channel to its servers.
    hasSamples: config.devToken !== undefined && process.send !== undefined && !isWorker,
    report: (outcome) => {
      metrics.observeRequest(outcome);
      logRequest(outcome);
    },
    reportOverflow: metrics.observeOverflow,
  };
  async function serve() {
    await tuneProcess();
    const app = await service.createApp(options, config.own);
    if (config.trustProxy !== undefined) app.set('trust proxy', config.trustProxy);
    const server = createServer(app, options);
    server.on('drop', metrics.observeDrop);
    const origin = isCheck ? '' : await listen(server, 'HOST and PORT', config.host, config.port);
    return { drain: createDrain(server), origin };
  }
  const { drain, origin } = await (primary?.start(config) ?? serve());
  if (isCheck) {
    await opened.disposeAsync();
    log.info('the check passed: the service would start');
    return;
  }
  const url = origin + (prefix ?? contract.serverPath);
  const stop = createStop(config, log, opened, async () => {
    // Once load balancers see this, they send no more requests.
    readiness.phase = 'draining';
    // The workers wait themselves: if a second signal ends this process meanwhile, they know that they have to end, too.
    if (primary) return drain(config.drainDelay + config.shutdownTimeout);
    await setTimer(config.drainDelay);
    return drain(config.shutdownTimeout);
  });
  // From now on, the checks alone decide whether the service is ready.
  readiness.phase = undefined;
  if (isWorker) {
    joinCluster(metrics.registry, () => void stop());
    return;
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
  const isText = formatOf(config) === 'text';
  const { version, sha256: digest } = contract.identity;
  const about = {
    url,
    docs: options.docs ? `${url}/docs` : undefined,
    admin: toUrl(admin),
    workers: primary && workers,
    contract: isText ? `${version}, SHA-256 ${digest.slice(0, 8)}...` : contract.identity,
    ...listPublic(contract.operations),
    ...listNotServed(contract.document),
  };
  const curl = ownToken === undefined ? undefined : toCurl(service.example, url, ownToken);
  // The token is part of a text log, which people read, but must not get into a log that is collected.
  const ownTokens = isText ? curl : curl && 'a random one, printed on standard error';
  const tokens = config.tokenSources.join(' and ') || (ownTokens ?? "those of the service's own verifiers");
  // Log this last: a supervisor may send SIGTERM as soon as it reads the line.
  log[isReplacement ? 'debug' : 'info']({ ...about, ...described, tokens }, 'listening');
  if (curl !== undefined && !isText && !isReplacement) printError(curl);
  // A parent such as `contract-kit dev` waits for this message.
  process.send?.('ready');
}

// Whether a scheme uses the verifier for tokens from the settings directly. One wrapped in the service's own does not count.
function usesBearer<Settings>(service: Service<Settings>, settings: Settings): boolean {
  const bearer = createTokenVerifier([]);
  return Object.values(service.createVerifiers(bearer, settings)).includes(bearer);
}

// How long what was opened may take to close, at least, when the requests have taken all of the time; and how long, after that,
// the log may take to be written and the last spans to be sent.
const GRACE_MS = 500;

/**
 * Creates the function that stops this process after the requests in flight; a second signal ends it at once. A worker gets no
 * signal, and leaves it to the primary to log that the service stops. `drain` resolves to whether every client got its replies.
 * Then everything in `opened` is closed.
 */
function createStop(
  { drainDelay, shutdownTimeout, devToken }: Config<unknown>,
  log: Log,
  opened: AsyncDisposableStack,
  drain: () => Promise<boolean>,
) {
  return async function stop(signal?: NodeJS.Signals): Promise<void> {
    // Without listeners, a second signal ends the process at once.
    if (signal) process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT');
    // `contract-kit dev` itself reports what happens.
    const level = signal && devToken === undefined ? 'info' : 'debug';
    log[level]({ signal }, 'stopping');
    const deadline = performance.now() + drainDelay + shutdownTimeout;
    const isComplete = await drain();
    const overdue = setTimer(Math.max(deadline - performance.now(), GRACE_MS), false, { ref: false });
    // What it still works on then, no client waits for.
    const isClosed = await Promise.race([opened.disposeAsync().then(() => true), overdue]);
    if (!isClosed) log.warn('stopped before all was closed, such as a store whose database does not answer');
    else if (isComplete) log[level]('stopped');
    else
      log.warn(
        'stopped; requests that took longer than SHUTDOWN_TIMEOUT, or whose replies were not read, were cut off',
      );
    // If the reader of the log stalls, pino's writing thread keeps the process alive even after exit: end it by the signal.
    setTimeout(process.kill.bind(process), GRACE_MS, process.pid, signal ?? 'SIGKILL').unref();
    if (!isClosed) process.exit(0);
  };
}

const BEARER = "-H 'Authorization: Bearer TOKEN'";

/** Returns what the start prints about the generated token, ready to be pasted into a shell. */
export function toCurl({ purpose, path, options, credentials = BEARER }: Example, url: string, token: string): string {
  const quote = (text: string): string => text.replaceAll(/[\\"$`]/g, '\\$&');
  // The name of an API key, which comes first, may also contain the word.
  const sent = credentials.replace(
    /'([^']*)TOKEN([^']*)'(?!.*TOKEN)|TOKEN(?!.*TOKEN)/s,
    (_, start = '', end = '') => `"${quote(String(start))}$TOKEN${quote(String(end))}"`,
  );
  return `This token is valid until the server stops. To ${purpose}:
TOKEN=${token}
curl -i ${url}${path} ${sent} \\
  ${options.replace("' -d '", "' \\\n  -d '")}`;
}
