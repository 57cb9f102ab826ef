import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { generate } from '@contract-kit/tools';
import { load } from 'js-yaml';
import ts from 'typescript';
import { drawSession } from '../picture/run';
import { mergeInto, readBlocks } from '../../tests/support/read-blocks';

// Every block of TypeScript in a page compiles, against what is generated from the contract of the page: openapi.yaml,
// and the blocks of YAML with paths that the page adds to it.

/** Pages about another contract than that of the plant store. */
const OTHER_CONTRACTS: Readonly<Record<string, string>> = {
  'packages/server/README.md': 'tests/fixtures/photos.yaml',
};
// Tests in tests/docs/ walk the pages about a service and its growth; clients.proof.ts compiles the page about clients.
const OWN_TESTS = ['grow.md', 'clients.md', 'your-own-service.md'].map((page) => join('docs', page));
const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...listPages('docs').filter((page) => !OWN_TESTS.includes(page)),
  ...globSync('packages/*/package.json').flatMap((file) => listPages(dirname(file))),
].filter((page) => /^ *```ts$/m.test(readFileSync(page, 'utf8')));

function listPages(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

/** Files that are not on the disk, by path; a block names its own in its first line, if others import it. */
async function makeFiles(page: string): Promise<Map<string, string>> {
  const contract = load(readFileSync(OTHER_CONTRACTS[page] ?? 'openapi.yaml', 'utf8'));
  for (const block of readBlocks(page, 'yaml').map((text) => load(text))) {
    if (typeof block === 'object' && block !== null && 'paths' in block) mergeInto(contract, block);
  }
  const generated = await generate(JSON.stringify(contract), 'openapi.yaml');
  const blocks = readBlocks(page, 'ts').map((code, index) => {
    const [, name = `src/block-${String(index)}.ts`] = /^\/\/ (src\/\S+\.ts)\n/.exec(code) ?? [];
    return [name, code] as const;
  });
  const files = [
    ...Object.entries(generated).map(([name, text]) => [join('generated', name), text] as const),
    ...blocks,
  ];
  return new Map(files.map(([name, text]) => [resolve(name), text]));
}

const OWN_OPTIONS = ts.getParsedCommandLineOfConfigFile('tsconfig.json', undefined, {
  ...ts.sys,
  onUnRecoverableConfigFileDiagnostic: () => undefined,
})?.options;
const OPTIONS: ts.CompilerOptions = {
  ...OWN_OPTIONS,
  // For CommonJS and ES modules alike: some blocks await at their top.
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  // As the README of the server has it in package.json.
  paths: { ...OWN_OPTIONS?.paths, '#generated/*': ['./generated/*'] },
  noUnusedLocals: false,
};
const parsed = new Map<string, ts.SourceFile | undefined>();

function compile(files: ReadonlyMap<string, string>): string[] {
  const host = ts.createCompilerHost(OPTIONS);
  const onDisk = { ...host };
  host.fileExists = (name) => files.has(name) || onDisk.fileExists(name);
  host.readFile = (name) => files.get(name) ?? onDisk.readFile(name);
  host.getSourceFile = (name, language) => {
    const text = files.get(name);
    if (text !== undefined) return ts.createSourceFile(name, text, language);
    if (!parsed.has(name)) parsed.set(name, onDisk.getSourceFile(name, language));
    return parsed.get(name);
  };
  const roots = [...files.keys()].filter((name) => name.startsWith(resolve('src')));
  return ts
    .getPreEmitDiagnostics(ts.createProgram(roots, OPTIONS, host))
    .map(({ file, messageText }) => `${String(file?.fileName)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}

test('the error of the compiler in the README is what its edit of the contract causes', async () => {
  const [edit = ''] = readBlocks('README.md', 'diff');
  const [before, after] = ['-', '+'].map((sign) => new RegExp(`^\\${sign}(.*\\n)`, 'm').exec(edit)?.[1]) as [
    string,
    string,
  ];
  const contract = readFileSync('openapi.yaml', 'utf8').replace(before, () => after);
  const file = 'src/handlers/create-plant.ts';
  const generated = Object.entries(await generate(contract, 'openapi.yaml'));
  const files = [
    ...generated.map(([name, text]) => [join('generated', name), text] as const),
    [file, readFileSync(file, 'utf8')] as const,
  ];
  const [mistake, ...more] = compile(new Map(files.map(([name, text]) => [resolve(name), text])));
  expect(more).toEqual([]);
  const [shown = ''] = readBlocks('README.md', 'text');
  expect(mistake).toBe(shown.trimEnd().replace(/^.*?: error TS\d+/, resolve(file)));
});

test('at least four pages have code', () => {
  expect(PAGES.length).toBeGreaterThan(3);
});

test.each(PAGES)('the code of %s compiles', async (page) => {
  expect(compile(await makeFiles(page))).toEqual([]);
});

test('a mistake in a block is found', () => {
  const code = `import { loadContract } from '@contract-kit/server';\nexport const contract: number = loadContract('', '');\n`;
  expect(compile(new Map([[resolve('src/block.ts'), code]]))).toHaveLength(1);
});

test('the picture of the README is what the service replies', async () => {
  expect(readFileSync('docs/session.svg', 'utf8')).toBe(await drawSession());
});
