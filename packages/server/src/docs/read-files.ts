// Reads the files of the documentation page.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseExactYaml } from '../contract/document/parse-exact-yaml';
import { toExactJson } from '../contract/json/exact-json';
import { createFile, type File } from './file';

// In src/, also for the compiled code in dist/.
const PAGE = resolve(__dirname, '..', '..', 'src', 'docs', 'page');
const ASSETS = ['swagger-ui.css', 'page.css', 'swagger-ui-bundle.js', 'initializer.js'];
const FOREVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };
// RFC 8631. Relative, since a proxy may change the path. Replies of operations have only headers that the contract
// declares, so not this one.
const DESCRIBED = { Link: '<openapi.yaml>; rel="service-desc"; type="application/yaml"' };

/**
 * Reads all files to serve, by path: the contract unchanged and as JSON, and the page with its parts.
 *
 * @param contract the bytes of the contract
 * @param prefix the path of the base URL, without a slash at the end
 */
export function readFiles(contract: Buffer, prefix: string): ReadonlyMap<string, File> {
  const files = new Map([
    [`${prefix}/openapi.yaml`, createFile('openapi.yaml', contract)],
    [`${prefix}/openapi.json`, createFile('openapi.json', toContractJson(contract))],
  ]);
  let page = readFileSync(join(PAGE, 'index.html'), 'utf8');
  for (const name of ASSETS) {
    const asset = createFile(name, readAsset(name), FOREVER);
    const path = `docs/${asset.sha256.slice(0, 16)}/${name}`;
    page = page.replace(`"${name}"`, `"${path}"`);
    files.set(`${prefix}/${path}`, asset);
  }
  return files.set(`${prefix}/docs`, createFile('index.html', Buffer.from(page), DESCRIBED));
}

function readAsset(name: string): Buffer {
  return readFileSync(name.startsWith('swagger-ui') ? require.resolve(`swagger-ui-dist/${name}`) : join(PAGE, name));
}

// An integer that a double cannot hold keeps its digits.
function toContractJson(yaml: Buffer): Buffer {
  return Buffer.from(toExactJson(parseExactYaml(yaml.toString('utf8'))));
}
