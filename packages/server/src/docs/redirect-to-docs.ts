// Redirects browsers from the root to the documentation page.
import type { Request, Response } from 'express';
import { toPath } from '../contract/http/request-target';
import { writeContent } from '../contract/http/write';

const EMPTY_BODY = Buffer.alloc(0);

/** Whether a client prefers HTML to JSON, as browsers do; one that accepts anything does not. */
export function prefersPage(req: Request): boolean {
  return req.accepts(['json', 'html']) === 'html';
}

/** Redirects from the root of the service to the page: from `/v1/` to `./docs`, and from `/v1` to `./v1/docs`. */
export function redirectToDocs(req: Request, res: Response): void {
  // Relative, since a proxy may change the path; the dot, since a segment may have a colon.
  const path = toPath(req.originalUrl);
  const lastSegment = path.slice(path.lastIndexOf('/') + 1);
  const location = lastSegment === '' ? './docs' : `./${lastSegment}/docs`;
  writeContent(res, 302, EMPTY_BODY, { Location: location, Vary: 'Accept', 'Content-Length': '0' });
}
