// The plant store with express-openapi-validator alone, wired as its documentation says: npx node examples/plain-eov.ts
import express, { type ErrorRequestHandler, type Express } from 'express';
import { middleware } from 'express-openapi-validator';

interface Plant {
  readonly id: number;
  readonly name: string;
  readonly tag?: string | undefined;
}

const answerError: ErrorRequestHandler = (error: Error & { status?: number }, _req, res, next) => {
  if (res.headersSent) next(error);
  else res.status(error.status ?? 500).json({ error: 1, message: error.message });
};

/** Creates the application: the parser, the validator, the handler, the errors. Clients send `token` as bearer token. */
export function createPlainApp(token: string): Express {
  const plants: Plant[] = [];
  const bearerAuth = ({ headers }: express.Request): boolean => headers.authorization === `Bearer ${token}`;
  const app = express();
  app.use(express.json({ limit: '1mb' }));
  app.use(
    middleware({ apiSpec: 'openapi.yaml', validateResponses: true, validateSecurity: { handlers: { bearerAuth } } }),
  );
  app.post('/plants', (req, res) => {
    const { id, name, tag } = req.body as Plant;
    plants.push({ id, name, tag });
    res.json({ name, tag });
  });
  return app.use(answerError);
}

if (process.argv[1]?.endsWith('plain-eov.ts')) createPlainApp('a-token').listen(3000, '127.0.0.1');
