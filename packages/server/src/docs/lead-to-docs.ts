// Leads browsers from the root to the documentation page.
import type { Request, Response } from 'express';
import { toPath } from '../contract/http/request-target';
import { writeContent } from '../contract/http/write';

const NOTHING = Buffer.alloc(0);

/** Whether a browser asks for a page, or a client that prefers one: those that take anything do not. */
export function prefersPage(req: Request): boolean {
  return req.accepts(['json', 'html']) === 'html';
}

/** Answers with where the page is, from the root with or without a slash at its end. */
export function leadToDocs(req: Request, res: Response): void {
  // Relative, since a proxy may change the path; the dot, since a segment may have a colon.
  const path = toPath(req.originalUrl);
  const segment = path.slice(path.lastIndexOf('/') + 1);
  const location = segment === '' ? './docs' : `./${segment}/docs`;
  writeContent(res, 302, NOTHING, { Location: location, Vary: 'Accept', 'Content-Length': '0' });
}
