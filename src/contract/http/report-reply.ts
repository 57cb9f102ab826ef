import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Outcome, Report } from './outcome';
import { requestIdOf } from './request-id';

/**
 * Tells of a request when its reply is over, or the client is gone.
 *
 * @param start when it came, as `performance.now()` had it
 */
export function reportReply(
  report: Report,
  res: ServerResponse,
  start: number,
  { operation, refusal, status }: Pick<Outcome, 'operation' | 'refusal'> & { readonly status?: number | undefined },
): void {
  function tell(): void {
    report({
      id: requestIdOf(res.req),
      method: res.req.method,
      operation,
      status: status ?? res.statusCode,
      refusal,
      milliseconds: performance.now() - start,
      isAborted: !res.writableFinished,
    });
  }
  if (res.closed) tell();
  else res.once('close', tell);
}
