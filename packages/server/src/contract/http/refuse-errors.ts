// Middleware that turns the errors of other middleware into refusals.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toRefusal } from '../refusal/refusal';
import type { Render } from '../refusal/render';
import { ensureReport, type Report } from './pending-report';
import { renderSafely } from './render-safely';
import { writeRefusal } from './write';

/** Middleware for errors, which Express recognizes by its four parameters. */
export type RefuseError = (cause: unknown, req: IncomingMessage, res: ServerResponse, next: unknown) => void;

/**
 * Creates middleware that answers errors of other middleware like the contract's refusals: an error with a status from 400
 * to 499 as that refusal, any other as a 500 without details.
 *
 * @example app.use(refuseErrors({ render, report }));
 */
export function refuseErrors({ render, report }: { readonly render: Render; readonly report: Report }): RefuseError {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- Express counts the parameters.
  return function refuseError(cause, _req, res, _next) {
    const pending = ensureReport(res, report);
    const refusal = toRefusal(cause);
    // Middleware failed after it called next(): the operation replies, and its report has this error too.
    if (pending.isServing) {
      pending.note(refusal);
      return;
    }
    // Middleware failed in the middle of its own reply: cut it, so that no client takes it for whole.
    if (res.headersSent && !res.writableEnded) res.destroy();
    const ready = renderSafely(refusal, () => render(refusal, undefined));
    // It writes nothing if a reply was begun.
    writeRefusal(res, ready, {});
    pending.settle({ refusal: ready.refusal, status: ready.status });
  };
}
