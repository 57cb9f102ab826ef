import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { writeInside } from '../write/write-inside';

/** Thrown if a project cannot be created. */
export class ProjectError extends Error {
  readonly code = 'PROJECT_NOT_CREATED';
}

export const KIT_REPOSITORY = resolve(__dirname, '..', '..', '..', '..');

export function readKitFile(file: string): string {
  return readFileSync(join(KIT_REPOSITORY, file), 'utf8');
}

// The packages of the kit, each after its dependencies.
const PACKAGES = ['contract', 'server', 'store', 'conformance', 'tools'] as const;

export interface PackedPackage {
  readonly name: string;
  /** The tarball's name, with the version and, unless it is a release, a digest of the content. */
  readonly tarball: string;
  /** The value for package.json: the tarball in vendor/, or the version of a release. */
  readonly specifier: string;
  readonly bytes: Buffer;
  readonly peers: Readonly<Record<string, string>>;
  /** The changelog, with the package's name as its heading. */
  readonly changes: string;
}

/** The kit, as projects install it. */
export interface Kit {
  readonly packages: readonly PackedPackage[];
  readonly changelog: string;
  /** The node_modules folder with these packages and their dependencies. */
  readonly modules: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
  readonly exports: Readonly<Record<string, unknown>>;
}

/** What only a registry needs to know about a package. */
export interface Release {
  /** The URL, such as `https://github.com/OWNER/NAME`. It must match the provenance of the release. */
  readonly repository: string | undefined;
}

/**
 * Builds this repository's packages and packs each into a tarball. Its version includes a digest of the files, since npm would
 * otherwise use another tarball with the same version from its cache.
 *
 * @param release given if the tarballs go to a registry, in which case their versions have no digest
 * @throws ProjectError if the repository has no packages, or they cannot be built
 * @example await createProject({ contract: 'library.yaml', folder: '../library', name: undefined }, () => packKit())
 */
export function packKit(root: string = KIT_REPOSITORY, release?: Release): Kit {
  const folders = PACKAGES.map((name) => join(root, 'packages', name));
  if (!folders.every((folder) => existsSync(folder))) {
    throw new ProjectError('this is not the repository of the kit, and projects can be created only there');
  }
  const folder = mkdtempSync(join(tmpdir(), 'kit-'));
  try {
    // The packages depend on each other, so build them all before packing the first.
    for (const source of folders) runNpm(source, ['run', 'prepack']);
    const packages = folders.map((source) => packPackage(source, folder, release));
    const changelog = packages.map(({ changes }) => changes).join('\n');
    // If the kit is in an application's folder, the application may have installed the packages.
    const modules = [root, dirname(root)]
      .map((place) => join(place, 'node_modules'))
      .find((place) => existsSync(place));
    return { packages, changelog, modules: modules ?? '' };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// Packs a copy of a package, whose package.json is changed for projects. The copy and the tarball go to the folder `target`.
function packPackage(source: string, target: string, release: Release | undefined): PackedPackage {
  const manifest = readManifest(source);
  const folder = mkdtempSync(join(target, 'package-'));
  // A name in `files` that begins with ! is excluded.
  for (const file of [...manifest.files.filter((name) => !name.startsWith('!')), 'README.md', 'LICENSE']) {
    cpSync(join(source, file), join(folder, file), {
      recursive: true,
      filter: (path) => !/\.(?:tsbuildinfo|map)$/.test(path),
    });
  }
  const { name, version, peerDependencies: peers = {}, peerDependenciesMeta: peersMeta = {} } = manifest;
  const packedManifest = {
    ...manifest,
    ...(release ? describeRelease(source, manifest, release) : { version: `${version}-${digestOf(manifest, folder)}` }),
    exports: withoutSources(manifest.exports),
    // In this repository, Node detects the module type of each source file, but dist/ is CommonJS.
    type: 'commonjs',
    scripts: undefined,
    devDependencies: undefined,
    // License checkers assume that a private package has no license.
    private: undefined,
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(packedManifest, null, 2));
  const [{ filename } = { filename: '' }] = JSON.parse(
    runNpm(folder, ['pack', '--json', '--ignore-scripts', '--pack-destination', target]),
  ) as { filename: string }[];
  const requiredPeers = Object.entries(peers).filter(([peer]) => peersMeta[peer]?.optional !== true);
  return {
    name,
    tarball: filename,
    specifier: release ? version : `file:vendor/${filename}`,
    bytes: readFileSync(join(target, filename)),
    peers: Object.fromEntries(requiredPeers),
    changes: readFileSync(join(source, 'CHANGELOG.md'), 'utf8').replace(/^# Changelog$/m, `# ${name}`),
  };
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

// Returns the fields that are different in a release. The range `*` is only for peers from the kit.
function describeRelease(source: string, manifest: Manifest, { repository }: Release): object {
  const { version, peerDependencies: peers = {}, peerDependenciesMeta: peersMeta = {} } = manifest;
  const toRange = (peer: string): string => `^${readManifest(join(source, '..', basename(peer))).version}`;
  return {
    version,
    repository: repository && { type: 'git', url: `git+${repository}.git`, directory: `packages/${basename(source)}` },
    peerDependencies: Object.fromEntries(
      Object.entries(peers).map(([peer, range]) => [peer, range === '*' ? toRange(peer) : range]),
    ),
    peerDependenciesMeta: Object.fromEntries(Object.entries(peersMeta).filter(([peer]) => peers[peer] !== '*')),
  };
}

function digestOf(manifest: Manifest, folder: string): string {
  const hash = createHash('sha256').update(JSON.stringify(manifest));
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of entries.map(({ parentPath, name }) => join(parentPath, name)).sort()) {
    hash.update(JSON.stringify(relative(folder, path))).update(readFileSync(path));
  }
  // Digits alone could begin with 0, which semantic versions do not allow.
  return `kit${hash.digest('hex').slice(0, 12)}`;
}

// Removes the condition `source`, whose files exist only in this repository.
function withoutSources(exports: Manifest['exports']): unknown {
  return JSON.parse(JSON.stringify(exports, (key, value: unknown) => (key === 'source' ? undefined : value)));
}

interface Lock {
  packages: Record<string, unknown>;
}

/**
 * Writes a new project's package-lock.json without installing anything. Third-party packages have the versions that the kit is
 * tested with. The kit's packages come from vendor/.
 */
export function lockProject(root: string): void {
  const lock = JSON.parse(readKitFile('package-lock.json')) as Lock;
  // Leave out the kit's own packages, which are in packages/ here.
  const dependencies = Object.entries(lock.packages).filter(([path]) => !/@contract-kit\/|^packages\//.test(path));
  writeInside(root, 'package-lock.json', JSON.stringify({ ...lock, packages: Object.fromEntries(dependencies) }));
  // With an empty cache, no entries from other projects get into the file.
  const cache = mkdtempSync(join(tmpdir(), 'cache-'));
  try {
    // The lock file must not contain URLs of this machine's registry.
    const options = '--package-lock-only --ignore-scripts --omit-lockfile-registry-resolved --no-audit --no-fund';
    runNpm(root, ['install', ...options.split(' '), '--cache', cache]);
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

/** Returns npm's standard output. @throws ProjectError with the output if npm fails */
export function runNpm(cwd: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync('npm', args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: Infinity,
    // On Windows, npm is a script that needs a shell.
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    throw new ProjectError(`npm ${args.join(' ')} failed in ${cwd}:\n${error?.message ?? stdout + stderr}`, {
      cause: error,
    });
  }
  return stdout;
}
