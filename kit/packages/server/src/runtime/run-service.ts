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
import { toProcessShare } from '../http/share';
import { findPlaceholders } from '../errors/built-in-replies';
import { createRenderer } from '../errors/create-renderer';
import { createLog, createStandardOutput, formatOf, logUnwritten } from './log';
import { createOwnToken, createConfiguredVerifier } from './token-settings';
import { createOverloadGuard, createServer, listen, toUrl } from './create-server';
import type { AppOptions, Example, ServedContract, Service } from './service';
import { jobs } from './start-job';
import { tuneProcess } from './tune-process';

/**
 * Runs a service as a process. It reads the settings, opens what the handlers need, and listens. On SIGTERM or SIGINT, it stops
 * once the requests in flight have their replies. SIGHUP only makes it reread the token file. With the option `--check`, it starts
 * without listening, because an old release might be using the ports. Any other option is refused. If the service cannot start,
 * it prints the reason, and exits with status 1.
 *
 * @example void runService(service, { file: resolve('openapi.yaml'), sha256 })
 */
export async function runService<Settings>(service: Service<Settings>, served: ServedContract): Promise<void> {
  // Open resources, such as the channel to the parent, would keep the process alive.
  const resources = new AsyncDisposableStack();
  resources.defer(() => process.channel?.unref());
  // Without this listener, SIGHUP would end the process before the other listener exists and after it was removed.
  process.on('SIGHUP', () => undefined);
  // After the first beforeExit, other code can begin its last work, such as sending spans.
  process.once('beforeExit', () => setImmediate(() => process.once('beforeExit', () => process.exit())));
  try {
    await start(service, served, resources);
  } catch (error) {
    // The message of an expected error says what to fix. Any other error needs its stack.
    const isExpected = error instanceof ConfigError || error instanceof ContractError || service.isUnavailable(error);
    printError(isExpected ? `${service.title} cannot start:\n${(error as Error).message}` : inspect(error));
    process.exitCode = 1;
    await resources.disposeAsync();
  }
}

function printError(text: string): void {
  console.error(toTerminalText(text));
}

// If --check is misspelled, the service must not start, because it would migrate its store.
function parseCheckFlag(): boolean {
  const options = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
  const extraOption = options.find((option) => option !== '--check');
  if (extraOption !== undefined) throw new ConfigError(`- unknown option ${extraOption}: the only option is --check`);
  return options.length > 0;
}

// Adds everything that must be closed at the end to `resources`.
async function start<Settings>(
  service: Service<Settings>,
  { file, sha256 }: ServedContract,
  resources: AsyncDisposableStack,
): Promise<void> {
  const isCheck = parseCheckFlag();
  const config = parseConfig(service.readSettings, process.env, (settings) => usesBearer(service, settings));
  const { isWorker, workers } = config;
  setEnvironmentData('contract-kit:workers', workers);
  jobs.runElsewhere = isWorker;
  const contract = loadContract(file, sha256);
  const log = createLog(config.logLevel, createStandardOutput(config));
  // A generated token is only for this machine. The service's own verifiers would refuse it.
  const isTokenUseful = usesBearer(service, config.own) || contract.operations.every(isPublic);
  const hasOwnToken = config.tokenSources.length === 0 && isLoopback(config.host) && isTokenUseful;
  const ownToken = hasOwnToken ? createOwnToken(config.devToken) : undefined;
  const bearer = createConfiguredVerifier(config, contract.operations, ownToken, log);
  resources.defer(bearer.close);
  process.on('SIGHUP', () => {
    bearer.readTokensFile();
  });
  const logRequest = createRequestLog(log);
  const readiness: Readiness = { phase: 'starting', checks: [] };
  const metrics = createMetrics(readiness, contract.identity, bearer.isIssuerFailing);
  // A check needs only one process.
  const isPrimary = workers > 1 && !isWorker && !isCheck;
  const primary = isPrimary ? createPrimary(workers, ownToken, log, metrics.registry) : undefined;
  const isOwnName = isLoopback(config.adminHost) ? isLoopback : undefined;
  const admin = createAdminServer(readiness, primary ?? metrics.registry, isOwnName);
  if (primary) resources.defer(async () => void (await primary.drain()));
  admin.unref();
  resources.defer(() => void admin.close());
  if (!isCheck && !isWorker) await listen(admin, 'ADMIN_HOST and ADMIN_PORT', config.adminHost, config.adminPort);

  const own = await service.open(config.own, metrics.registry, log);
  // `close` is called as a method, because it might need `this`.
  resources.defer(() =>
    Promise.try(() => own.close()).catch((err: unknown) => {
      log.error({ err }, 'what the service opened could not be closed');
    }),
  );
  const describedSettings = service.describe(config.own);
  const guard = createOverloadGuard();
  resources.defer(guard.close);
  readiness.checks.push(own.check, bearer.check, ...(primary ? [primary.check] : []));
  const render = createRenderer({ ...service, contract });
  const isReplacement = config.devReplaces !== undefined;
  if (!isReplacement) logUnwritten(log, findPlaceholders(contract.operations, render));
  // If the base URL's path is the contract's own server path, operations with other servers keep their own paths.
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
    uploadBudget: config.uploadBudget && toProcessShare(config.uploadBudget),
    http: { keepAliveTimeout: config.keepAliveTimeout },
    watchBudget: metrics.watchBudget,
    namesCaller: config.logCaller,
    docs: config.docs && hasDocsPage({ contract, prefix }),
    isOverloaded: guard.isOverloaded,
    log,
    handlerTimeout: config.handlerTimeout,
    // Only `contract-kit dev` passes both a token and a channel.
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
    await resources.disposeAsync();
    log.info('the check passed: the service would start');
    return;
  }
  const url = origin + (prefix ?? contract.serverPath);
  const stop = createStop(config, log, resources, async () => {
    // Load balancers that see this send no more requests.
    readiness.phase = 'draining';
    // Each worker waits by itself. If a second signal ends this process while the workers wait, they exit, too.
    if (primary) return drain(config.drainDelay + config.shutdownTimeout);
    await setTimer(config.drainDelay);
    return drain(config.shutdownTimeout);
  });
  // From now on, only the checks decide whether the service is ready.
  readiness.phase = undefined;
  if (isWorker) {
    joinCluster(metrics.registry, () => void stop());
    return;
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
  const isText = formatOf(config) === 'text';
  const { version, sha256: digest } = contract.identity;
  const startFields = {
    url,
    docs: options.docs ? `${url}/docs` : undefined,
    admin: toUrl(admin),
    workers: primary && workers,
    contract: isText ? `${version}, SHA-256 ${digest.slice(0, 8)}...` : contract.identity,
    ...listPublic(contract.operations),
    ...listNotServed(contract.document),
  };
  const curlText = ownToken === undefined ? undefined : toCurl(service.example, url, ownToken);
  // People read a text log, so it contains the token. A JSON log is collected, and must not contain it.
  const tokenDescription = isText ? curlText : curlText && 'a random one, printed on standard error';
  const tokens = config.tokenSources.join(' and ') || (tokenDescription ?? "those of the service's own verifiers");
  // This comes last, because a supervisor might send SIGTERM as soon as it reads the line.
  log[isReplacement ? 'debug' : 'info']({ ...startFields, ...describedSettings, tokens }, 'listening');
  if (curlText !== undefined && !isText && !isReplacement) printError(curlText);
  process.send?.('ready');
}

// Whether a scheme uses the verifier for tokens from the settings directly, and not wrapped in one of the service's own.
function usesBearer<Settings>(service: Service<Settings>, settings: Settings): boolean {
  const bearer = createTokenVerifier([]);
  return Object.values(service.createVerifiers(bearer, settings)).includes(bearer);
}

// The time for closing resources if the requests have used up the whole timeout, and then for writing the log and sending spans.
const GRACE_MS = 500;

/**
 * Creates the function that stops this process after the requests in flight, and then closes all resources. A second signal ends
 * the process immediately. A worker is stopped without a signal, and the primary logs that the service stops. `drain` resolves to
 * true if every client got its replies.
 */
function createStop(
  { drainDelay, shutdownTimeout, devToken }: Config<unknown>,
  log: Log,
  resources: AsyncDisposableStack,
  drain: () => Promise<boolean>,
) {
  return async function stop(signal?: NodeJS.Signals): Promise<void> {
    // Without listeners, a second signal ends the process immediately.
    if (signal) process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT');
    // `contract-kit dev` reports the stop itself.
    const level = signal && devToken === undefined ? 'info' : 'debug';
    log[level]({ signal }, 'stopping');
    const deadline = performance.now() + drainDelay + shutdownTimeout;
    const isComplete = await drain();
    const timeout = setTimer(Math.max(deadline - performance.now(), GRACE_MS), false, { ref: false });
    const isClosed = await Promise.race([resources.disposeAsync().then(() => true), timeout]);
    if (!isClosed) log.warn('stopped before all was closed, such as a store whose database does not answer');
    else if (isComplete) log[level]('stopped');
    else
      log.warn(
        'stopped; requests that took longer than SHUTDOWN_TIMEOUT, or whose replies were not read, were cut off',
      );
    // If the reader of the log stalls, pino's writing thread keeps the process alive even after exit, so it is killed.
    setTimeout(process.kill.bind(process), GRACE_MS, process.pid, signal ?? 'SIGKILL').unref();
    if (!isClosed) process.exit(0);
  };
}

const BEARER = "-H 'Authorization: Bearer TOKEN'";

/** Describes the generated token, with shell commands that use it. */
export function toCurl({ purpose, path, options, credentials = BEARER }: Example, url: string, token: string): string {
  const quote = (text: string): string => text.replaceAll(/[\\"$`]/g, '\\$&');
  // Only the last TOKEN is replaced, because the name of an API key can also contain that word.
  const sent = credentials.replace(
    /'([^']*)TOKEN([^']*)'(?!.*TOKEN)|TOKEN(?!.*TOKEN)/s,
    (_, start = '', end = '') => `"${quote(String(start))}$TOKEN${quote(String(end))}"`,
  );
  return `This token is valid until the server stops. To ${purpose}:
TOKEN=${token}
curl -i ${url}${path} ${sent} \\
  ${options.replace("' -d '", "' \\\n  -d '")}`;
}
