// Serves health checks and metrics to operators.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { beginRequest, trackConnections } from '../http/connections';
import { NOSNIFF } from '../http/report';

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

// The timeouts in milliseconds. They can be short, because probes use a fast network and send no bodies.
const TIMEOUTS = { headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 1_000 };
// The limit exceeds the 511 connections that node:net accepts at once, so that these cannot push out a probe before it is read.
const MAX_CONNECTIONS = 1_000;

/**
 * Creates the server for `/livez`, `/readyz` and `/metrics`. It refuses a Host that `isOwnName` rejects, because web pages in a
 * browser on this machine could otherwise reach the server by DNS rebinding.
 */
export function createAdminServer(
  readiness: Readiness,
  registry: Pick<Registry, 'metrics' | 'contentType'>,
  isOwnName: (name: string) => boolean = () => true,
): Server {
  const pages = new Map<string, () => Answer | Promise<Answer>>([
    ['/livez', () => ({ status: 200, text: 'alive\n' })],
    ['/readyz', async () => toReadinessAnswer(await findProblems(readiness))],
    ['/metrics', async () => ({ status: 200, text: await registry.metrics(), type: registry.contentType })],
  ]);

  // A 421 means that the server is not authoritative for the host (RFC 9110 section 15.5.20).
  async function answer({ method, url, headers: { host = '' } }: IncomingMessage): Promise<Answer> {
    if (!isOwnName(toHostName(host))) return { status: 421, text: 'The Host header does not name this server.\n' };
    const pathWithoutQuery = String(url).replace(/\?.*/, '');
    const createPage = pages.get(pathWithoutQuery);
    if (createPage === undefined)
      return { status: 404, text: 'This path does not exist. The server has /livez, /readyz and /metrics.\n' };
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, text: 'Only GET and HEAD are allowed.\n' };
    return createPage();
  }

  const server = createServer(TIMEOUTS, (req, res) => {
    // Each connection gets only one reply, because a pipelining client could otherwise keep the event loop from the public port.
    if (!beginRequest(res)) return;
    res.shouldKeepAlive = false;
    void answer(req)
      .catch((error: unknown) => ({ status: 500, text: `${String(error)}\n` }))
      .then((content) => {
        sendAnswer(res, content);
      });
  });
  server.maxConnections = MAX_CONNECTIONS;
  trackConnections(server);
  return server;
}

function sendAnswer(res: ServerResponse, { status, text, type = 'text/plain; charset=utf-8' }: Answer): void {
  const headers = {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  };
  res
    .setHeader(...NOSNIFF)
    .writeHead(status, status === 405 ? { ...headers, Allow: 'GET, HEAD' } : headers)
    .end(text);
}

function toReadinessAnswer(problems: readonly string[]): Answer {
  if (problems.length === 0) return { status: 200, text: 'ready\n' };
  return { status: 503, text: `not ready: ${problems.join('; ')}\n` };
}

// The host is case-insensitive, and can have a port (RFC 9110 section 7.2).
function toHostName(host: string): string {
  return host.replace(/:\d*$/, '').toLowerCase();
}

const CHECK_TIMEOUT_MS = 3_000;

/** Rejects with the reason if the service cannot work now. */
export type Check = () => Promise<void>;

export interface Readiness {
  /** If set, the service is not ready, regardless of the checks. */
  phase: 'starting' | 'draining' | undefined;
  readonly checks: Check[];
}

/** Returns the reasons why the service is not ready: its phase, or the checks that failed or timed out. */
export async function findProblems({ phase, checks }: Readiness): Promise<string[]> {
  if (phase !== undefined) return [phase];
  const results = await Promise.allSettled(
    checks.map((check) => Promise.race([Promise.try(check), failAfterTimeout()])),
  );
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  return reasons.map((reason) => String((Object(reason) as Partial<Error>).message ?? reason));
}

function failAfterTimeout(): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = (): void => {
      reject(new Error(`a check took longer than ${String(CHECK_TIMEOUT_MS)} ms`));
    };
    setTimeout(fail, CHECK_TIMEOUT_MS).unref();
  });
}
