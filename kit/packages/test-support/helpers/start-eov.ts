import { createServer, type ServerOptions } from 'node:http';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { middleware } from 'express-openapi-validator';
import { listenOnLoopback, type ListeningServer } from './listen-on-loopback';

type EovOptions = Parameters<typeof middleware>[0];

/** What its documentation has at the end of an application; where a reply has begun there is nothing to say. */
const answerError: ErrorRequestHandler = (error: Error & { status?: number; errors?: unknown }, _req, res, next) => {
  if (res.headersSent) next();
  else res.status(error.status ?? 500).json({ message: error.message, errors: error.errors });
};

/**
 * express-openapi-validator in front of a handler, as its documentation says: parsers, its middleware, the handler, errors.
 *
 * @param options where `apiSpec` is an object, it is read from a copy
 */
export async function startEov(
  options: EovOptions,
  handler: RequestHandler | (RequestHandler | ErrorRequestHandler)[],
  http: ServerOptions = {},
): Promise<ListeningServer> {
  const app = express();
  app.use(
    express.json({ strict: false, limit: '1mb', type: ['application/json', 'application/*+json'] }),
    express.text(),
    express.urlencoded({ extended: false }),
  );
  app.use(middleware(options));
  app.use(handler);
  app.use(answerError);
  return listenOnLoopback(createServer(http, app));
}
