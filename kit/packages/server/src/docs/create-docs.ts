// Serves the documentation page and the contract.
import type { RequestHandler, Request, Response } from 'express';
import { parsePart, toExactJson, type Contract, type Document, type Operation } from '@contract-kit/contract';
import { beginRequest } from '../http/connections';
import { toMethodRefusal } from '../errors/refusal';
import { ensureReport, requestIdOf } from '../http/report';
import { toReports, type Reports } from '../http/request-log';
import { renderSafely } from '../errors/render';
import { toPath, createRoutes } from '../pipeline/routes';
import { writeRefusal, writeContent } from '../http/write';
import { createRenderer, type RefusalOptions } from '../errors/create-renderer';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What the documentation needs. */
export interface DocsOptions extends Reports, RefusalOptions {
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
  const { contract, prefix = contract.serverPath, render = createRenderer({ contract }) } = options;
  const { report } = toReports(options);
  const taken = findTaken(options);
  const files = taken.file ? new Map<string, DocsFile>() : readFiles(options);
  const redirectedPaths = (taken.file ?? taken.root) ? [] : toRootPaths(prefix);

  return async function serveDocs(req, res, next) {
    const path = toPath(req.url);
    const file = files.get(path);
    const isReadMethod = READ_METHODS.includes(req.method);
    const isRedirected = isReadMethod && redirectedPaths.includes(path) && prefersHtml(req);
    if (!file && !isRedirected) {
      next();
      return;
    }
    if (!beginRequest(res)) return;
    const pendingReport = ensureReport(res, report);
    const outcome = { path: path.slice(prefix.length) || '/' };
    if (isReadMethod) {
      if (file) await sendFile(req, res, file);
      else redirectToDocs(req, res, path === '/' ? prefix : '');
      pendingReport.settle(outcome);
      return;
    }
    // The request for a file has another method than GET and HEAD.
    const ready = renderSafely(toMethodRefusal(READ_METHODS), render, requestIdOf(req));
    writeRefusal(res, ready, { Allow: READ_METHODS.join(', ') });
    pendingReport.settle({ ...outcome, refusal: ready.refusal, status: ready.status });
  };
}

const READ_METHODS: readonly string[] = ['GET', 'HEAD'];
const EMPTY_BODY = Buffer.alloc(0);

/** Whether a client prefers HTML to JSON, as browsers do; one that accepts anything does not. */
function prefersHtml(req: Request): boolean {
  return req.accepts(['json', 'html']) === 'html';
}

/** Redirects to the page: from `/v1/` to `./docs`, from `/v1` to `./v1/docs`, and from `/` to `./v1/docs` by the prefix. */
function redirectToDocs(req: Request, res: Response, prefix: string): void {
  // Relative, since a proxy may change the path; the dot, since a segment may have a colon.
  const path = toPath(req.originalUrl);
  const lastSegment = path.slice(path.lastIndexOf('/') + 1);
  const location = `.${lastSegment === '' ? '' : `/${lastSegment}`}${prefix}/docs`;
  writeContent(res, 302, EMPTY_BODY, { Location: location, Vary: 'Accept', 'Content-Length': '0' });
}

/**
 * Fills in names in braces, such as `{title}`. `base` is the relative path from the page to the folder of `/openapi.yaml`;
 * `servers` is for the script of the page.
 */
function renderPage(template: string, document: Document, base: string, servers: unknown): string {
  const placeholders: Readonly<Record<string, string>> = {
    title: escapeHtml(document.info.title),
    version: escapeHtml(document.info.version),
    base,
    servers: escapeHtml(JSON.stringify(servers)),
  };
  return template.replace(/\{(\w+)\}/g, (_, name: string) => String(placeholders[name]));
}

/** Makes text of a value that YAML may have taken for a number. */
function escapeHtml(text: unknown): string {
  return String(text).replace(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);
}

/** A file to serve unchanged. */
interface DocsFile {
  /** The digest of the bytes, in hexadecimal. */
  readonly sha256: string;
  readonly mediaType: string;
  readonly cacheControl: string;
  readonly bytes: Buffer;
  /** The bytes in the coding gzip, compressed at the first call. */
  readonly gzipped: () => Promise<Buffer>;
}

const compress = promisify(gzip);
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  // RFC 9512
  yaml: 'application/yaml',
};

/** The extension of `name` determines the media type. By default, caches revalidate the file each time. */
function createFile(name: string, bytes: Buffer, cacheControl = 'no-cache'): DocsFile {
  let compressed: Promise<Buffer> | undefined;
  return {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    mediaType: String(MEDIA_TYPES[name.slice(name.lastIndexOf('.') + 1)]),
    cacheControl,
    bytes,
    gzipped: () => (compressed ??= compress(bytes)),
  };
}

// The compiled code in dist/ reads the files in src/, too.
const PAGE_FOLDER = resolve(__dirname, '..', '..', 'src', 'docs', 'page');
// The names of style sheets and scripts in index.html, between quotes.
const ASSET_NAMES = /(?<=")[\w-]+\.(?:css|js)(?=")/g;
const CACHED_FOREVER = 'public, max-age=31536000, immutable';
// The paths of the page, each with the relative path from there to the other files: a proxy may change the absolute one.
const PAGE_PATHS = [
  ['/docs', ''],
  ['/docs/', '../'],
] as const;

/** All files to serve, by path: the contract unchanged and as JSON, the page, and its style sheets and scripts. */
function readFiles(options: DocsOptions): ReadonlyMap<string, DocsFile> {
  const { source, serverPath } = options.contract;
  const { prefix = serverPath } = options;
  // An integer that a double cannot hold keeps its digits.
  const document = parsePart(source.toString('utf8'), 'openapi.yaml') as Document;
  const files = new Map([
    [`${prefix}/openapi.yaml`, createFile('openapi.yaml', source)],
    [`${prefix}/openapi.json`, createFile('openapi.json', Buffer.from(toExactJson(document)))],
  ]);
  // A style sheet or script has its digest in its path, so that it can be cached for ever. renderPage fills in `{base}`.
  const template = readFileSync(join(PAGE_FOLDER, 'index.html'), 'utf8').replace(ASSET_NAMES, (name) => {
    const asset = createFile(name, readAsset(name), CACHED_FOREVER);
    const path = `docs/${asset.sha256.slice(0, 16)}/${name}`;
    files.set(`${prefix}/${path}`, asset);
    return `{base}${path}`;
  });
  const servers = listOtherServers(options);
  for (const [path, base] of PAGE_PATHS) {
    const page = renderPage(template, document, base, servers);
    files.set(`${prefix}${path}`, createFile('index.html', Buffer.from(page)));
  }
  return files;
}

/** The operations that are not below the prefix, each with the relative path from there to its server. */
function listOtherServers({ contract: { operations, serverPath }, prefix }: DocsOptions): string[][] {
  if (prefix !== undefined) return [];
  // The dot, since a segment may have a colon.
  const toHost = `./${'../'.repeat(serverPath.split('/').length - 1)}`;
  return operations
    .filter((operation) => operation.serverPath !== serverPath)
    .map((operation) => [operation.path, operation.method, toHost + operation.serverPath.slice(1)]);
}

// The style sheet and the script of Swagger UI are in its package, all others beside index.html.
function readAsset(name: string): Buffer {
  return readFileSync(
    name.startsWith('swagger-ui') ? require.resolve(`swagger-ui-dist/${name}`) : join(PAGE_FOLDER, name),
  );
}

const SECURITY_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // The style sheet of Swagger UI embeds its icons.
    'img-src data:',
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
};

/** Answers GET or HEAD with a file, or with 304 if the client has it. */
async function sendFile(req: Request, res: Response, file: DocsFile): Promise<void> {
  const acceptsGzip = req.acceptsEncodings('gzip') !== false;
  const headers = { ...SECURITY_HEADERS, 'Cache-Control': file.cacheControl, Vary: 'Accept-Encoding' };
  // `fresh` compares it with If-None-Match (RFC 9110 section 13.1.2).
  res.setHeader('ETag', acceptsGzip ? `"${file.sha256}-gzip"` : `"${file.sha256}"`);
  if (req.fresh) {
    writeContent(res, 304, EMPTY_BODY, headers);
    return;
  }
  const bytes = acceptsGzip ? await file.gzipped() : file.bytes;
  writeContent(res, 200, bytes, {
    ...headers,
    'Content-Type': file.mediaType,
    'Content-Length': String(bytes.length),
    ...(acceptsGzip && { 'Content-Encoding': 'gzip' }),
  });
}

// The last one is a sample of the scripts and style sheets, whose paths have a digest.
const FILE_PATHS = ['/docs', '/docs/', '/openapi.yaml', '/openapi.json', '/docs/0000000000000000/page.css'];

interface Taken {
  readonly file: Operation | undefined;
  readonly root: Operation | undefined;
}

/** Finds the operations that have a path of a file or a root, whatever their method. */
function findTaken(options: DocsOptions): Taken {
  const { operations, serverPath } = options.contract;
  const { prefix = serverPath } = options;
  const findRoute = createRoutes(
    operations.map((operation) => [operation, operation] as const),
    options.prefix,
  );
  const findOperation = (paths: readonly string[]): Operation | undefined =>
    paths.flatMap((path) => [...findRoute(path, 'GET').route.values()])[0];
  return {
    file: findOperation(FILE_PATHS.map((path) => prefix + path)),
    root: findOperation(toRootPaths(prefix)),
  };
}

/** The paths that lead to the page. */
function toRootPaths(prefix: string): string[] {
  return ['/', prefix, `${prefix}/`];
}

/** Whether there is a documentation page, of which no operation has a path. */
export function hasDocsPage(options: DocsOptions): boolean {
  return findTaken(options).file === undefined;
}
