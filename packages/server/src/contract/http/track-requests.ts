import type { RequestHandler } from 'express';
import { accountOf } from './account';
import { beginRequest } from './connection';
import type { Report } from './outcome';
import { requestIdOf } from './request-id';

/**
 * Stands before middleware and routes that answer by themselves. Their replies have a request id, too, and a report, and
 * count among those that a connection may have under way.
 *
 * @param options.reportCut is told of each connection that is closed because too many of its requests are under way
 * @example app.use(trackRequests({ report }), helmet());
 */
export function trackRequests({
  report,
  reportCut,
}: {
  readonly report: Report;
  readonly reportCut?: (() => void) | undefined;
}): RequestHandler {
  return function trackRequest(req, res, next) {
    if (!beginRequest(res, reportCut)) return;
    accountOf(res, report);
    res.setHeader('X-Request-Id', requestIdOf(req));
    next();
  };
}
