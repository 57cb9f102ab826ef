import { createCors, createDocs, serveContract, trackRequests, type AppOptions } from '@contract-kit/server';
import * as OpenApiValidator from 'express-openapi-validator';
import express, { type Express } from 'express';

/** Creates the app. A request passes the middleware, the documentation, then the operations of the contract. */
export async function createApp(options: AppOptions): Promise<Express> {
  const app = express().disable('x-powered-by');
  // Add your own middleware to this list; the README of @contract-kit/server has examples.
  const middleware = createCors(options);
  if (middleware.length > 0) app.use(trackRequests(options), middleware);
  if (options.docs) app.use(createDocs(options));
  // express-openapi-validator decides whether the credentials, the request and the reply of each operation are valid.
  return app.use(await serveContract({ ...options, validator: OpenApiValidator }));
}
