import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { writeGenerated } from '../src/generate/generate';
import { writeContract, writeKit, createProject } from '../src/new/create-project';
import { removeInside, writeInside } from '../src/write/write-inside';
import { bundleContract } from '../src/bundle/bundle-contract';
import { messageOf } from './closed';
import { writeSeveralFiles } from './several-files';

const base = useFolder();
const root = join(base, 'root');
const outside = join(base, 'outside');
const CONTRACT = resolve('packages/test-support/plants/openapi.yaml');
const home = process.cwd();

beforeEach(() => {
  for (const folder of [root, outside]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  }
  writeFileSync(join(outside, 'file'), 'of the owner');
});

afterEach(() => {
  process.chdir(home);
  // What is outside is as it was.
  for (const name of readdirSync(outside)) rmSync(join(outside, name));
});

function expectUntouched(): void {
  expect(readdirSync(outside)).toEqual(['file']);
  expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('of the owner');
}

function link(target: string, path: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  symlinkSync(target, join(root, path));
}

const WRITERS: Readonly<Record<string, () => unknown>> = {
  'generated/contract.js': runGenerate,
  'generated/api.d.ts': runGenerate,
  'src/handlers/create-plant.ts': runGenerate,
  'src/handlers/index.ts': runGenerate,
  'openapi.yaml': () => writeContract(root, CONTRACT),
  'vendor/CHANGELOG.md': () => {
    writeKit(root, { packages: [], changelog: '', modules: '' });
  },
};

async function runGenerate(): Promise<void> {
  writeFileSync(join(root, 'openapi.yaml'), readFileSync(CONTRACT));
  const table = join(root, 'src/handlers/index.ts');
  if (!existsSync(table)) {
    mkdirSync(dirname(table), { recursive: true });
    writeFileSync(table, TABLE);
  }
  process.chdir(root);
  await writeGenerated();
}

const TABLE = `import type { Handlers } from '../../generated/handlers';\n\nexport const handlers: Handlers = {};\n`;

test.each(Object.keys(WRITERS))(
  'a link at %s to a file outside is rejected, and the file keeps its bytes',
  async (path) => {
    // A handler that exists is left alone, wherever it is: its link leads to nothing.
    const target = path.endsWith('create-plant.ts') ? 'missing' : 'file';
    if (path.endsWith('index.ts')) writeFileSync(join(outside, 'file'), TABLE);
    link(join(outside, target), path);
    await expect(messageOf(() => WRITERS[path]?.())).resolves.toContain(
      `${path} is a symbolic link, and files are not written through links`,
    );
    expect(readdirSync(outside)).toEqual(['file']);
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe(path.endsWith('index.ts') ? TABLE : 'of the owner');
  },
);

test.each(Object.keys(WRITERS).filter((path) => path.includes('/')))(
  'nothing is written to %s if its folder is a link to a folder outside',
  async (path) => {
    link(outside, dirname(path));
    if (path.startsWith('src/')) writeFileSync(join(outside, 'index.ts'), TABLE);
    await expect(messageOf(() => WRITERS[path]?.())).resolves.toContain(
      'replace the symbolic link on its path with a folder',
    );
    rmSync(join(outside, 'index.ts'), { force: true });
    expectUntouched();
  },
);

test('an outdated file is not removed from a folder outside the project', () => {
  link(outside, 'generated');
  expect(() => {
    removeInside(root, 'generated/file');
  }).toThrow('is outside');
  expectUntouched();
});

test('a folder may be a link inside the root, and the root itself may be a link', () => {
  mkdirSync(join(root, 'real'));
  link(join(root, 'real'), 'linked');
  symlinkSync(root, join(base, 'root-link'));
  writeInside(join(base, 'root-link'), 'linked/below/a.txt', 'a');
  expect(readFileSync(join(root, 'real/below/a.txt'), 'utf8')).toBe('a');
  rmSync(join(base, 'root-link'));
});

test('the error about a folder that is a broken link names it', () => {
  link(join(outside, 'missing'), 'generated');
  expect(() => {
    writeInside(root, 'generated/a', '');
  }).toThrow('generated is a broken symbolic link; remove it');
  expectUntouched();
});

test('a replaced file keeps its mode, and a failed write leaves no file', () => {
  writeFileSync(join(root, 'a'), 'old', { mode: 0o600 });
  writeInside(root, 'a', 'new');
  expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o600);
  mkdirSync(join(root, 'b'));
  expect(() => {
    writeInside(root, 'b', 'new');
  }).toThrow('EISDIR');
  expect(readdirSync(root).sort()).toEqual(['a', 'b']);
});

// What is written into a project, and nowhere else.

const given = join(base, 'given');
const file = writeSeveralFiles(given);

test('a project gets a contract of several files as one document, and no other files of it', async () => {
  const project = join(base, 'copied');
  const { operations, generated } = await writeContract(project, file);
  expect(operations.map(({ id }) => id)).toEqual(['listAnimals', 'addAnimal', 'getAnimal', 'listTills']);
  expect(Object.keys(generated)).not.toContain('openapi.yaml');
  expect(readdirSync(project).sort()).toEqual(['generated', 'openapi.yaml']);
  const copy = readFileSync(join(project, 'openapi.yaml'), 'utf8');
  expect(copy).toMatch(/^openapi: /);
  expect(bundleContract(readFileSync(file, 'utf8'), file).source).toContain(copy);
});

test('code next to a contract does not run, and a project that cannot be created leaves no files', async () => {
  const [project, ran] = [join(base, 'project'), join(base, 'ran')];
  writeFileSync(join(given, 'redocly.yaml'), 'plugins: [./plugin.js]\n');
  writeFileSync(join(given, 'plugin.js'), `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '');\n`);
  const making = createProject({ contract: file, folder: project, name: undefined }, () => {
    expect(readdirSync(project).sort()).toEqual(['generated', 'openapi.yaml']);
    throw new Error('no kit');
  });
  await expect(making).rejects.toThrow('no kit');
  expect([ran, project].filter((path) => existsSync(path))).toEqual([]);
});
