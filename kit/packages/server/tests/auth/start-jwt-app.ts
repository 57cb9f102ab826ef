import { createBearerVerifier, type BearerVerifier } from '../../src/auth/bearer-verifier';
import { startThings, TOKEN, type ThingsApp } from '@contract-kit/test-support/start-things';
import type { AuthLog } from '../../src/auth/tokens';
import { AUDIENCE } from './start-issuer';

const BODY = '{"id":1,"name":"Rose"}';

/** The application with one listed token and an issuer of JWTs. */
export interface JwtApp extends AsyncDisposable {
  readonly app: ThingsApp;
  readonly bearer: BearerVerifier;
  /** Why it is not ready; undefined when it is. */
  readonly problem: () => Promise<string | undefined>;
  /** What it logged about identity. */
  readonly lines: readonly string[];
  /** Creates a thing with a token. */
  readonly create: (token: string) => Promise<Response>;
}

export async function startJwtApp(issuer: string): Promise<JwtApp> {
  const log = createMemoryLog();
  const bearer = createBearerVerifier({ tokens: [TOKEN], jwt: { issuer, audience: AUDIENCE } }, log);
  const app = await startThings({ verify: bearer.verify });
  return {
    app,
    bearer,
    problem: () =>
      bearer.check().then(
        () => undefined,
        (error: unknown) => (error as Error).message,
      ),
    lines: log.lines,
    create: (token) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      return fetch(`http://127.0.0.1:${String(app.port)}/things`, { method: 'POST', headers, body: BODY });
    },
    async [Symbol.asyncDispose]() {
      bearer.close();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** A log that keeps its lines. */
export function createMemoryLog(): AuthLog & { readonly lines: string[] } {
  const lines: string[] = [];
  return {
    lines,
    info: (message) => lines.push(`info ${message}`),
    warn: (message) => lines.push(`warn ${message}`),
  };
}
