import express, { type Express } from 'express';
import { refuseErrors } from '../src/contract/http/refuse-errors';
import { trackRequests } from '../src/contract/http/track-requests';
import type { Contract } from '../src/contract/operation/load-contract';
import { keepRawBody } from '../src/contract/request/earlier-body';
import { serveContract, type ServiceOptions } from '../src/contract/serve-contract';

/** An application that was there before the contract. */
export async function createExistingApp(contract: Contract, options: ServiceOptions): Promise<Express> {
  const app = express();
  app.use(trackRequests(options));
  app.use(express.json({ verify: keepRawBody }));
  app.get('/other', (_req, res) => {
    res.json({ other: true });
  });
  app.use(await serveContract(contract, options));
  app.use(refuseErrors(options));
  return app;
}
