import { performance } from 'node:perf_hooks';
import { parse as parseQuery } from 'node:querystring';
import type { Express, RequestHandler } from 'express';
import type { securitySchemes } from '../../generated/api';
import { createChain, type Chain, type UntypedHandler } from './chain';
import { createEnforcement } from './enforcement';
import { ContractError } from './contract-error';
import { Refusal } from './errors';
import type { Handlers } from './handler';
import type { Contract } from './load-contract';
import type { Operation } from './operation';
import { toRefusal, type Report } from './outcome';
import { reportReply } from './report-reply';
import { toPath } from './request-target';
import { createRoutes, type Route } from './routes';
import { createSecurityHandlers, type Verifier } from './security';
import { createValidator } from './validator';
import { writeRefusal, type Headers } from './write';

/** What a contract cannot say. */
export interface ServiceOptions {
  readonly handlers: Handlers;
  /** Whose tokens count, by security scheme. */
  readonly verifiers: Readonly<Record<securitySchemes, Verifier>>;
  /** The path of the base URL, without a slash at the end. */
  readonly prefix: string;
  /** The largest request body, in bytes. */
  readonly bodyLimit: number;
  /** Whether an error of a handler means that the request may be tried again later. */
  readonly isUnavailable: (cause: unknown) => boolean;
  readonly report: Report;
  /** Whether there is too much to do already: then requests are refused before anything is done for them. */
  readonly isOverloaded?: () => boolean;
}

interface Entry {
  readonly id: string;
  readonly chain: Chain;
}

/**
 * Serves the operations of a contract. Everything is compiled, and proven to refuse, before the promise is fulfilled.
 *
 * @param app the application that the returned handler is for
 * @throws ContractError when the contract cannot be enforced
 */
export async function serveContract(
  app: Express,
  { document, operations }: Contract,
  options: ServiceOptions,
): Promise<RequestHandler> {
  // The validator looks operations up as Express would; the kit's paths are exact.
  app.enable('case sensitive routing').enable('strict routing');
  // As Express parses a query, but to its end: past a thousand parameters, one that is not listed would pass.
  app.set('query parser', (query: string) => parseQuery(query, undefined, undefined, { maxKeys: 0 }));
  const validator = createValidator(document, createSecurityHandlers(document, options.verifiers));
  const findRoute = createRoutes(await Promise.all(operations.map(createEntry)), options.prefix);
  // RFC 6750 section 3: a challenge has at least one parameter.
  const realm = `realm="${document.info.title.replace(/[^ -~]|["\\]/g, '')}"`;

  async function createEntry(operation: Operation): Promise<[Operation, Entry]> {
    const enforcement = await createEnforcement(validator, operation, app);
    const handler = (options.handlers as unknown as Record<string, UntypedHandler | undefined>)[operation.id];
    if (!handler) throw new ContractError(`the operation ${operation.id} has no handler`);
    const chain = createChain(operation, enforcement, { handler, bodyLimit: options.bodyLimit });
    return [operation, { id: operation.id, chain }];
  }

  return async function dispatch(req, res) {
    const start = performance.now();
    const route = findRoute(toPath(req.url));
    const entry = route.get(req.method);
    let refusal: Refusal | undefined;
    try {
      if (!entry) throw new Refusal(route.size > 0 ? 'METHOD_NOT_ALLOWED' : 'UNKNOWN_PATH');
      if (options.isOverloaded?.() === true) throw new Refusal('SERVICE_UNAVAILABLE');
      await entry.chain(req, res);
    } catch (cause) {
      refusal = toRefusal(cause, options.isUnavailable);
      writeRefusal(res, refusal, headersFor(refusal, route, realm));
    }
    reportReply(options.report, res, start, { operation: entry?.id, refusal });
  };
}

function headersFor(refusal: Refusal, route: Route<Entry>, realm: string): Headers {
  switch (refusal.name) {
    case 'METHOD_NOT_ALLOWED':
      return { Allow: [...route.keys()].join(', ') };
    case 'CREDENTIALS_MISSING':
      return { 'WWW-Authenticate': `Bearer ${realm}` };
    case 'CREDENTIALS_INVALID':
      return { 'WWW-Authenticate': `Bearer ${realm}, error="invalid_token"` };
    case 'SERVICE_UNAVAILABLE':
      return { 'Retry-After': '1' };
    default:
      return {};
  }
}
