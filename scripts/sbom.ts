// Writes the bill of materials.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Sbom {
  readonly metadata: { readonly component: { name: string } };
  readonly components: { readonly 'bom-ref': string; name: string }[];
}

const FILE = 'reports/sbom.json';

// As in the Dockerfile: beside the tools, npm counts what they need, too.
const RUNTIME = ['package.json', 'package-lock.json', 'packages/server/package.json', 'packages/store/package.json'];
const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
for (const file of RUNTIME) cpSync(file, join(folder, file), { recursive: true });

// `npm sbom --omit dev` leaves out what a development dependency needs too (npm/cli#7909), so there are none here.
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string };
writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, devDependencies: undefined }));
runNpm('install', '--offline', '--no-audit', '--no-fund');
const sbom = JSON.parse(runNpm('sbom', '--sbom-format', 'cyclonedx')) as Sbom;
// npm has the names of the folders here.
for (const component of sbom.components) component.name = component['bom-ref'].replace(/@[^@]*$/, '');
sbom.metadata.component.name = manifest.name;

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
