import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProject, writeContract } from '../src/new/create-project';
import { bundleContract } from '../src/bundle/bundle-contract';
import { writeSeveralFiles } from '../../../tests/support/several-files';
import { useFolder } from '../../../tests/support/use-folder';

const base = useFolder();
const folder = join(base, 'given');
const file = writeSeveralFiles(folder);

test('a project has a contract of several files as one, and nothing else of it', async () => {
  const project = join(base, 'copied');
  const { operations, generated } = await writeContract(project, file);
  expect(operations.map(({ id }) => id)).toEqual(['listAnimals', 'addAnimal', 'getAnimal', 'listTills']);
  expect(Object.keys(generated)).not.toContain('openapi.yaml');
  expect(readdirSync(project).sort()).toEqual(['generated', 'openapi.yaml']);
  const copy = readFileSync(join(project, 'openapi.yaml'), 'utf8');
  expect(copy).toMatch(/^openapi: /);
  expect((await bundleContract(readFileSync(file, 'utf8'), file)).source).toContain(copy);
});

test('what lies beside a contract is not run, and a project that cannot be made leaves nothing', async () => {
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
