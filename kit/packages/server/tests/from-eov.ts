import {
  keepRawBody,
  passThrough,
  refuseErrors,
  serveContract,
  trackRequests,
  watchContract,
  type ServiceOptions,
} from '@contract-kit/server';
import express, { type Express, type Router } from 'express';

/** Step 1: the routes as they are, with express-openapi-validator among them, are watched. */
export async function createWatched({ contract, log }: ServiceOptions, routes: Router): Promise<Express> {
  const app = express();
  app.use(express.json({ verify: keepRawBody }));
  app.use(await watchContract({ contract, log }));
  app.use(routes);
  return app;
}

/** Step 2: one operation is the kit's, which checks the requests of the other one, too. */
export async function createHalf(options: ServiceOptions, routes: Router): Promise<Express> {
  const { contract, log, handlers } = options;
  const app = express();
  app.use(trackRequests(options));
  app.use(await serveContract({ ...options, handlers: { ...handlers, findPlant: passThrough }, replies: 'log' }));
  app.use(await watchContract({ contract, log }));
  app.use(routes);
  app.use(refuseErrors(options));
  return app;
}

/** Step 3: all operations are the kit's. */
export async function createWhole(options: ServiceOptions): Promise<Express> {
  const app = express();
  app.use(trackRequests(options));
  app.use(await serveContract({ ...options, replies: 'strip', undeclaredQuery: 'ignore' }));
  app.use(refuseErrors(options));
  return app;
}
