import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { FROM_SOURCE } from '../../tests/support/run-as-others';

interface Manifest {
  readonly name: string;
  readonly private: boolean;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly files: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
}

const REQUIRED = [
  'express',
  'express-openapi-validator',
  'openapi-typescript',
  'js-yaml',
  'jest',
  'supertest',
  'ts-node',
];
const { satisfies } = jest.requireActual<{ satisfies: (version: string, range: string) => boolean }>('semver');

/** The peers with a range, of which both ends were tried. */
const RANGES = ['express', 'express-openapi-validator', 'js-yaml'];
/** What only the import `tracing` of the server needs, or a service that is traced. */
const isTracing = (name: string): boolean => name.startsWith('@opentelemetry/');
const PACKAGES = globSync('packages/*/package.json').map((file) => dirname(file));
const root = readManifest('.');

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** The sources of all public modules of a package. */
function facesOf(folder: string): string[] {
  return Object.values(readManifest(folder).exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [join(folder, String(entry['source']))],
  );
}

test('the root lists what the service is required to be made of, and each package by its folder', () => {
  const all = { ...root.dependencies, ...root.devDependencies };
  expect(Object.keys(all)).toEqual(expect.arrayContaining(REQUIRED));
  for (const folder of PACKAGES) expect(all[readManifest(folder).name]).toBe(`file:${folder}`);
});

describe.each(PACKAGES)('%s', (folder) => {
  const manifest = readManifest(folder);

  test('it cannot be published by mistake, and says what it is and what changed', () => {
    expect(manifest.private).toBe(true);
    for (const name of ['README.md', 'CHANGELOG.md', 'src/index.ts', 'tests']) {
      expect(existsSync(join(folder, name))).toBe(true);
    }
  });

  test('its tarball has the license of this repository', () => {
    const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: folder });
    const [tarball] = JSON.parse(output.toString()) as { files: { path: string }[] }[];
    expect(tarball?.files).toContainEqual(expect.objectContaining({ path: 'LICENSE' }));
    expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toBe(readFileSync('LICENSE', 'utf8'));
  });

  test('its dependencies and ajv are exact, its other peers ranges, and what is tested here is in them', () => {
    const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
    const needed = Object.entries({ ...dependencies, ...peerDependencies });
    expect(needed.length).toBeGreaterThan(0);
    for (const [name, version] of needed) {
      // npm would look for it in a registry.
      const isOwn = name.startsWith('@contract-kit/');
      const isOptional = isOwn || isTracing(name);
      expect([name, isOptional]).toEqual([name, peerDependenciesMeta[name]?.optional === true]);
      if (isOwn) continue;
      const installed = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as { version: string };
      expect([name, satisfies(installed.version, version)]).toEqual([name, true]);
      // A range of ajv would admit a fork that npm hoists.
      const isRange = RANGES.includes(name) || isTracing(name);
      expect([name, isRange || version.replace('~', '') === installed.version]).toEqual([name, true]);
    }
  });
});

test('each public name says what it is, and shows what it is used for', () => {
  const config = ts.getParsedCommandLineOfConfigFile('tsconfig.json', undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: () => undefined,
  });
  const faces = PACKAGES.flatMap(facesOf);
  const program = ts.createProgram(faces, config?.options ?? {});
  const checker = program.getTypeChecker();
  const symbols = faces.flatMap((face) => {
    const source = program.getSourceFile(face);
    const module = source && checker.getSymbolAtLocation(source);
    return module ? checker.getExportsOfModule(module) : [];
  });
  expect(symbols.length).toBeGreaterThan(90);
  const silent = symbols.filter((found) => {
    const symbol = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
    const isValue = (symbol.flags & ts.SymbolFlags.Value) !== 0;
    const hasExample = symbol.getJsDocTags(checker).some(({ name }) => name === 'example');
    return symbol.getDocumentationComment(checker).length === 0 || (isValue && !hasExample);
  });
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test('what generates code and checks a contract starts without Express, the validator and the log of a service', () => {
  const script = `require('@contract-kit/tools'); console.log(Object.keys(require.cache).join('\\n'))`;
  const loaded = execFileSync(process.execPath, [...FROM_SOURCE, '-e', script]).toString();
  expect(loaded).toContain(join('packages', 'server', 'src', 'errors', 'create-renderer.ts'));
  expect(loaded).toContain(join('packages', 'contract', 'src', 'index.ts'));
  expect(loaded).not.toMatch(/node_modules.(?:express|express-openapi-validator|pino).lib/);
});
