import { keepRawBody, refuseErrors, serveContract, trackRequests, type ServiceOptions } from '@contract-kit/server';
import express, { type Express } from 'express';

/** An application that was there before the contract. */
export async function createExistingApp(options: ServiceOptions): Promise<Express> {
  const app = express();
  app.use(trackRequests(options));
  app.use(express.json({ verify: keepRawBody }));
  app.get('/other', (_req, res) => {
    res.json({ other: true });
  });
  app.use(await serveContract(options));
  app.use(refuseErrors(options));
  return app;
}

/** The same without a promise: its first requests wait for the operations. */
export function createSynchronously(options: ServiceOptions): Express {
  const app = express();
  const operations = serveContract(options);
  app.use(async (req, res, next) => (await operations)(req, res, next));
  return app;
}
