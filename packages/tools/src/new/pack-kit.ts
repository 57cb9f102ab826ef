// Packs the packages of the kit for a project's `vendor/`.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { runNpm } from './run-npm';
import { NewError } from './options';

/** The repository of the kit. */
export const ROOT = resolve(__dirname, '..', '..', '..', '..');

/** The text of a file of this repository. */
export function readOwn(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

// Also the order of their changelogs.
const PACKAGES = ['server', 'tools', 'conformance', 'store'] as const;

/** A package of the kit as projects install it. */
export interface PackedPackage {
  /** Such as `@contract-kit/server`. */
  readonly name: string;
  /** The name of its tarball, with the version and the digest of what is in it. */
  readonly tarball: string;
  readonly bytes: Buffer;
  readonly peers: Readonly<Record<string, string>>;
  /** Its changelog, below its name. */
  readonly changes: string;
}

/** The kit as projects install it. */
export interface Kit {
  readonly packages: readonly PackedPackage[];
  /** The changelogs of all packages. */
  readonly changelog: string;
  /** The folder node_modules with these packages and all that they need. */
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

/**
 * Builds the packages of this repository and makes a tarball of each.
 *
 * The version of each has a digest of its files: npm takes a tarball of the same version from its cache, even if its
 * bytes are different.
 *
 * @param root the repository
 * @throws NewError when it has no packages, or they cannot be built
 * @example await createProject({ contract: 'library.yaml', folder: '../library', name: undefined }, () => packKit())
 */
export function packKit(root: string = ROOT): Kit {
  const folders = PACKAGES.map((name) => join(root, 'packages', name));
  if (!folders.every((folder) => existsSync(folder))) {
    throw new NewError('projects are made in the repository of the kit, which this is not');
  }
  const folder = mkdtempSync(join(tmpdir(), 'kit-'));
  try {
    for (const from of folders) runNpm(from, ['run', 'prepack']);
    const packages = folders.map((from) => pack(from, folder));
    const changelog = packages.map(({ changes }) => changes).join('\n');
    return { packages, changelog, modules: join(root, 'node_modules') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function pack(from: string, base: string): PackedPackage {
  const manifest = readManifest(join(from, 'package.json'));
  const folder = mkdtempSync(join(base, 'package-'));
  for (const file of [...manifest.files.filter((name) => !name.startsWith('!')), 'README.md', '../../LICENSE']) {
    cpSync(join(from, file), join(folder, file.replaceAll('../', '')), {
      recursive: true,
      // Only this repository has a use for these files.
      filter: (path) => !/\.(?:tsbuildinfo|map)$/.test(path),
    });
  }
  const { name, version, peerDependencies: peers = {}, peerDependenciesMeta: meta = {} } = manifest;
  const own = { ...withoutSources(manifest), version: `${version}-${digestOf(manifest, folder)}`, scripts: undefined };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(own, null, 2));
  const [{ filename } = { filename: '' }] = JSON.parse(
    runNpm(folder, ['pack', '--json', '--ignore-scripts', '--pack-destination', base]),
  ) as { filename: string }[];
  const needed = Object.entries(peers).filter(([peer]) => meta[peer]?.optional !== true);
  return {
    name,
    tarball: filename,
    bytes: readFileSync(join(base, filename)),
    peers: Object.fromEntries(needed),
    changes: readFileSync(join(from, 'CHANGELOG.md'), 'utf8').replace(/^# Changelog$/m, `# ${name}`),
  };
}

/** How a package.json names a package of the kit. */
export function toSpecifier({ tarball }: PackedPackage): string {
  return `file:vendor/${tarball}`;
}

/** @returns 12 hexadecimal digits that change with anything in the package */
function digestOf(manifest: Manifest, folder: string): string {
  const hash = createHash('sha256').update(JSON.stringify(manifest));
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of entries.map(({ parentPath, name }) => join(parentPath, name)).sort()) {
    hash.update(JSON.stringify(relative(folder, path))).update(readFileSync(path));
  }
  // With letters: semantic versions allow no number that begins with 0.
  return `kit${hash.digest('hex').slice(0, 12)}`;
}

// The condition `source` names files that only this repository has.
function withoutSources({ exports, ...rest }: Manifest): object {
  const entries = Object.entries(exports).map(([path, entry]) => {
    if (typeof entry !== 'object' || entry === null) return [path, entry];
    return [path, Object.fromEntries(Object.entries(entry).filter(([condition]) => condition !== 'source'))];
  });
  return { ...rest, exports: Object.fromEntries(entries) as object };
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}
