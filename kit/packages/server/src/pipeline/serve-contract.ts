import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { pino } from 'pino';
import { ContractError, isPublic, type Contract, type Operation } from '@contract-kit/contract';
import { createBodyBudget, toBudgetBytes, type BudgetCounts } from '../request/body-budget';
import { createTemporaryFiles, sweepTemporaryFiles, type CreateTemporaryFile } from '../request/temporary-files';
import { largestBodies, MAX_MEMORY_BYTES } from '../request/body-limit';
import { createPipeline, MODES, type Mode, type Rules, type UntypedHandler } from './pipeline';
import { createFindingLog, type FindingReport } from '../http/findings';
import { createWatch } from '../watch/watch-operation';
import { createMiddlewareRunner, type CallerMiddleware } from './middleware';
import { createRefusalHeaders } from '../reply/headers';
import { beginRequest } from '../http/connections';
import { proveBuiltInReplies, renderDeclared } from './declared-refusal';
import { proveValidators, createValidators, type MessageOptions, type Validators } from './validators';
import { createSampleReply } from './sample-reply';
import { notBuilt, type AnyHandlers } from './handler';
import { ensureReport, reportCaller, requestIdOf, toLoggedPath } from '../http/report';
import { callSafely, LOG_OPTIONS, toReports, type Reports } from '../http/request-log';
import { ClientLeft, isTrue, Refusal, ScopeRefusal, toMethodRefusal, toRefusal } from '../errors/refusal';
import { createRenderer, type RefusalOptions } from '../errors/create-renderer';
import { type Render, renderSafely } from '../errors/render';
import type { OpenApiValidator } from '../validate/validator';
import { toProcessShare } from '../http/share';
import { setRoute } from '../http/trace';
import { createRoutes, toLoosePattern, toPath, toQuery } from './routes';
import type { Verifier } from '../auth/authenticate';
import { writeRefusal } from '../http/write';

/** The default limit of a request body, in bytes. */
export const BODY_LIMIT = 1024 ** 2;

/** What a service adds to its contract. The first four options are enough. */
export interface ServiceOptions extends Reports, RefusalOptions, MessageOptions, Rules {
  readonly contract: Contract;
  /** What the application imports from express-openapi-validator. It decides on credentials, requests and replies. */
  readonly validator: OpenApiValidator;
  /** The handlers by operationId. In the modes `watch` and `requests`, they are neither needed nor called. */
  readonly handlers: AnyHandlers;
  /** The verifiers by security scheme. */
  readonly verifiers: Readonly<Record<string, Verifier>>;
  /** Middleware that runs for operations after credentials were checked, and before the body is read. */
  readonly afterCredentials?: readonly CallerMiddleware[];
  /** Precedes each path, without a slash at the end; by default the path of the operation's first server. */
  readonly prefix?: string | undefined;
  /** The limit of a request body, in bytes; by default 1 MB. */
  readonly bodyLimit?: number | undefined;
  /** The limit of all unfinished request bodies together, in bytes; by default 128 MB or an eighth of the container's memory, and at least twice `bodyLimit`. */
  readonly bodyBudget?: number;
  /** The folder for temporary files of bodies; by default the system's. */
  readonly uploadFolder?: string | undefined;
  /** The limit of all temporary files together, in bytes; by default 4 GB, or twice the largest body if that is more. */
  readonly uploadBudget?: number | undefined;
  /** Called at start-up, once for each budget, with counts that are updated later. */
  readonly watchBudget?: ((place: 'memory' | 'files', counts: BudgetCounts) => void) | undefined;
  /** Whether a handler's error is temporary, so that the client gets a 503 and can try again later; by default never. */
  readonly isUnavailable?: ((cause: unknown) => boolean) | undefined;
  /** How long a handler may take, in milliseconds; by default 0, for no limit. */
  readonly handlerTimeout?: number | undefined;
  /** Overrides `handlerTimeout`, by operationId. */
  readonly operationTimeouts?: Readonly<Record<string, number>> | undefined;
  /** Overrides the rules, by operationId. */
  readonly operationRules?: Readonly<Record<string, Rules>> | undefined;
  /** Called for each finding that does not lead to a refusal. */
  readonly observeFinding?: FindingReport | undefined;
  /** Whether the report and the trace of a request name its caller; by default true. */
  readonly namesCaller?: boolean;
  /** Whether an operation that is not built yet replies with a sample from the contract; by default it answers 501. */
  readonly hasSamples?: boolean;
  /** Whether the service is overloaded, so that requests are refused with 503 at once. */
  readonly isOverloaded?: () => boolean;
}

/** The options of a service that only watches. If `operationRules` enforce more, it also needs what ServiceOptions requires. */
export type WatchOptions = Partial<ServiceOptions> & { readonly contract: Contract; readonly mode: 'watch' };

/**
 * Creates middleware that serves the operations of a contract. When the promise resolves, every check has been compiled, and
 * has been proved to reject an invalid message.
 *
 * @throws ContractError when the contract cannot be enforced
 * @example app.use(await serveContract({ contract, validator: OpenApiValidator, handlers, verifiers }))
 */
export async function serveContract(options: ServiceOptions | WatchOptions): Promise<RequestHandler> {
  const {
    contract,
    render = createRenderer({ contract }),
    log = pino(LOG_OPTIONS),
    handlerTimeout = 0,
    operationTimeouts = {},
    operationRules = {},
    namesCaller = true,
  } = options;
  const { prefix, validator, verifiers = {}, handlers: typedHandlers = {}, afterCredentials = [] } = options;
  const { mode: defaultMode = 'enforce', bodyLimit = BODY_LIMIT, bodyBudget = toBudgetBytes(bodyLimit) } = options;
  const { report, reportOverflow } = toReports({ ...options, log });
  for (const [name, byOperation] of Object.entries({ operationTimeouts, operationRules })) {
    const unknownId = Object.keys(byOperation).find((id) => !contract.operations.some((known) => known.id === id));
    if (unknownId !== undefined)
      throw new ContractError(`${name} names ${unknownId}, which is not an operation of the contract`);
  }
  const reportFinding = callSafely(log, 'observeFinding', createFindingLog(log), options.observeFinding);
  const handlers = typedHandlers as unknown as Record<string, UntypedHandler | undefined>;
  const rulesOf = ({ id }: Operation): Rules & { readonly mode: Mode } => {
    const ownRules = new Map(Object.entries(operationRules)).get(id);
    const { mode = defaultMode, undeclaredQuery = options.undeclaredQuery } = ownRules ?? {};
    if (!MODES.includes(mode)) throw new ContractError(`the operation ${id} has an unknown mode: ${mode}`);
    return { mode, undeclaredQuery };
  };
  const isWatched = (operation: Operation): boolean => rulesOf(operation).mode === 'watch';
  const limits = {
    limit: bodyLimit,
    budget: createBodyBudget(bodyBudget, options.watchBudget?.bind(undefined, 'memory')),
    createFile: openUploads(contract.operations, options),
  };
  const validatorsByOperation = createValidators(contract, validator, verifiers, { ...options, isWatched });
  const proofs = new Set<string>();
  for (const [operation, validators] of validatorsByOperation) await proveValidators(validators, operation, proofs);
  const enforcedValidators = [...validatorsByOperation].filter(([operation]) => !isWatched(operation));
  proveBuiltInReplies(contract, new Map(enforcedValidators), render);
  const runMiddleware = createMiddlewareRunner(afterCredentials);
  const watchSettings = { bodyLimit, log, reportFinding, reportedMethods: new Set<string>() };
  const entries = [...validatorsByOperation].map(createServedOperation);
  const findRoute = createRoutes(entries, prefix);
  const toRefusalHeaders = createRefusalHeaders(contract.document.info.title);
  // An application that moves to the kit may check credentials itself. runService, which sets `docs`, logs public operations too.
  const isMigrating = (options.mode ?? options.operationRules) !== undefined && !('docs' in options);
  const publicIds = entries.filter(([operation, { watch }]) => !watch && isPublic(operation)).map(([{ id }]) => id);
  const warning = 'anyone can call these operations, because the contract requires no credentials';
  if (isMigrating && publicIds.length > 0) callSafely(log, 'log', log.warn.bind(log, { public: publicIds }, warning))();

  function createServedOperation([operation, validators]: [Operation, Validators]) {
    const rules = rulesOf(operation);
    const isAnswered = rules.mode !== 'watch' && rules.mode !== 'requests';
    const watch = isAnswered ? undefined : createWatch(operation, { ...validators, ...rules, ...watchSettings });
    const handler = handlers[operation.id];
    // Every object inherits functions such as `constructor`.
    if (isAnswered && (!handler || handler === Reflect.get(Object.prototype, operation.id)))
      throw new ContractError(`the operation ${operation.id} has no handler`);
    const timeout = new Map(Object.entries(operationTimeouts)).get(operation.id) ?? handlerTimeout;
    const sampleReply =
      options.hasSamples === true ? createSampleReply(contract.document, operation, validators.checkReply) : undefined;
    const pipeline = createPipeline(operation, {
      validators,
      namesCaller,
      watch,
      runMiddleware,
      limits,
      handler: handler ?? notBuilt.bind(undefined, operation.id),
      log,
      timeout,
      sampleReply,
      rules,
      reportFinding,
    });
    const route = (prefix ?? operation.serverPath) + operation.path;
    const renderRefusal: Render = (refusal, _operation, id) =>
      renderDeclared(refusal, operation, validators, (one, of) => render(one, of, id));
    return [operation, { operation, pipeline, route, render: renderRefusal, mode: rules.mode, watch }] as const;
  }

  if (entries.every(([, { watch }]) => !watch))
    return function dispatch(req, res, next) {
      return serve(req, res, next, findRoute(toPath(req.url), req.method));
    };
  const candidates = entries.map(([operation, served]) => {
    return {
      ...served,
      findExact: createRoutes([[operation, operation]], prefix),
      pattern: toLoosePattern(served.route),
    };
  });
  // Leaves a request to the application's routes if they still serve its operation, or if the contract has no such operation.
  return function passOn(req, res, next) {
    const { method, headers } = req;
    const path = toPath(req.url);
    const exactMatch = findRoute(path, method);
    const entry = exactMatch.route.get(method);
    if (entry && !entry.watch) return serve(req, res, next, exactMatch);
    // Express may choose the route of another operation: it matches paths loosely, and app.all() serves any method.
    const loosePath = toPath(req.path);
    const looseMatches = candidates.filter(({ pattern }) => pattern.test(loosePath));
    const sameMethodMatches = looseMatches.filter(({ operation: candidate }) =>
      [candidate.method, candidate.method === 'GET' && 'HEAD'].includes(method),
    );
    const onlyLooseMatches = sameMethodMatches.filter(({ findExact }) => findExact(path, method).route.size === 0);
    const otherMatches = entry ? onlyLooseMatches : sameMethodMatches.length > 0 ? sameMethodMatches : looseMatches;
    const areOtherMatchesWatched = otherMatches.every(({ mode }) => mode === 'watch');
    if (!areOtherMatchesWatched) return serve(req, res, next, entry ? findRoute('', method) : exactMatch);
    if (entry?.mode === 'requests') return serve(req, res, next, exactMatch);
    const watchedEntry = entry ?? [...exactMatch.route.values(), ...otherMatches].find(({ mode }) => mode === 'watch');
    const rule = exactMatch.route.size > 0 ? 'method' : 'path';
    watchedEntry?.watch?.(req, res, entry ? { path: exactMatch.texts, query: toQuery(req.url), headers } : rule);
    next();
    return undefined;
  };

  async function serve(
    req: Request,
    res: Response,
    next: NextFunction,
    { route, texts }: ReturnType<typeof findRoute>,
  ): Promise<void> {
    if (!beginRequest(res, reportOverflow)) return;
    const pending = ensureReport(res, report);
    // Some middleware answers and calls next() anyway.
    if (res.headersSent) return;
    // The report now waits for settle() below, even if the client leaves.
    pending.isServing = true;
    const entry = route.get(req.method);
    setRoute(entry?.route);
    let refusal: Refusal | undefined;
    let status: number | undefined;
    let outcome: boolean | Refusal | ClientLeft;
    try {
      if (!entry) outcome = route.size > 0 ? toMethodRefusal([...route.keys()]) : new Refusal('UNKNOWN_PATH');
      else if (isTrue(options.isOverloaded?.())) outcome = new Refusal('SERVICE_UNAVAILABLE');
      else outcome = await entry.pipeline(req, res, texts);
    } catch (cause) {
      outcome = cause instanceof ClientLeft ? cause : toRefusal(cause, options.isUnavailable);
    }
    // If writing the refusal throws, settle() is not called, so the report must not wait for it any more.
    if (typeof outcome === 'object') pending.isServing = false;
    if (outcome instanceof ClientLeft) ({ status } = ClientLeft);
    if (outcome instanceof ScopeRefusal && namesCaller) reportCaller(res, outcome.identities);
    if (outcome instanceof Refusal) {
      const rendered = renderSafely(outcome, entry?.render ?? render, requestIdOf(req));
      ({ refusal, status } = rendered);
      const target = { operation: entry?.operation, methods: [...route.keys()] };
      writeRefusal(res, rendered, toRefusalHeaders(outcome, status, target));
    }
    const requestedPath = entry ? undefined : toLoggedPath(req);
    pending.settle({ path: entry?.operation.path, operation: entry?.operation.id, requestedPath, refusal, status });
    if (outcome === true) next();
  }
}

const MIN_UPLOAD_BUDGET_BYTES = 4 * 1024 ** 3;

/** @throws ContractError when bodies need temporary files and their folder cannot be used */
function openUploads(operations: readonly Operation[], options: Partial<ServiceOptions>): CreateTemporaryFile {
  const { bodyLimit = BODY_LIMIT, uploadFolder, watchBudget } = options;
  const largest = largestBodies(operations, bodyLimit).stored;
  try {
    if (largest > MAX_MEMORY_BYTES) sweepTemporaryFiles(uploadFolder);
  } catch (cause) {
    throw new ContractError(`the folder for bodies of more than 1 MB ${(cause as Error).message}`, { cause });
  }
  const { uploadBudget = Math.max(toProcessShare(MIN_UPLOAD_BUDGET_BYTES), 2 * largest) } = options;
  return createTemporaryFiles(createBodyBudget(uploadBudget, watchBudget?.bind(undefined, 'files')), uploadFolder);
}
