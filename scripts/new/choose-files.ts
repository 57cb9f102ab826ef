import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join, normalize } from 'node:path';

/** Of the top level: what a new project gets as it is here; of folders, but for what is made and what stays. */
export const TAKEN = [
  ...[
    '.dependency-cruiser.cjs',
    '.gitattributes',
    '.gitignore',
    '.npmrc',
    '.prettierrc.json',
    'LICENSE',
    'eslint.config.mjs',
    'jest.config.js',
  ],
  ...['packages', 'redocly.yaml', 'scripts', 'src', 'tests', 'tsconfig.json'],
];

/** What is made for it. */
export const MADE = [
  ...['.github', '.prettierignore', 'README.md', 'contracts', 'generated', 'openapi.yaml', 'package-lock.json'],
  ...['package.json', 'src/handlers', 'src/service.ts', 'tests/service.test.ts', 'tests/start-app.ts'],
];

/** What stays here: how this service is deployed, measured and proven, and this command itself. */
export const LEFT = [
  ...['.ci', '.dockerignore', 'Dockerfile', 'SECURITY.md', 'compose.yaml', 'deploy', 'docs'],
  ...['scripts/attack.ts', 'scripts/test', 'scripts/test.ts', 'scripts/test-busy.ts', 'tests/attack'],
  ...['scripts/bench', 'scripts/new', 'scripts/new.ts', 'src/store', 'tests/browser', 'tests/conformance/teeth'],
  ...['packages/conformance/dist', 'packages/conformance/tests', 'packages/store/dist'],
  ...['tests/deploy', 'tests/durability', 'tests/mutation', 'tests/supply-chain.slow.test.ts'],
];

// What is run, rather than imported by something that is.
const IS_RUN = /^src\/|^packages\/|^scripts\/[^/]+\.ts$|\.test\.ts$/;
const FIXTURES = 'tests/fixtures/';

/**
 * The files that a new project gets as they are here. A test that says "plant" is about plants and stays, and so does
 * what imports something that stays, and what nothing needs then.
 */
export function chooseFiles(): string[] {
  const files = TAKEN.flatMap(filesBelow).filter((file) => !isBelow(file, [...LEFT, ...MADE]));
  const plain = files.filter((file) => !file.startsWith('tests/') || !/plant/i.test(readFileSync(file, 'utf8')));
  return withoutOrphans(withoutBroken(plain));
}

function withoutBroken(files: readonly string[]): readonly string[] {
  const known = new Set(files);
  const kept = files.filter((file) =>
    importsOf(file).every((one) => isBelow(one, MADE) || candidates(one).some((name) => known.has(name))),
  );
  return kept.length === files.length ? kept : withoutBroken(kept);
}

function withoutOrphans(files: readonly string[]): string[] {
  const needed = new Set(files.filter((file) => !file.endsWith('.ts') || IS_RUN.test(file)));
  // What is made needs what is in its place here.
  const open = [...needed, ...MADE.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))];
  for (const file of open) {
    for (const name of importsOf(file).flatMap(candidates)) {
      if (!files.includes(name) || needed.has(name)) continue;
      needed.add(name);
      open.push(name);
    }
  }
  const kept = files.filter((file) => needed.has(file));
  const texts = kept.filter((file) => file.endsWith('.ts')).map((file) => readFileSync(file, 'utf8'));
  const isNamed = (file: string): boolean => texts.some((text) => text.includes(basename(file, extname(file))));
  return kept.filter((file) => !file.startsWith(FIXTURES) || file.endsWith('.ts') || isNamed(file));
}

function filesBelow(name: string): string[] {
  const entries = readdirSync('.', { withFileTypes: true }).find((entry) => entry.name === name);
  if (!entries?.isDirectory()) return [name];
  return readdirSync(name, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function isBelow(file: string, places: readonly string[]): boolean {
  return places.some((place) => file === place || file.startsWith(`${place}/`) || `${file}.ts` === place);
}

/** The files of this project that a file imports, as it names them. */
function importsOf(file: string): string[] {
  if (!file.endsWith('.ts')) return [];
  const names = readFileSync(file, 'utf8').matchAll(/^(?:import |(?:import|export|\}).*? from )'(\.[^']*)'/gm);
  return [...names].map(([, name]) => normalize(join(file, '..', String(name))).replace(/\/$/, ''));
}

function candidates(name: string): string[] {
  return [name, `${name}.ts`, `${name}/index.ts`];
}
