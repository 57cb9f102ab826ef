// Handles CORS preflights, so that pages from listed origins can call the service.
import cors from 'cors';
import type { Request, RequestHandler } from 'express';
import type { Contract } from '@contract-kit/contract';

/** The origins whose pages are allowed to call the service, or `*` for all. */
export type Origins = readonly string[] | '*';

// Headers that the kit itself uses, in addition to the headers that the contract declares.
const KIT_REQUEST_HEADERS = ['Authorization', 'Content-Type', 'X-Request-Id', 'traceparent'];
const KIT_REPLY_HEADERS = ['X-Request-Id', 'WWW-Authenticate', 'Retry-After'];
const PREFLIGHT_SECONDS = 600;

/**
 * Creates middleware that lets pages from other origins call the service (https://fetch.spec.whatwg.org/#http-cors-protocol), or
 * none if no origin is listed. Cookies are not allowed, so pages have to set credentials themselves. Preflights never have
 * credentials, so they are answered before authentication. They are also answered before the overload guard, because a page can
 * see a 503 for its request, but not why a preflight failed.
 *
 * @example app.use(createCors({ contract, corsOrigins: ['https://app.example'] }))
 */
export function createCors({
  contract,
  corsOrigins: origins,
}: {
  readonly contract: Contract;
  readonly corsOrigins: Origins;
}): RequestHandler[] {
  if (origins.length === 0) return [];
  const options = {
    origin: origins === '*' ? origins : [...origins],
    methods: toUnique(contract.operations.map(({ method }) => method)),
    allowedHeaders: toUnique([...KIT_REQUEST_HEADERS, ...listRequestHeaders(contract)]),
    exposedHeaders: toUnique([...KIT_REPLY_HEADERS, ...listReplyHeaders(contract)]),
    maxAge: PREFLIGHT_SECONDS,
  };
  // Other OPTIONS requests are passed on, because they can be operations of the contract.
  return [
    cors<Request>((req, applyOptions) => {
      applyOptions(null, { ...options, preflightContinue: !isPreflight(req) });
    }),
  ];
}

function listRequestHeaders({ operations, document }: Contract): string[] {
  const schemes = Object.values(document.components?.securitySchemes ?? {});
  const keys = schemes.flatMap((scheme) => ('in' in scheme && scheme.in === 'header' ? [String(scheme.name)] : []));
  const parameters = operations.flatMap((operation) => operation.parameters);
  const headers = parameters.filter(({ location }) => location === 'header').map(({ name }) => name);
  return [...keys, ...headers];
}

function listReplyHeaders({ operations }: Contract): string[] {
  const replies = operations.flatMap((operation) => [...operation.replies.values()]);
  return replies.flatMap((reply) => reply.headers.map(({ name }) => name));
}

function isPreflight({ headers }: Request): boolean {
  return headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

function toUnique(names: readonly string[]): string[] {
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
}
