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
  { operation, refusal }: Pick<Outcome, 'operation' | 'refusal'>,
): void {
  function tell(): void {
    report({
      id: requestIdOf(res.req),
      method: res.req.method,
      operation,
      status: refusal?.status ?? res.statusCode,
      refusal,
      milliseconds: performance.now() - start,
      isAborted: !res.writableFinished,
    });
  }
  if (res.closed) tell();
  else res.once('close', tell);
}
