import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';

interface Sbom {
  readonly metadata: { readonly component: { name: string } };
  components: { readonly 'bom-ref': string }[];
  dependencies: { readonly ref: string; dependsOn: string[] }[];
}

interface Lock {
  readonly name: string;
  readonly version: string;
  readonly packages: Readonly<
    Record<string, { readonly name?: string; readonly version: string; readonly dev?: true }>
  >;
}

const FILE = 'reports/sbom.json';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
const text = execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], {
  encoding: 'utf8',
  maxBuffer: Infinity,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const sbom = JSON.parse(text) as Sbom;

// Its --omit dev leaves out what a development dependency needs too, pg among them (npm/cli#7909).
// A package that is installed under another name says its own.
const runtime = new Set([`${lock.name}@${lock.version}`]);
for (const [path, { name, version, dev }] of Object.entries(lock.packages)) {
  if (path !== '' && dev !== true) runtime.add(`${name ?? String(path.split('node_modules/').at(-1))}@${version}`);
}
sbom.components = sbom.components.filter((component) => runtime.has(component['bom-ref']));
sbom.dependencies = sbom.dependencies.filter(({ ref }) => runtime.has(ref));
for (const dependency of sbom.dependencies) {
  dependency.dependsOn = dependency.dependsOn.filter((ref) => runtime.has(ref));
}
// npm has the name of the folder here.
sbom.metadata.component.name = lock.name;

mkdirSync('reports', { recursive: true });
writeFileSync(FILE, `${JSON.stringify(sbom, null, 2)}\n`);
console.log(`${FILE} names ${String(sbom.components.length)} packages that the service runs with`);
