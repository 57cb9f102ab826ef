// Runs a team's middleware for operations after the credentials have been checked.
import { Router, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { Identities } from '../auth/authenticate';
import { setCommonHeaders } from '../http/report';

/** What `res.locals` contains once the credentials have been checked. */
export interface Caller {
  /** The operationId. */
  readonly operation: string;
  /** The caller, keyed by security scheme. */
  readonly identity: Identities;
}

/**
 * Express middleware that finds a {@link Caller} in `res.locals`.
 *
 * @example rateLimit({ keyGenerator: (_req, res) => res.locals.identity.bearerAuth?.subject ?? '', handler: (_req, _res, next) => next(createError(429)) })
 */
export type CallerMiddleware = (
  req: Request,
  res: Response<unknown, Caller & Record<string, unknown>>,
  next: NextFunction,
) => unknown;

/** Resolves to true unless middleware answered or the client left. Rejects with what middleware threw or passed to next(). */
export type RunMiddleware = (req: Request, res: Response, caller: Caller) => Promise<boolean>;

export function createMiddlewareRunner(middleware: readonly CallerMiddleware[]): RunMiddleware | undefined {
  if (middleware.length === 0) return undefined;
  // Express ignores `throw undefined`, but not a rejection. It recognizes error middleware by its four parameters.
  const handlers = middleware.map((run) => (run.length > 3 ? run : Promise.try.bind(Promise, run as () => unknown)));
  const router = Router().use(handlers as RequestHandler[]);
  return (req, res, caller) =>
    new Promise((resolve, reject) => {
      // The client left while its credentials were being verified.
      if (res.closed) {
        resolve(false);
        return;
      }
      // Middleware that answers does not call next(), so the end of the reply settles the promise.
      res.once('close', () => {
        resolve(false);
      });
      Object.assign(res.locals, caller);
      setCommonHeaders(req, res);
      router(req, res, (error?: unknown) => {
        if (error) reject(error instanceof Error ? error : new Error('middleware failed', { cause: error }));
        // Some middleware answers and calls next() anyway.
        else resolve(!res.headersSent);
      });
    });
}
