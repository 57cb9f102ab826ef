import express, { type Express, type RequestHandler } from 'express';
import { expressOpenapiValidator } from '../../packages/server/src/express-openapi-validator';
import { serveContract } from '../../packages/server/src/pipeline/serve-contract';
import { trackRequests } from '../../packages/server/src/http/report';
import { createDocs } from '../../packages/server/src/docs/create-docs';
import { createCors } from '../../packages/server/src/runtime/cors';
import type { AppParts } from '../../packages/server/src/runtime/service';

/** An application with middleware of the test's in front. */
export async function createAppBehind(before: readonly RequestHandler[], parts: AppParts): Promise<Express> {
  const app = express().disable('x-powered-by');
  app.use(trackRequests(parts), createCors(parts), ...before);
  if (parts.docs) app.use(createDocs(parts));
  return app.use(await serveContract({ ...parts, validator: expressOpenapiValidator }));
}
