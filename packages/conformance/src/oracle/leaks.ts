// Finds internals of a server in a reply.
import { valuesOf, type WireReply } from '../wire/reply';
import { holdsSecret } from '../wire/secret';
import { toFindings, type Finding } from './checks';
import type { Oracle } from './oracle';

// Stack traces, file paths, and messages of databases.
const INSIDE = [
  /\bat (?:async )?\S+ \(?\S+:\d+:\d+/,
  /\bnode_modules\b|\bnode:internal\b/,
  /(?:^|["'\s(])(?:\/(?:home|root|usr|var|tmp|opt|srv|app|etc)\/|[A-Za-z]:\\)\S/,
  /\bSQLITE_|\bSELECT .* FROM\b|\bINSERT INTO\b|\bECONNREFUSED\b/,
];

/** Finds internals in a reply: a stack trace, a file path, a secret, or X-Powered-By. */
export function judgeLeaks({ secrets }: Oracle, reply: WireReply): Finding[] {
  const text = reply.body.toString('utf8');
  const all = `${reply.headers.flat().join('\n')}\n${text}`;
  return toFindings('leak', [
    ...(reply.status >= 400 && INSIDE.some((pattern) => pattern.test(text))
      ? ['the reply tells what goes on inside the server']
      : []),
    ...(holdsSecret(all, secrets) ? ['the reply has a secret in it'] : []),
    ...(valuesOf(reply, 'x-powered-by').length > 0 ? ['X-Powered-By is there'] : []),
  ]);
}
