import { keepRawBody, serveContract, type ServiceOptions } from '@contract-kit/server';
import express, { type Express, type Router } from 'express';

/** Your application, with the kit between its parsers and its routes. */
export async function createApp(options: ServiceOptions, routes: Router): Promise<Express> {
  const operationRules = { findPlant: { mode: 'requests' }, putPlant: { mode: 'report' } } as const;
  const app = express();
  app.use(express.json({ verify: keepRawBody }));
  app.use(await serveContract({ ...options, mode: 'watch', operationRules }));
  app.use(routes);
  return app;
}
