// Serves the documentation page and the contract.
import type { RequestHandler, Request, Response } from 'express';
import { parsePart, toExactJson, type Contract, type Document, type Operation } from '@contract-kit/contract';
import { beginRequest } from '../http/connections';
import { toMethodRefusal } from '../errors/refusal';
import { ensureReport, requestIdOf, setCommonHeaders } from '../http/report';
import { toReports, type Reports } from '../http/request-log';
import { renderSafely } from '../errors/render';
import { toPath, createRoutes } from '../pipeline/routes';
import { writeRefusal } from '../http/write';
import { createRenderer, type RefusalOptions } from '../errors/create-renderer';
import { readFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';

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

  return function serveDocs(req, res, next) {
    const path = toPath(req.url);
    const file = files.get(path);
    const isReadMethod = READ_METHODS.includes(req.method);
    const isRedirected = isReadMethod && redirectedPaths.includes(path) && prefersHtml(req);
    if (!file && !isRedirected) {
      next();
      return;
    }
    // Middleware may have answered, and called next() all the same.
    if (!beginRequest(res) || res.headersSent) return;
    const pendingReport = ensureReport(res, report);
    const outcome = { path: path.slice(prefix.length) || '/' };
    if (isReadMethod) {
      setCommonHeaders(req, res);
      // Express adds the ETag, and answers 304 to a client that has the file.
      if (file) res.set(HEADERS).type(file.mediaType).send(file.bytes);
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
  res.status(302).vary('Accept').set('Location', location).end();
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
  /** A media type, or an extension. */
  readonly mediaType: string;
  readonly bytes: Buffer;
}

// The compiled code in dist/ reads the files in src/, too.
const PAGE_FOLDER = resolve(__dirname, '..', '..', 'src', 'docs', 'page');
// The names of style sheets and scripts in index.html, between quotes.
const ASSET_NAMES = /(?<=")[\w-]+\.(?:css|js)(?=")/g;
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
    // RFC 9512
    [`${prefix}/openapi.yaml`, { mediaType: 'application/yaml', bytes: source }],
    [`${prefix}/openapi.json`, { mediaType: 'application/json', bytes: Buffer.from(toExactJson(document)) }],
  ]);
  // renderPage fills in `{base}`.
  const template = readFileSync(join(PAGE_FOLDER, 'index.html'), 'utf8').replace(ASSET_NAMES, (name) => {
    files.set(`${prefix}/docs/page/${name}`, { mediaType: extname(name), bytes: readAsset(name) });
    return `{base}docs/page/${name}`;
  });
  const servers = listOtherServers(options);
  for (const [path, base] of PAGE_PATHS) {
    const bytes = Buffer.from(renderPage(template, document, base, servers));
    files.set(`${prefix}${path}`, { mediaType: 'html', bytes });
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

const HEADERS = {
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
  'Cache-Control': 'no-cache',
};

// The last one stands for the scripts and style sheets.
const FILE_PATHS = ['/docs', '/docs/', '/openapi.yaml', '/openapi.json', '/docs/page/page.css'];

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
