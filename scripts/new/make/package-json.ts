import { readFileSync } from 'node:fs';
import { QUICK_STEPS } from '../../test/steps';
import type { NewContract } from '../read-contract';

interface Package {
  name: string;
  version: string;
  description: string;
  license?: string;
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
  [key: string]: unknown;
}

/** The commands of package-lock.json's packages, by the path of each. */
interface Lock {
  readonly packages: Readonly<Record<string, { readonly bin?: Readonly<Record<string, string>> }>>;
}

const PLACE = /(?:scripts|tests)\/[\w./-]+/g;

/**
 * The package.json of a new project: that of this one without the scripts and the dependencies of what stays here.
 *
 * @param name of the package
 * @param files those of this project that the new one gets
 */
export function makePackage(name: string, contract: NewContract, files: readonly string[]): Package {
  const own = readJson('package.json') as Package;
  // What it has beyond the kit is for its owners to license.
  delete own.license;
  const kept = pick(own.scripts, (script) =>
    (own.scripts[script]?.match(PLACE) ?? []).every((place) => files.includes(place)),
  );
  const checks = QUICK_STEPS.filter(({ isAlone }) => !isAlone).map((step) => `npm ${step.npm}`);
  const scripts = { ...kept, test: [...checks, 'npm run unit:coverage'].join(' && ') };
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  const commands = Object.values(scripts).join('\n');
  const isUsed = (dependency: string): boolean => isImported(dependency, texts) || isRun(dependency, commands);
  const isKept = (dependency: string): boolean =>
    isUsed(dependency) || (dependency.startsWith('@types/') && isTypeUsed(dependency.slice('@types/'.length), isUsed));
  return {
    ...own,
    name,
    version: contract.version,
    description: `${contract.title}: openapi.yaml in, an enforced and typed service out`,
    scripts,
    dependencies: pick(own.dependencies, isKept),
    devDependencies: pick(own.devDependencies, isKept),
  };
}

function isImported(dependency: string, texts: readonly string[]): boolean {
  return texts.some((text) =>
    ["'", '"', '`'].some(
      (quote) => text.includes(quote + dependency + quote) || text.includes(`${quote}${dependency}/`),
    ),
  );
}

function isRun(dependency: string, commands: string): boolean {
  const { packages } = readJson('package-lock.json') as Lock;
  const { bin = {} } = packages[`node_modules/${dependency}`] ?? {};
  return Object.keys(bin).some((command) => new RegExp(`(?:^|[\\s/])${command}(?:[\\s.]|$)`, 'm').test(commands));
}

function isTypeUsed(name: string, isUsed: (dependency: string) => boolean): boolean {
  return name === 'node' || isUsed(name);
}

function pick<T>(map: Readonly<Record<string, T>>, isWanted: (name: string) => boolean): Record<string, T> {
  return Object.fromEntries(Object.entries(map).filter(([name]) => isWanted(name)));
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
