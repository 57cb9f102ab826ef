// Follows docs/installing.md in an application: it installs the tarballs, locks them, and replaces them.
import { appendFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { runNpm } from '../../tests/support/run-as-others';

const PAGE = 'docs/installing.md';
const SERVER = /contract-kit-server-.*\.tgz$/;

/**
 * @param folder of the application, which does not exist yet
 * @param release the folder with the tarballs
 */
export function tryInstalling(folder: string, release: string): void {
  const vendor = join(folder, 'vendor');
  mkdirSync(vendor, { recursive: true });
  cpSync('tests/fixtures/lending.yaml', join(folder, 'openapi.yaml'));
  writeManifest(folder);
  const tarballs = globSync(`${release}/*.tgz`);
  for (const file of tarballs) cpSync(file, join(vendor, basename(file)));
  installFrom(folder);
  runNpm(folder, GENERATE, 0, 'wrote api.d.ts');
  const digest = readDigest(folder);

  audit(folder);

  const server = join(vendor, basename(String(tarballs.find((file) => SERVER.test(file)))));
  change(folder, server);
  const cache = join(folder, 'empty-cache');
  runNpm(folder, ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--cache', cache], 1, 'EINTEGRITY');
  rmSync(cache, { recursive: true });

  // A newer kit, whose server has kept the name of its tarball.
  installFrom(folder);
  runNpm(folder, GENERATE, 0, 'generated/');
  if (readDigest(folder) === digest) throw new Error('the lock file has the digest of the old tarball');
  const newer = createRequire(join(folder, 'package.json')).resolve('@contract-kit/server');
  if (!readFileSync(newer, 'utf8').endsWith(NEWER)) throw new Error('the old server is still installed');
}

const GENERATE = ['exec', '--no', '--', 'contract-kit', 'generate'];
const NEWER = '\nexports.NEWER = true;\n';

/** Writes the package.json of an application, which has the Node of this repository. */
function writeManifest(folder: string): void {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    devDependencies: Readonly<Record<'node', string>>;
  };
  const manifest = { private: true, devDependencies: { node: devDependencies.node }, allowScripts: { node: true } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
}

/** Runs the commands of the page that install. */
function installFrom(folder: string): void {
  for (const [, args = ''] of readFileSync(PAGE, 'utf8').matchAll(/^npm (install .*)$/gm)) {
    runNpm(folder, [...args.split(' '), '--prefer-offline', '--no-audit', '--no-fund']);
  }
}

function readDigest(folder: string): string | undefined {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { readonly integrity?: string }>>;
  };
  const digest = packages['node_modules/@contract-kit/server']?.integrity;
  if (digest === undefined) throw new Error('the lock file has no digest of the server');
  return digest;
}

/** Some registries, such as mirrors, do not audit. */
function audit(folder: string): void {
  try {
    runNpm(folder, ['audit', '--omit=dev', '--audit-level=none']);
  } catch (error) {
    if (!(error as Error).message.includes('audit endpoint returned an error')) throw error;
    console.log('npm audit was not tried, since the registry has none');
  }
}

/** Replaces the tarball of the server by one with the same name and other content. */
function change(folder: string, tarball: string): void {
  const copy = join(folder, 'copy');
  cpSync(join(folder, 'node_modules/@contract-kit/server'), copy, { recursive: true });
  appendFileSync(join(copy, 'dist/index.js'), NEWER);
  runNpm(copy, ['pack', '--ignore-scripts', '--pack-destination', join(tarball, '..')], 0, basename(tarball));
  rmSync(copy, { recursive: true });
}
