// Reads the files of the documentation page.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseExactYaml } from '../contract/document/parse-yaml';
import type { Document } from '../contract/document/document';
import type { Headers } from '../contract/http/write';
import { toExactJson } from '../contract/json/exact-json';
import { createFile, type File } from './file';
import { renderPage } from './render-page';

// The compiled code in dist/ reads the files in src/, too.
const PAGE_FOLDER = resolve(__dirname, '..', '..', 'src', 'docs', 'page');
// The names of style sheets and scripts in index.html, between quotes.
const ASSET_NAMES = /(?<=")[\w-]+\.(?:css|js)(?=")/g;
const CACHED_FOREVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };
// The paths of the page, each with the relative path from there to the other files: a proxy may change the absolute one.
const PAGE_PATHS = [
  ['/docs', ''],
  ['/docs/', '../'],
] as const;

/** All files to serve, by path: the contract unchanged and as JSON, the page, and its style sheets and scripts. */
export function readFiles(contract: Buffer, prefix: string): ReadonlyMap<string, File> {
  // An integer that a double cannot hold keeps its digits.
  const document = parseExactYaml(contract.toString('utf8')) as Document;
  const files = new Map([
    [`${prefix}/openapi.yaml`, createFile('openapi.yaml', contract)],
    [`${prefix}/openapi.json`, createFile('openapi.json', Buffer.from(toExactJson(document)))],
  ]);
  // A style sheet or script has its digest in its path, so that it can be cached for ever. renderPage fills in `{base}`.
  const template = readFileSync(join(PAGE_FOLDER, 'index.html'), 'utf8').replace(ASSET_NAMES, (name) => {
    const asset = createFile(name, readAsset(name), CACHED_FOREVER);
    const path = `docs/${asset.sha256.slice(0, 16)}/${name}`;
    files.set(`${prefix}/${path}`, asset);
    return `{base}${path}`;
  });
  for (const [path, base] of PAGE_PATHS) {
    const page = renderPage(template, document, base);
    files.set(`${prefix}${path}`, createFile('index.html', Buffer.from(page), linkToContract(base)));
  }
  return files;
}

// The style sheet and the script of Swagger UI are in its package, all others beside index.html.
function readAsset(name: string): Buffer {
  return readFileSync(
    name.startsWith('swagger-ui') ? require.resolve(`swagger-ui-dist/${name}`) : join(PAGE_FOLDER, name),
  );
}

// RFC 8631. Replies of operations have only headers that the contract declares, so not this one.
function linkToContract(base: string): Headers {
  return { Link: `<${base}openapi.yaml>; rel="service-desc"; type="application/yaml"` };
}
