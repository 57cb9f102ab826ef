import type { Caller } from '@contract-kit/server';
import { rateLimit } from 'express-rate-limit';

/** A limit for each caller. */
export function createLimit(): ReturnType<typeof rateLimit> {
  return rateLimit({
    limit: 100,
    keyGenerator: (_req, res) => {
      const callers = Object.entries((res.locals as Caller).identity);
      return JSON.stringify(callers.map(([scheme, { subject }]) => [scheme, subject]));
    },
    handler: (_req, _res, next) => {
      next(Object.assign(new Error('too many requests'), { status: 429, expose: true }));
    },
  });
}
