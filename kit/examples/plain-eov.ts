// The plant store with express-openapi-validator alone, and the gaps closed that the conformance suite finds in it as
// documented: npx node examples/plain-eov.ts
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { middleware } from 'express-openapi-validator';

interface Plant {
  readonly id: bigint;
  readonly name: string;
  readonly tag?: string | undefined;
}

const CONTRACT = 'packages/test-support/plants/openapi.yaml';
const HOST = /^(?:[\w.-]*|\[[\da-f:.]+\])(?::\d*)?$/i;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function refuse(message: string): never {
  throw Object.assign(new Error(message), { status: 400 });
}

/** Checks what Node's parser and the validator let through (RFC 9112 section 3.2, RFC 9110 sections 11.1 and 11.6.2). */
const checkHead: RequestHandler = (req, _res, next) => {
  const { host = '', authorization } = req.headersDistinct;
  if (host.length !== 1 || !HOST.test(String(host[0]))) refuse('there must be one well-formed Host');
  if ((authorization?.length ?? 0) > 1) refuse('there must be one Authorization');
  // The target in absolute form, and the name of the scheme in any case, mean the same.
  req.url = req.originalUrl = req.url.replace(/^https?:\/\/[^/?]+\/?/i, '/');
  if (authorization) req.headers.authorization = String(authorization[0]).replace(/^bearer +/i, 'Bearer ');
  next();
};

/** Reads a body of UTF-8, with an id of which no digit is lost in `res.locals.id`. */
const readBody: RequestHandler = (req, res, next) => {
  const keepId = (key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown => {
    if (key === 'id' && typeof value === 'number' && Number.isInteger(value)) res.locals['id'] = toInt64(source);
    return value;
  };
  try {
    if (Buffer.isBuffer(req.body)) req.body = JSON.parse(UTF8.decode(req.body), keepId) as unknown;
  } catch (error) {
    refuse((error as Error).message);
  }
  next();
};

function toInt64(source: string): bigint {
  const id = /^-?\d+$/.test(source) ? BigInt(source) : BigInt(Number(source));
  return BigInt.asIntN(64, id) === id ? id : refuse('id must be an int64');
}

const answerError: ErrorRequestHandler = (error: Error & { status?: number }, req, res, _next) => {
  const { status = 500, message } = error;
  const reason = /^bearer /i.test(req.get('authorization') ?? '') ? ', error="invalid_token"' : '';
  if (status === 401) res.set('WWW-Authenticate', `Bearer realm="plants"${reason}`);
  if (status === 405) res.set('Allow', 'POST');
  res.status(status).json({ error: status, message });
};

/** Creates the application. Clients send `token` as a bearer token. */
export function createPlainApp(token: string, apiSpec = CONTRACT): Express {
  const plants: Plant[] = [];
  const bearerAuth = ({ headers }: express.Request): boolean => headers.authorization === `Bearer ${token}`;
  const app = express().use(checkHead, express.raw({ type: 'application/json', limit: '1mb' }), readBody);
  app.use(middleware({ apiSpec, validateResponses: true, validateSecurity: { handlers: { bearerAuth } } }));
  app.post('/plants', (req, res) => {
    const { name, tag } = req.body as Plant;
    plants.push({ id: res.locals['id'] as bigint, name, tag });
    res.json({ name, tag });
  });
  return app.use(answerError);
}

if (process.argv[1]?.endsWith('plain-eov.ts')) createPlainApp('a-token').listen(3000, '127.0.0.1');
