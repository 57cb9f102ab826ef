/**
 * Serves an OpenAPI contract exactly as it is written: requests and replies, credentials, refusals.
 *
 * @example
 * const contract = loadContract('openapi.yaml', sha256);
 * const render = createRenderer({ contract, errors });
 * const parts = { contract, validator: expressOpenapiValidator, handlers, verifiers, render, prefix: '', bodyLimit: 1024 ** 2, isUnavailable, report };
 * express().use(await serveContract(parts)).listen(3000);
 */

// A service as a process: settings, log, metrics, health, drain.
export { runService } from './run-service';
export type { AppParts, OpenService, ServedContract, Service } from './service';
export type { ReadSetting } from './process/config';
export type { Example } from './process/curl-line';
export type { Log } from './process/log';

// In an Express application.
export { ContractError } from './contract/document/mistake';
export { loadContract, type Contract, type ContractIdentity } from './contract/operation/load-contract';
export { serveContract, type ServiceOptions } from './contract/serve-contract';
export type { CreateValidator, Validator } from './contract/refusal/validator';
export type { Caller, CallerMiddleware } from './contract/middleware';
export { createDocs, type DocsParts } from './docs/create-docs';
export { createCors, type Origins } from './process/cors';
export { trackRequests } from './contract/http/track-requests';
export { refuseErrors } from './contract/http/refuse-errors';
export { keepRawBody } from './contract/request/earlier-body';
export type { Outcome, Report } from './contract/http/pending-report';

// Its server.
export { createServer, type ServerParts } from './process/create-server';
export { createDrain } from './contract/http/drain';

// Handlers; generated/ binds these types to a contract.
export type { AnyHandlers, Handlers, Verifiers } from './contract/handler/handlers';
export type { Handler, HandlerRequest, Reply, ReplyFunction } from './contract/handler/handler';
export type { Readable, Unmarked, Writable } from './contract/handler/marks';
export { notBuilt } from './contract/handler/handlers';

// Who may call.
export type { Identity, Verifier } from './contract/enforcement/authenticate';
export { createBearerVerifier, type BearerVerifier, type TokenSources } from './auth/bearer-verifier';
export { createTokenVerifier } from './auth/token-verifier';
export { parseTokens } from './process/token-settings';

// What a refused request is answered.
export { createCatalogueRenderer, type Catalogue } from './contract/refusal/create-renderer';
export type { Fault } from './contract/refusal/fault';
export { Refusal, REFUSALS, type RefusalKind } from './contract/refusal/refusal';
export { createRenderer, type RendererParts } from './contract/refusal/create-renderer';
export type { AnyRenderError, ErrorToRender, Render } from './contract/refusal/render';
export type { Statuses } from './contract/refusal/create-renderer';
export type { RenderError } from './contract/handler/handlers';
