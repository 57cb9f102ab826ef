import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CHECKS } from '../../scripts/checks';
import { findAjvs } from '@contract-kit/test-support/run-as-others';

interface Package {
  readonly integrity?: string;
  readonly resolved?: string;
  /** Of a package of this repository: its folder is used. */
  readonly link?: true;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly hasInstallScript?: true;
  readonly engines?: { readonly node?: string };
}

interface Own {
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function readPackages(file: string): [path: string, entry: Package][] {
  const { packages } = readJson(file) as { packages: Record<string, Package> };
  return Object.entries(packages).filter(([path]) => path !== '');
}

const { devDependencies: dependencies, allowScripts } = readJson('package.json') as Own;
const packages = readPackages('package-lock.json');
const installed = packages.filter(([path]) => existsSync(path));
const commands = Object.values(CHECKS).map(({ command }) => command);
/** The folders of proofs that bring packages of their own. */
const proofs = globSync('proofs/*/package.json').map(dirname).sort();

// It has no types of its own.
const { satisfies } = jest.requireActual<{ satisfies: (version: string, range: string) => boolean }>('semver');

test.each(['.', ...proofs])('%s: every package has its checksum, and none a host to come from', (folder) => {
  const all = readPackages(join(folder, 'package-lock.json'));
  const entries = all.filter(([path, { link }]) => link !== true && !path.startsWith('packages/'));
  expect(entries.length).toBeGreaterThan(0);
  expect(entries.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(String(integrity)))).toEqual([]);
  expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test.each(proofs)('%s: its packages are pinned, a command installs them, and none runs a script then', (folder) => {
  const own = Object.entries(
    (readJson(join(folder, 'package.json')) as { dependencies: Record<string, string> }).dependencies,
  );
  expect(own.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  expect(commands.join('\n')).toContain(`npm ci --ignore-scripts --prefix ${folder} && `);
});

test('npm never looks for a package of this repository anywhere else', () => {
  for (const file of globSync('packages/*/package.json')) {
    const { name, private: isPrivate } = readJson(file) as { name: string; private?: boolean };
    const folder = dirname(file).replaceAll('\\', '/');
    expect(isPrivate).toBe(true);
    expect(dependencies).toHaveProperty([name], `file:${folder}`);
    expect(Object.fromEntries(packages)).toHaveProperty([`node_modules/${name}`], { resolved: folder, link: true });
  }
});

test('the validator runs with Ajv, and with no fork of it that another package brings', () => {
  const ajv = `ajv@${String(dependencies['ajv'])}`;
  expect(findAjvs('.')).toEqual([ajv, ajv, ajv]);
});

// npm writes them to the lock again when recheck is updated: take them out of it, and what recheck has for them.
test('of recheck, which judges patterns, only the JavaScript is installed: no Java, no native program', () => {
  const found = packages.filter(([path]) => /node_modules\/recheck\b/.test(path));
  const needed = found.map(([path, { dependencies: all, optionalDependencies }]) => [path, all, optionalDependencies]);
  expect(needed).toEqual([['node_modules/recheck', undefined, undefined]]);
});

test('every package says which Node it needs', () => {
  const files = ['package.json', ...globSync('{packages,proofs,examples}/*/package.json')];
  const needed = files.map((file) => (readJson(file) as { engines?: { node?: string } }).engines?.node);
  expect(new Set(needed)).toEqual(new Set(['>=24']));
});

test('an old Node can install all packages of others', () => {
  const ranges = installed.map(([path, { engines }]) => [path, engines?.node ?? '*'] as const);
  const refused = ranges.filter(([path, range]) => !path.startsWith('packages/') && !satisfies('20.19.0', range));
  expect(refused).toEqual([]);
});

test('of every package with an install script it is decided whether it runs, and npm installs no other', () => {
  const names = packages
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(names).toContain('node');
  expect(Object.keys(allowScripts)).toEqual(expect.arrayContaining(names));
  expect(readFileSync('.npmrc', 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
});
