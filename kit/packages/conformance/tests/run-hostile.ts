import { createSuite, groupByCause, runSuite } from '../src';
import type { Run } from '../src/report/run';
import { BOOKS, serveReplies } from './serve-books';

export const SECRET = 'a-secret-of-the-books';
// What clears a screen, in two ways, what turns text round, and what a browser would run.
const HOSTILE = '\x1b[2J\x9b2J\u202e</pre><script>alert(1)</script>" onload="alert(1)';

/** A run on a server that says the same to everything, and nothing good. */
export async function runHostile(): Promise<Run> {
  await using server = await serveReplies((_req, res) => {
    // The body ends with the connection.
    res.useChunkedEncodingByDefault = false;
    res.writeHead(200, [
      ...['content-type', 'text/<script>\x9b2J'],
      ...['x-evil', `<img src=x onerror=alert(1)>\x9b2J${SECRET}`],
      ...['etag', 'last-modified', 'retry-after', 'content-range'].flatMap((name) => [
        name,
        'bytes x',
        name,
        'bytes x',
      ]),
    ]);
    res.end(`${HOSTILE}${SECRET}${'and so on '.repeat(200)}`);
  });
  const suite = createSuite(BOOKS, { marker: 'hostile', level: 'robust' });
  const target = { base: server.base, secrets: { token: SECRET }, timeout: 60_000 };
  const results = await Array.fromAsync(runSuite(suite, target, { isWanted: () => true }));
  const failed = results.filter(({ findings }) => findings.length > 0);
  const notes = ['9 cases were not tried.'];
  return {
    suite,
    target,
    variables: { token: 'TOKEN' },
    results,
    failed,
    causes: groupByCause(failed),
    unproven: [],
    notes,
    coverage: undefined,
  };
}
