// The package.json of a new project.
import { readKitFile, toSpecifier, type Kit } from '../kit';
import type { NewContract } from '../read-contract';

/** A package.json, as far as this package writes it. */
export interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

const DEV_TOOLS = ['@types/express', '@types/jest', '@types/node', 'jest', 'node', 'ts-jest', 'typescript'];

/** The versions are those that the kit is tested with, of this repository. */
export function makePackage(
  name: string,
  { title, version }: Pick<NewContract, 'title' | 'version'>,
  { packages }: Kit,
): Manifest {
  const { devDependencies: testedVersions = {} } = JSON.parse(readKitFile('package.json')) as Manifest;
  // A package of the kit, and its peer dependencies, which it needs the project to install.
  const dependenciesFor = (kitPackage: string): Readonly<Record<string, string>> => {
    const found = packages.find((one) => one.name === `@contract-kit/${kitPackage}`);
    return found ? { ...found.peers, [found.name]: toSpecifier(found) } : {};
  };
  const dependencies = sort(dependenciesFor('server'));
  const tools = { ...dependenciesFor('tools'), ...dependenciesFor('conformance'), ...pick(testedVersions, DEV_TOOLS) };
  const devDependencies = Object.entries(tools).filter(([tool]) => !(tool in dependencies));
  return {
    name,
    version,
    description: `${title}: openapi.yaml in, an enforced and typed service out`,
    private: true,
    scripts: {
      start: 'npm run build && exec node dist/main.js',
      dev: 'exec contract-kit dev --project src/tsconfig.json',
      build: 'tsc -p src',
      generate: 'contract-kit generate',
      'contract:check': 'contract-kit check --project tsconfig.json',
      test: 'npm run contract:check && contract-kit generate --check && npm run unit',
      conformance: 'conformance',
      // jose is an ES module.
      unit: 'node --experimental-vm-modules --disable-warning=ExperimentalWarning node_modules/jest/bin/jest.js',
    },
    dependencies,
    devDependencies: sort(Object.fromEntries(devDependencies)),
    // Whether npm runs the install script of a package: that of node downloads it.
    allowScripts: { node: true, '@parcel/watcher': false, '@scarf/scarf': false, 'unrs-resolver': false },
    // No report of installations to the author of a package.
    scarfSettings: { enabled: false },
    jest: { testMatch: ['<rootDir>/tests/**/*.test.ts'], transform: { '\\.ts$': 'ts-jest' }, testTimeout: 60_000 },
  };
}

function pick(versions: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, String(versions[name])]));
}

function sort(versions: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1)));
}
