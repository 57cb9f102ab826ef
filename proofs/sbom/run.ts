// Makes a bill of materials, in the JSON of CycloneDX; as a command, that of the service.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly [key: string]: unknown;
}

interface Sbom {
  readonly specVersion: string;
  readonly metadata: { readonly component: { name: string; hashes?: readonly { alg: string; content: string }[] } };
  readonly components: readonly { readonly 'bom-ref': string; name: string }[];
}

/**
 * Lists what a package needs, in the versions of this repository's package-lock.json.
 *
 * @param manifest its package.json
 * @param files those of packages that `manifest` names by their folders
 */
export function makeSbom(manifest: Manifest, files: readonly string[] = []): Sbom {
  const folder = mkdtempSync(join(tmpdir(), 'sbom-'));
  try {
    for (const file of ['package-lock.json', ...files]) cpSync(file, join(folder, file));
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    runNpm(folder, 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund');
    const sbom = JSON.parse(runNpm(folder, 'sbom', '--sbom-format', 'cyclonedx')) as Sbom;
    // npm has the names of the folders here.
    for (const component of sbom.components) component.name = component['bom-ref'].replace(/@[^@]*$/, '');
    sbom.metadata.component.name = manifest.name;
    return sbom;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function runNpm(cwd: string, ...args: readonly string[]): string {
  return execFileSync('npm', [...args, '--package-lock-only'], {
    cwd,
    encoding: 'utf8',
    maxBuffer: Infinity,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

const FILE = 'reports/sbom.json';
// As in the Dockerfile: beside the tools, npm counts what they need, too.
const RUNTIME = ['contract', 'server', 'store'].map((name) => `packages/${name}/package.json`);

if (require.main === module) {
  // `npm sbom --omit dev` leaves out what a development dependency needs too (npm/cli#7909), so there are none here.
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string };
  const sbom = makeSbom({ ...manifest, devDependencies: undefined }, RUNTIME);
  mkdirSync('reports', { recursive: true });
  writeFileSync(FILE, `${JSON.stringify(sbom, null, 2)}\n`);
  console.log(`${FILE} lists the ${String(sbom.components.length)} packages that the service uses at run time`);
}
