// Serves the documentation page and the contract.
import type { RequestHandler } from 'express';
import { beginRequest } from '../contract/http/connection';
import { Refusal } from '../contract/refusal/refusal';
import type { Contract } from '../contract/operation/load-contract';
import type { Report } from '../contract/http/outcome';
import type { Render } from '../contract/refusal/render';
import { ensureReport } from '../contract/http/pending-report';
import { renderSafely } from '../contract/http/render-safely';
import { toPath } from '../contract/http/request-target';
import { writeRefusal } from '../contract/http/write';
import { chooseDocsPaths } from './choose-docs-paths';
import { prefersPage, redirectToDocs } from './redirect-to-docs';
import type { File } from './file';
import { readFiles } from './read-files';
import { sendFile } from './send-file';

/** What the documentation needs. */
export interface DocsParts {
  readonly contract: Contract;
  /** The path of the base URL, without a slash at the end. */
  readonly prefix: string;
  readonly render: Render;
  readonly report: Report;
}

/**
 * Serves the contract: as a page at `/docs`, unchanged at `/openapi.yaml`, as JSON at `/openapi.json`; and redirects
 * browsers from `/` to the page. Operations of the contract come first: if one has the path of a file, nothing is served; if
 * one has `/`, nothing is redirected.
 *
 * @example app.use(createDocs(parts))
 */
export function createDocs({ contract: { source, operations }, prefix, render, report }: DocsParts): RequestHandler {
  const { servesFiles, redirectsRoot } = chooseDocsPaths(operations);
  const files = servesFiles ? readFiles(source, prefix) : new Map<string, File>();
  const redirectedPaths = redirectsRoot ? [prefix, `${prefix}/`] : [];

  return async function serveDocs(req, res, next) {
    const path = toPath(req.url);
    const file = files.get(path);
    const isReadMethod = req.method === 'GET' || req.method === 'HEAD';
    const isRedirected = isReadMethod && redirectedPaths.includes(path) && prefersPage(req);
    if (!file && !isRedirected) {
      next();
      return;
    }
    if (!beginRequest(res)) return;
    const pendingReport = ensureReport(res, report);
    const outcome = { path: path.slice(prefix.length) || '/' };
    if (isReadMethod) {
      if (file) await sendFile(req, res, file);
      else redirectToDocs(req, res);
      pendingReport.settle(outcome);
      return;
    }
    // A file has been asked for with another method.
    const refusal = new Refusal('METHOD_NOT_ALLOWED');
    const ready = renderSafely(refusal, () => render(refusal, undefined));
    writeRefusal(res, ready, { Allow: 'GET, HEAD' });
    pendingReport.settle({ ...outcome, refusal: ready.refusal, status: ready.status });
  };
}
