import {
  createCors,
  createDocs,
  serveContract,
  trackRequests,
  type AppOptions,
  type Caller,
} from '@contract-kit/server';
import { expressOpenapiValidator } from '@contract-kit/server/express-openapi-validator';
import express, { type Express } from 'express';
import { rateLimit } from 'express-rate-limit';
import helmet from 'helmet';

/** The application of a team that adds headers for browsers, and a limit for each caller. */
export async function createApp(options: AppOptions): Promise<Express> {
  const app = express().disable('x-powered-by');
  app.use(trackRequests(options), createCors(options), helmet());
  if (options.docs) app.use(createDocs(options));
  return app.use(
    await serveContract({ ...options, validator: expressOpenapiValidator, afterCredentials: [createLimit()] }),
  );
}

function createLimit(): ReturnType<typeof rateLimit> {
  return rateLimit({
    limit: 100,
    keyGenerator: (_req, res) => {
      const callers = Object.entries((res.locals as Caller).identity);
      return JSON.stringify(callers.map(([scheme, { subject }]) => [scheme, subject]));
    },
    handler: (_req, _res, next) => {
      next(Object.assign(new Error('too many requests'), { status: 429 }));
    },
  });
}
