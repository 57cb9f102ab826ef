// Writes the bill of materials.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

interface Sbom {
  readonly metadata: { readonly component: { name: string } };
  components: { readonly 'bom-ref': string; name: string }[];
  dependencies: { readonly ref: string; dependsOn: string[] }[];
}

interface Lock {
  readonly name: string;
  readonly version: string;
  readonly packages: Readonly<Record<string, Entry>>;
}

interface Entry {
  readonly name?: string;
  readonly version: string;
  /** Of a package of this repository: its folder is `resolved`. */
  readonly link?: true;
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const FILE = 'reports/sbom.json';

// As in the Dockerfile: beside the tools, npm counts what they need, too.
const RUNTIME = ['package.json', 'package-lock.json', 'packages/server/package.json', 'packages/store/package.json'];
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sbom-')));
for (const file of RUNTIME) cpSync(file, join(folder, file), { recursive: true });

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
const sbom = JSON.parse(runNpm('sbom', '--sbom-format', 'cyclonedx')) as Sbom;

// `npm sbom --omit dev` leaves out what a development dependency needs too, pg among them (npm/cli#7909); `npm ls` does not.
const paths = runNpm('ls', '--all', '--parseable', '--omit=dev').trim().split('\n').slice(1);
// A package that is installed under another name says its own.
const runtime = new Set([`${lock.name}@${lock.version}`]);
for (const path of paths) {
  const place = relative(folder, path).replaceAll('\\', '/');
  const found = lock.packages[place];
  const entry = found?.link ? lock.packages[String(found.resolved)] : found;
  if (!entry) throw new Error(`package-lock.json does not have ${place}`);
  runtime.add(`${entry.name ?? String(place.split('node_modules/').at(-1))}@${entry.version}`);
}
sbom.components = sbom.components.filter((component) => runtime.has(component['bom-ref']));
sbom.dependencies = sbom.dependencies.filter(({ ref }) => runtime.has(ref));
for (const dependency of sbom.dependencies) {
  dependency.dependsOn = dependency.dependsOn.filter((ref) => runtime.has(ref));
}
// npm has the names of the folders here.
for (const component of sbom.components) component.name = component['bom-ref'].replace(/@[^@]*$/, '');
sbom.metadata.component.name = lock.name;

rmSync(folder, { recursive: true });
mkdirSync('reports', { recursive: true });
writeFileSync(FILE, `${JSON.stringify(sbom, null, 2)}\n`);
console.log(`${FILE} names ${String(sbom.components.length)} packages that the service runs with`);

function runNpm(...args: readonly string[]): string {
  return execFileSync('npm', [...args, '--package-lock-only'], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: Infinity,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
