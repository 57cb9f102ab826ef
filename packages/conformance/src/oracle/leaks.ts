// Finds internals of a server in a reply.
import { valuesOf, type WireReply } from '../wire/reply';
import { holdsSecret } from '../wire/secret';
import { toFindings, type Finding } from './checks';
import type { Oracle } from './oracle';

// Stack traces, file paths, and messages of databases.
const INTERNALS = [
  /\bat (?:async )?\S+ \(?\S+:\d+:\d+/,
  /\bnode_modules\b|\bnode:internal\b/,
  /(?:^|["'\s(])(?:\/(?:home|root|usr|var|tmp|opt|srv|app|etc)\/|[A-Za-z]:\\)\S/,
  /\bSQLITE_|\bSELECT .* FROM\b|\bINSERT INTO\b|\bECONNREFUSED\b/,
];

export function judgeLeaks({ secrets }: Oracle, reply: WireReply): Finding[] {
  const body = reply.body.toString('utf8');
  const headersAndBody = `${reply.headers.flat().join('\n')}\n${body}`;
  // A successful reply may be about such things.
  const showsInternals = reply.status >= 400 && INTERNALS.some((pattern) => pattern.test(body));
  return toFindings('leak', [
    ...(showsInternals ? ['the reply tells what goes on inside the server'] : []),
    ...(holdsSecret(headersAndBody, secrets) ? ['the reply has a secret in it'] : []),
    ...(valuesOf(reply, 'x-powered-by').length > 0 ? ['X-Powered-By is there'] : []),
  ]);
}
