import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleContract } from '../src/bundle/bundle-contract';
import { createProject, writeContract } from '../src/new/create-project';
import { writeSeveralFiles } from './several-files';
import { useFolder } from '../../../tests/support/use-folder';

// What is written into a project, and nowhere else.

const base = useFolder();
const folder = join(base, 'given');
const file = writeSeveralFiles(folder);

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
  writeFileSync(join(folder, 'redocly.yaml'), 'plugins: [./plugin.js]\n');
  writeFileSync(join(folder, 'plugin.js'), `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '');\n`);
  const making = createProject({ contract: file, folder: project, name: undefined }, () => {
    expect(readdirSync(project).sort()).toEqual(['generated', 'openapi.yaml']);
    throw new Error('no kit');
  });
  await expect(making).rejects.toThrow('no kit');
  expect([ran, project].filter((path) => existsSync(path))).toEqual([]);
});
