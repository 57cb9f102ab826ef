// Makes the package.json of a new project.
import { readKitFile, type Kit } from './kit';
import type { NewContract } from './read-contract';

const DEV_TOOLS = [
  ...['@types/express', '@types/jest', '@types/node', 'eslint', 'jest', 'node', 'prettier', 'ts-jest', 'typescript'],
  'typescript-eslint',
];

// https://kulshekhar.github.io/ts-jest/docs/guides/esm-support
const JEST_OF_MODULES = {
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '\\.ts$': ['ts-jest', { useESM: true }] },
};

/** What a project may be beside a service of CommonJS whose handlers keep nothing. */
export interface ProjectForm {
  /** Whether it is of ES modules. */
  readonly isModule: boolean;
  /** Whether its handlers have a store. */
  readonly hasStore: boolean;
}

/** The option of a project's scripts by which operations with mistakes are left out. */
export const KEEP_GOING = '--keep-going';

/** Versions, or specifiers, by the name of the package. */
export type Versions = Readonly<Record<string, string>>;

/** A package.json, as far as this package reads it. */
export interface Manifest {
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly [key: string]: unknown;
}

/** Makes the package.json of a project. The versions are those that the kit is tested with, of this repository. */
export function makeManifest(
  name: string,
  { title, version, isPartial }: Pick<NewContract, 'title' | 'version' | 'isPartial'>,
  { packages }: Kit,
  { isModule, hasStore }: ProjectForm,
): Manifest {
  const { devDependencies: testedVersions = {} } = JSON.parse(readKitFile('package.json')) as Manifest;
  const made = JSON.parse(readKitFile('packages/tools/templates/package.json')) as Manifest &
    Record<'jest' | 'scripts', object>;
  // A package of the kit, and its peer dependencies, which it needs the project to install.
  const dependenciesFor = (kitPackage: string): Versions => {
    const found = packages.find((one) => one.name === `@contract-kit/${kitPackage}`);
    return found ? { ...found.peers, [found.name]: found.specifier } : {};
  };
  const dependencies = { ...dependenciesFor('server'), ...(hasStore && dependenciesFor('store')) };
  const tested = Object.fromEntries(DEV_TOOLS.map((tool) => [tool, String(testedVersions[tool])]));
  const tools = Object.entries({ ...dependenciesFor('tools'), ...dependenciesFor('conformance'), ...tested });
  return {
    ...made,
    name,
    version,
    scripts: isPartial ? keepGoing(made.scripts) : made.scripts,
    description: `${title}: ${String(made['description'])}`,
    ...(isModule && { type: 'module', jest: { ...made.jest, ...JEST_OF_MODULES } }),
    dependencies: sort(Object.entries(dependencies)),
    devDependencies: sort(tools.filter(([tool]) => !(tool in dependencies))),
  };
}

// The flag is in the scripts, so that the team sees it and takes it away.
function keepGoing(scripts: object): Versions {
  const texts = Object.entries(scripts as Versions);
  const command = /contract-kit (?:generate|check|dev)\b/g;
  return Object.fromEntries(texts.map(([name, text]) => [name, text.replace(command, `$& ${KEEP_GOING}`)]));
}

function sort(versions: readonly [string, string][]): Versions {
  return Object.fromEntries(versions.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
