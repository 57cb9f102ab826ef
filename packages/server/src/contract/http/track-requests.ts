import type { RequestHandler } from 'express';
import { ensureReport, type Report } from './pending-report';
import { beginRequest } from './connection';
import { requestIdOf } from './request-id';

/**
 * Creates middleware for requests that other middleware or routes answer: each gets a request id and a report, and counts
 * among those that its connection may have under way.
 *
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
    ensureReport(res, report);
    res.setHeader('X-Request-Id', requestIdOf(req));
    next();
  };
}
