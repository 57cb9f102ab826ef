// Serves the documentation page and the contract.
import type { RequestHandler } from 'express';
import { beginRequest } from '../contract/http/connection';
import { Refusal } from '../contract/refusal/refusal';
import type { Contract } from '../contract/operation/load-contract';
import type { Report } from '../contract/http/outcome';
import type { Render } from '../contract/refusal/render';
import { ensureReport } from '../contract/http/pending-report';
import { toPath } from '../contract/http/request-target';
import { writeRefusal } from '../contract/http/write';
import { findOwnPaths } from './find-own-paths';
import { prefersPage, redirectToDocs } from './redirect-to-docs';
import type { File } from './file';
import { readFiles } from './read-files';
import { sendFile } from './send-file';

/** What the documentation needs. */
export interface DocsParts {
  readonly contract: Contract;
  /** The path of the base URL, without a slash at the end. */
  readonly prefix: string;
  /** Makes the reply of a refusal. */
  readonly render: Render;
  readonly report: Report;
}

/**
 * Serves the contract: as a page at `/docs`, unchanged at `/openapi.yaml`, as JSON at `/openapi.json`; and redirects browsers
 * from `/` to the page. Operations of the contract come first: if one has the path of a file, nothing is served; if one has
 * `/`, nothing is redirected.
 *
 * @returns a handler that passes all other paths to the next one
 * @example app.use(createDocs(parts))
 */
export function createDocs({ contract: { source, operations }, prefix, render, report }: DocsParts): RequestHandler {
  const { hasDocs, hasRoot } = findOwnPaths(operations);
  const files = hasDocs ? readFiles(source, prefix) : new Map<string, File>();
  const roots = hasRoot ? [prefix, `${prefix}/`] : [];

  return async function serveDocs(req, res, next) {
    const path = toPath(req.url);
    const file = files.get(path);
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (!file && !(isRead && roots.includes(path) && prefersPage(req))) {
      next();
      return;
    }
    // On false the connection is ending: no reply may be sent.
    if (!beginRequest(res)) return;
    const pending = ensureReport(res, report);
    const known = { path: path.slice(prefix.length) || '/' };
    if (isRead) {
      if (file) await sendFile(req, res, file);
      else redirectToDocs(req, res);
      pending.settle(known);
      return;
    }
    const refusal = new Refusal('METHOD_NOT_ALLOWED');
    const rendered = render(refusal, undefined);
    writeRefusal(res, rendered, { Allow: 'GET, HEAD' });
    pending.settle({ ...known, refusal, status: rendered.status });
  };
}
