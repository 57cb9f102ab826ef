import { rateLimit } from 'express-rate-limit';
import helmet from 'helmet';
import type { Caller, Middleware } from '../src/contract/middleware';

/** What a team adds to its service: `createMiddleware` of src/service.ts. */
export function createMiddleware(): Middleware {
  const limitOfSubject = rateLimit({
    limit: 1,
    keyGenerator: (_req, res) => String((res.locals as Caller).identity['bearerAuth']?.subject),
    handler: (_req, _res, next) => {
      next(Object.assign(new Error('too many requests'), { status: 429 }));
    },
  });
  return { before: [helmet()], afterCredentials: [limitOfSubject] };
}
