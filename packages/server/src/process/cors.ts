// Answers preflights of browsers, and lets the pages of listed origins call the service.
import cors from 'cors';
import type { Request, RequestHandler } from 'express';
import type { Contract } from '../contract/operation/load-contract';

/** Browser origins: each may call the service, or all may. */
export type Origins = readonly string[] | '*';

// What the kit itself reads and writes, beside what the contract declares.
const READ = ['Authorization', 'Content-Type', 'X-Request-Id', 'traceparent'];
const WRITTEN = ['X-Request-Id', 'WWW-Authenticate', 'Retry-After'];
const PREFLIGHT_SECONDS = 600;

/**
 * Creates middleware that lets pages of other origins call the service (https://fetch.spec.whatwg.org/#http-cors-protocol).
 * Browsers send it no cookies: a page has to set the credentials itself.
 *
 * A preflight is answered here, before credentials, which it never has, and before the overload guard: a page
 * cannot see why a preflight failed, but it can see the 503 to the request itself.
 *
 * @returns the middleware; empty if no origin is listed
 * @example app.use(createCors({ contract, corsOrigins: ['https://app.example'] }))
 */
export function createCors({
  contract: { operations, document },
  corsOrigins: origins,
}: {
  readonly contract: Contract;
  readonly corsOrigins: Origins;
}): RequestHandler[] {
  if (origins.length === 0) return [];
  const schemes = Object.values(document.components?.securitySchemes ?? {});
  const keys = schemes.flatMap((scheme) => ('in' in scheme && scheme.in === 'header' ? [String(scheme.name)] : []));
  const parameters = operations.flatMap((operation) => operation.parameters);
  const headers = parameters.filter(({ location }) => location === 'header').map(({ name }) => name);
  const replies = operations.flatMap((operation) => [...operation.replies.values()]);
  const options = {
    origin: origins === '*' ? origins : [...origins],
    methods: unique(operations.map(({ method }) => method)),
    allowedHeaders: unique([...READ, ...keys, ...headers]),
    exposedHeaders: unique([...WRITTEN, ...replies.flatMap((reply) => reply.headers.map(({ name }) => name))]),
    maxAge: PREFLIGHT_SECONDS,
  };
  // An OPTIONS request that is no preflight may be an operation of the contract.
  return [
    cors<Request>((req, use) => {
      use(null, { ...options, preflightContinue: !isPreflight(req) });
    }),
  ];
}

function isPreflight({ headers }: Request): boolean {
  return headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

function unique(names: readonly string[]): string[] {
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
}
