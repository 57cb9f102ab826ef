// Redirects browsers from the root to the documentation page.
import type { Request, Response } from 'express';
import { toPath } from '../contract/http/request-target';
import { writeContent } from '../contract/http/write';

const NOTHING = Buffer.alloc(0);

/** Whether a client prefers HTML to JSON, as browsers do; one that accepts anything does not. */
export function prefersPage(req: Request): boolean {
  return req.accepts(['json', 'html']) === 'html';
}

/** Redirects from the root, with or without a slash at its end, to the page. */
export function redirectToDocs(req: Request, res: Response): void {
  // Relative, since a proxy may change the path; the dot, since a segment may have a colon.
  const path = toPath(req.originalUrl);
  const segment = path.slice(path.lastIndexOf('/') + 1);
  const location = segment === '' ? './docs' : `./${segment}/docs`;
  writeContent(res, 302, NOTHING, { Location: location, Vary: 'Accept', 'Content-Length': '0' });
}
