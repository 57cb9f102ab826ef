// Serves the documentation page and the contract.
import type { RequestHandler } from 'express';
import { beginRequest } from '../contract/http/connection';
import { ContractError } from '../contract/document/mistake';
import { Refusal } from '../contract/refusal/refusal';
import type { Contract } from '../contract/operation/load-contract';
import type { Report } from '../contract/http/outcome';
import type { Render } from '../contract/refusal/render';
import { accountOf } from '../contract/http/account';
import { toPath } from '../contract/http/request-target';
import { writeRefusal } from '../contract/http/write';
import { readFiles } from './read-files';
import { sendFile } from './send-file';

/** What the documentation is made of. */
export interface DocsParts {
  readonly contract: Contract;
  /** The path of the base URL, without a slash at the end. */
  readonly prefix: string;
  /** Makes the reply of a refusal. */
  readonly render: Render;
  readonly report: Report;
}

/**
 * Serves the contract as a page at `/docs`, as it is at `/openapi.yaml`, and as JSON at `/openapi.json`.
 *
 * @returns a handler that passes all other paths to the next one
 * @throws ContractError when the contract has an operation with one of these paths
 * @example app.use(createDocs(parts))
 */
export function createDocs({ contract: { source, operations }, prefix, render, report }: DocsParts): RequestHandler {
  const files = readFiles(source, prefix);
  const taken = operations.find(({ path }) => files.has(prefix + path));
  if (taken) {
    throw new ContractError(
      `the contract has the path ${taken.path} itself, where its documentation would be: set DOCS=off`,
    );
  }

  return async function serveDocs(req, res, next) {
    const file = files.get(toPath(req.url));
    if (!file) {
      next();
      return;
    }
    if (!beginRequest(res)) return;
    const account = accountOf(res, report);
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (isRead) {
      await sendFile(req, res, file);
      account.settle({});
      return;
    }
    const refusal = new Refusal('METHOD_NOT_ALLOWED');
    const rendered = render(refusal, undefined);
    writeRefusal(res, rendered, { Allow: 'GET, HEAD' });
    account.settle({ refusal, status: rendered.status });
  };
}
