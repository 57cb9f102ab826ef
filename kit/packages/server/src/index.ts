/**
 * Serves an OpenAPI contract exactly as it is written.
 *
 * @example
 * const contract = loadContract('openapi.yaml', sha256);
 * express().use(await serveContract({ contract, validator: OpenApiValidator, handlers, verifiers })).listen(3000);
 */

// Runs a service as a process with settings, a log, metrics, health checks and graceful shutdown.
export { runService } from './runtime/run-service';
export type { AppOptions, Example, OpenService, ServedContract, Service } from './runtime/service';
export type { ReadSetting } from './runtime/config';
export { startJob } from './runtime/start-job';

// For your own Express application.
export { ContractError } from '@contract-kit/contract';
export { loadContract, type Contract, type ContractIdentity } from '@contract-kit/contract';
export { serveContract, type ServiceOptions, type WatchOptions } from './pipeline/serve-contract';
export type { Mode } from './pipeline/pipeline';
export type { Finding, FindingReport } from './http/findings';
export { createFindingCounter } from './admin/metrics';
export type { OpenApiValidator } from './validate/validator';
export type { Caller, CallerMiddleware } from './pipeline/middleware';
export { createDocs, type DocsOptions } from './docs/create-docs';
export { createCors, type Origins } from './runtime/cors';
export { refuseErrors, trackRequests } from './http/server';
export { keepRawBody } from './request/read-request';
export type { Outcome, Report } from './http/report';
export { createRequestLog, type Log } from './http/request-log';

// The HTTP server of such an application.
export { createServer, type ContractServerOptions } from './runtime/create-server';
export { createDrain } from './http/drain';

// Handlers. The code in generated/ binds these types to a contract.
export type { AnyHandlers, Handlers, Verifiers } from './pipeline/handler';
export type { HandlerContext } from './pipeline/handler-call';
export type { Handler, HandlerRequest, Reply, ReplyFunction } from './pipeline/handler';
export { notBuilt } from './pipeline/handler';

// Authentication.
export type { Identity, Verifier } from './auth/authenticate';
export type { RequestView } from './auth/request-view';
export { createBearerVerifier, type BearerVerifier, type TokenSources } from './auth/bearer-verifier';
export { createTokenVerifier } from './auth/tokens';
export { parseTokens } from './runtime/token-settings';

// Refusals.
export type { Fault } from './errors/refusal';
export { Refusal, REFUSALS, type RefusalKind } from './errors/refusal';
export { createRenderer, type RendererOptions, type Statuses } from './errors/create-renderer';
export type { AnyRenderError, ErrorHeaders, ErrorToRender, Render, Todo } from './errors/render';
export type { RenderError } from './pipeline/handler';
export { createMismatchFinder, type Mismatch } from './pipeline/declared-refusal';
