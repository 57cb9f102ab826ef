// Middleware that turns the errors of other middleware into refusals.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { toRefusal } from '../refusal/refusal';
import type { Render } from '../refusal/render';
import { accountOf } from './account';
import type { Report } from './outcome';
import { writeRefusal } from './write';

/** Express tells middleware for errors by its four parameters. */
export type RefuseError = (cause: unknown, req: IncomingMessage, res: ServerResponse, next: unknown) => void;

/**
 * Answers what middleware throws, or passes on, as the contract's refusals are answered: an error with a status from 400
 * to 499 as that refusal, any other as a failure that says nothing.
 *
 * @example app.use(refuseErrors({ render, report }));
 */
export function refuseErrors({ render, report }: { readonly render: Render; readonly report: Report }): RefuseError {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- Express counts the parameters.
  return function refuseError(cause, _req, res, _next) {
    const account = accountOf(res, report);
    const refusal = toRefusal(cause);
    // Middleware failed after it let the request through.
    if (account.isServing) {
      account.note(refusal);
      return;
    }
    // It failed in the middle of its own reply, which nothing can end well.
    if (res.headersSent && !res.writableEnded) res.destroy();
    const rendered = render(refusal, undefined);
    writeRefusal(res, rendered, {});
    account.settle({ refusal, status: rendered.status });
  };
}
