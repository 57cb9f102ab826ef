// Serves the documentation page and the contract.
import type { RequestHandler, Request, Response } from 'express';
import { parsePart, toExactJson, type Contract } from '@contract-kit/contract';
import { beginRequest } from '../http/connections';
import { ensureReport } from '../http/report';
import { toReports, type Reports } from '../http/request-log';
import { toPath, createRoutes } from '../pipeline/routes';
import { writeContent } from '../http/write';
import { toPageContract } from './page-contract';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

/** What the documentation needs. */
export interface DocsOptions extends Reports {
  readonly contract: Contract;
  /** The path of the base URL, without a slash at the end; by default that of the contract's first server. */
  readonly prefix?: string | undefined;
}

/**
 * Serves the contract: as a page at `/docs`, unchanged at `/openapi.yaml`, as JSON at `/openapi.json`; and redirects
 * browsers from `/`, also that of the host, to the page. Operations of the contract come first: if one has the path of a file, nothing is served; if
 * one has `/`, nothing is redirected.
 *
 * @example app.use(createDocs(options))
 */
export function createDocs(options: DocsOptions): RequestHandler {
  const { contract, prefix = contract.serverPath } = options;
  const { report } = toReports(options);
  const files = hasDocsPage(options) ? readFiles(contract, prefix, options.prefix) : new Map<string, DocsFile>();
  const roots = ['/', prefix, `${prefix}/`];
  const redirectedPaths = files.size === 0 || isTaken(options, roots) ? [] : roots;

  return async function serveDocs(req, res, next) {
    const path = toPath(req.url);
    const file = files.get(path);
    // Browsers prefer HTML to JSON; a client that accepts anything does not.
    const isServed = file !== undefined || (redirectedPaths.includes(path) && req.accepts(['json', 'html']) === 'html');
    if (!isServed || !['GET', 'HEAD'].includes(req.method)) {
      next();
      return;
    }
    if (!beginRequest(res)) return;
    const pendingReport = ensureReport(res, report);
    if (file) await sendFile(req, res, file);
    else redirectToDocs(req, res, path === '/' ? prefix : '');
    pendingReport.settle({ path: path.slice(prefix.length) || '/' });
  };
}

/** Redirects to the page: from `/v1/` to `./docs`, from `/v1` to `./v1/docs`, and from `/` to `./v1/docs` by the prefix. */
function redirectToDocs(req: Request, res: Response, prefix: string): void {
  // Relative, since a proxy may change the path; the dot, since a segment may have a colon.
  const path = toPath(req.originalUrl);
  const lastSegment = path.slice(path.lastIndexOf('/') + 1);
  const location = `.${lastSegment === '' ? '' : `/${lastSegment}`}${prefix}/docs`;
  writeContent(res, 302, Buffer.alloc(0), { Location: location, Vary: 'Accept', 'Content-Length': '0' });
}

type DocsFile = ReturnType<typeof createFile>;

/** A file to serve, whose content may be compressed already. By default, caches revalidate it each time. */
function createFile(mediaType: string, content: Buffer | string, cacheControl = 'no-cache', isGzipped = false) {
  const bytes = Buffer.from(content);
  let converted: Promise<Buffer> | undefined;
  return {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    mediaType,
    cacheControl,
    /** Its bytes, in the coding gzip or not; once converted, they are kept. */
    read: (wantsGzip: boolean) =>
      wantsGzip === isGzipped ? bytes : (converted ??= promisify(wantsGzip ? gzip : gunzip)(bytes)),
  };
}

/** All files to serve, by path: the contract unchanged and as JSON, the page, and what it consists of. */
function readFiles(contract: Contract, prefix: string, ownPrefix: string | undefined): ReadonlyMap<string, DocsFile> {
  const { source, document } = contract;
  const files = new Map([
    [`${prefix}/openapi.yaml`, createFile('application/yaml', source)],
    [`${prefix}/openapi.json`, createFile('application/json', toExactJson(parsePart(String(source), 'openapi.yaml')))],
  ]);
  // The compiled code in dist/ reads the files in src/, too.
  const read = (name: string): Buffer => readFileSync(join(__dirname, '../../src/docs/page', name));
  const parts = [
    ['page.css', 'text/css; charset=utf-8', read('page.css')],
    ['page.js', 'text/javascript; charset=utf-8', read('page.js')],
    ['scalar.js', 'text/javascript; charset=utf-8', read('scalar.js.gz')],
    ['contract.json', 'application/json', toExactJson(toPageContract(contract, ownPrefix))],
  ] as const;
  // YAML may have taken the title for a number.
  const title: unknown = document.info.title;
  const escaped = String(title).replace(/[&<>"']/g, (sign) => `&#${String(sign.charCodeAt(0))};`);
  let html = String(read('index.html')).replace('{title}', () => escaped);
  for (const [name, type, content] of parts) {
    const part = createFile(type, content, 'public, max-age=31536000, immutable', name === 'scalar.js');
    // With its digest in the path, it can be cached for ever. The path is relative, since a proxy may change the absolute one.
    const path = `docs/${part.sha256.slice(0, 16)}/${name}`;
    files.set(`${prefix}/${path}`, part);
    html = html.replace(`"${name}"`, `"${path}"`);
  }
  files.set(`${prefix}/docs`, createFile('text/html; charset=utf-8', html));
  return files.set(`${prefix}/docs/`, createFile('text/html; charset=utf-8', html.replaceAll('"docs/', '"../docs/')));
}

const SECURITY_HEADERS = {
  'Content-Security-Policy':
    // Scalar makes its style sheets by script, and shows a picture from the bytes of its response.
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data: blob:; connect-src 'self'; " +
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'Referrer-Policy': 'no-referrer',
};

/** Answers GET or HEAD with a file, or with 304 if the client has it. */
async function sendFile(req: Request, res: Response, file: DocsFile): Promise<void> {
  const acceptsGzip = req.acceptsEncodings('gzip') !== false;
  const headers = { ...SECURITY_HEADERS, 'Cache-Control': file.cacheControl, Vary: 'Accept-Encoding' };
  // `fresh` compares it with If-None-Match (RFC 9110 section 13.1.2).
  res.setHeader('ETag', acceptsGzip ? `"${file.sha256}-gzip"` : `"${file.sha256}"`);
  if (req.fresh) {
    writeContent(res, 304, Buffer.alloc(0), headers);
    return;
  }
  const bytes = await file.read(acceptsGzip);
  writeContent(res, 200, bytes, {
    ...headers,
    'Content-Type': file.mediaType,
    'Content-Length': String(bytes.length),
    ...(acceptsGzip && { 'Content-Encoding': 'gzip' }),
  });
}

// The last one is a sample of what the page consists of, whose paths have a digest.
const FILE_PATHS = ['/docs', '/docs/', '/openapi.yaml', '/openapi.json', '/docs/0000000000000000/page.css'];

/** Whether there is a documentation page, of which no operation has a path. */
export function hasDocsPage(options: DocsOptions): boolean {
  const { contract, prefix = contract.serverPath } = options;
  const paths = FILE_PATHS.map((path) => prefix + path);
  return !isTaken(options, paths);
}

/** Whether an operation, whatever its method, has one of the paths. */
function isTaken({ contract, prefix }: DocsOptions, paths: readonly string[]): boolean {
  const entries = contract.operations.map((operation) => [operation, operation] as const);
  const findRoute = createRoutes(entries, prefix);
  return paths.some((path) => findRoute(path, 'GET').route.size > 0);
}
