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

export interface DocsOptions extends Reports {
  readonly contract: Contract;
  /** The path of the base URL, without a trailing slash. The default is the path of the contract's first server. */
  readonly prefix?: string | undefined;
}

/**
 * Serves the contract as a page at `/docs`, unchanged at `/openapi.yaml`, and as JSON at `/openapi.json`. It redirects browsers
 * to the page from `/`, both below the prefix and at the host's root. Operations take precedence. If one has the path of a file,
 * no file is served, and if one has the path `/`, nothing is redirected.
 *
 * @example app.use(createDocs(options))
 */
export function createDocs(options: DocsOptions): RequestHandler {
  const { contract, prefix = contract.serverPath } = options;
  const { report } = toReports(options);
  const files = hasDocsPage(options) ? readFiles(contract, prefix, options.prefix) : new Map<string, DocsFile>();
  const rootPaths = ['/', prefix, `${prefix}/`];
  const redirectedPaths = files.size === 0 || isTaken(options, rootPaths) ? [] : rootPaths;

  return async function serveDocs(req, res, next) {
    const path = toPath(req.url);
    const file = files.get(path);
    // Browsers prefer HTML to JSON, but clients that accept anything do not.
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

/** Redirects to the page. `/v1/` leads to `./docs`, `/v1` to `./v1/docs`, and `/` with the prefix `/v1` to `./v1/docs`. */
function redirectToDocs(req: Request, res: Response, prefix: string): void {
  // The location is relative, because a proxy can change the path. Without the dot, a segment with a colon would look absolute.
  const path = toPath(req.originalUrl);
  const lastSegment = path.slice(path.lastIndexOf('/') + 1);
  const location = `.${lastSegment === '' ? '' : `/${lastSegment}`}${prefix}/docs`;
  writeContent(res, 302, Buffer.alloc(0), { Location: location, Vary: 'Accept', 'Content-Length': '0' });
}

type DocsFile = ReturnType<typeof createFile>;

/** Creates a file to serve. By default, caches revalidate it each time. */
function createFile(mediaType: string, content: Buffer | string, cacheControl = 'no-cache', isGzipped = false) {
  const bytes = Buffer.from(content);
  let recodedBytes: Promise<Buffer> | undefined;
  return {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    mediaType,
    cacheControl,
    /** Returns the bytes, with or without gzip. The conversion is cached. */
    read: (wantsGzip: boolean) =>
      wantsGzip === isGzipped ? bytes : (recodedBytes ??= promisify(wantsGzip ? gzip : gunzip)(bytes)),
  };
}

/** Returns all files to serve, keyed by path: the contract, the page, and the page's own files. */
function readFiles(contract: Contract, prefix: string, ownPrefix: string | undefined): ReadonlyMap<string, DocsFile> {
  const { source, document } = contract;
  const files = new Map([
    [`${prefix}/openapi.yaml`, createFile('application/yaml', source)],
    [`${prefix}/openapi.json`, createFile('application/json', toExactJson(parsePart(String(source), 'openapi.yaml')))],
  ]);
  // The compiled code in dist/ also reads the files in src/.
  const read = (name: string): Buffer => readFileSync(join(__dirname, '../../src/docs/page', name));
  const pageFiles = [
    ['page.css', 'text/css; charset=utf-8', read('page.css')],
    ['page.js', 'text/javascript; charset=utf-8', read('page.js')],
    ['scalar.js', 'text/javascript; charset=utf-8', read('scalar.js.gz')],
    ['contract.json', 'application/json', toExactJson(toPageContract(contract, ownPrefix))],
  ] as const;
  // YAML can parse an unquoted title as a number.
  const title: unknown = document.info.title;
  const escapedTitle = String(title).replace(/[&<>"']/g, (sign) => `&#${String(sign.charCodeAt(0))};`);
  let html = String(read('index.html')).replace('{title}', () => escapedTitle);
  for (const [name, type, content] of pageFiles) {
    const pageFile = createFile(type, content, 'public, max-age=31536000, immutable', name === 'scalar.js');
    // With a digest in its path, a file can be cached forever. The path is relative, because a proxy can change absolute ones.
    const path = `docs/${pageFile.sha256.slice(0, 16)}/${name}`;
    files.set(`${prefix}/${path}`, pageFile);
    html = html.replace(`"${name}"`, `"${path}"`);
  }
  files.set(`${prefix}/docs`, createFile('text/html; charset=utf-8', html));
  return files.set(`${prefix}/docs/`, createFile('text/html; charset=utf-8', html.replaceAll('"docs/', '"../docs/')));
}

const SECURITY_HEADERS = {
  'Content-Security-Policy':
    // Scalar creates style sheets by script, and shows images from blobs.
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data: blob:; connect-src 'self'; " +
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'Referrer-Policy': 'no-referrer',
};

async function sendFile(req: Request, res: Response, file: DocsFile): Promise<void> {
  const acceptsGzip = req.acceptsEncodings('gzip') !== false;
  const headers = { ...SECURITY_HEADERS, 'Cache-Control': file.cacheControl, Vary: 'Accept-Encoding' };
  // `req.fresh` compares the ETag with If-None-Match (RFC 9110 section 13.1.2).
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

// The last path stands for the page's own files, whose paths contain a digest.
const FILE_PATHS = ['/docs', '/docs/', '/openapi.yaml', '/openapi.json', '/docs/0000000000000000/page.css'];

/** Whether the documentation page is served, that is, whether no operation has one of its paths. */
export function hasDocsPage(options: DocsOptions): boolean {
  const { contract, prefix = contract.serverPath } = options;
  const paths = FILE_PATHS.map((path) => prefix + path);
  return !isTaken(options, paths);
}

function isTaken({ contract, prefix }: DocsOptions, paths: readonly string[]): boolean {
  const entries = contract.operations.map((operation) => [operation, operation] as const);
  const findRoute = createRoutes(entries, prefix);
  return paths.some((path) => findRoute(path, 'GET').route.size > 0);
}
