import { createCors, createDocs, serveContract, trackRequests, type AppParts } from '@contract-kit/server';
import { expressOpenapiValidator } from '@contract-kit/server/express-openapi-validator';
import express, { type Express } from 'express';

/** Creates the app. A request passes the middleware, the documentation, then the operations of the contract. */
export async function createApp(parts: AppParts): Promise<Express> {
  const app = express().disable('x-powered-by');
  // Put middleware of your own into this list; README.md of @contract-kit/server has examples.
  const middleware = createCors(parts);
  if (middleware.length > 0) app.use(trackRequests(parts), middleware);
  if (parts.docs) app.use(createDocs(parts));
  // express-openapi-validator (EOV) judges each request and each reply.
  return app.use(await serveContract({ ...parts, validator: expressOpenapiValidator }));
}
