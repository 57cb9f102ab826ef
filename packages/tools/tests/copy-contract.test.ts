import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createProject, writeContract } from '../src/new/create-project';
import { copyContract } from '../src/new/copy-contract';
import { ProjectError } from '../src/new/kit';
import { writeSeveralFiles } from '../../../tests/support/several-files';
import { useFolder } from '../../../tests/support/use-folder';

const base = useFolder();
const folder = join(base, 'given');
const project = join(base, 'project');
const file = join(folder, 'openapi.yaml');

beforeEach(() => {
  for (const made of [folder, project]) rmSync(made, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

/** The only line of what keeps a contract from being copied, without the folder. */
function problemOf(text: string): string {
  write('openapi.yaml', text);
  try {
    return JSON.stringify(copyContract(file));
  } catch (error) {
    expect(error).toBeInstanceOf(ProjectError);
    return (error as Error).message.replaceAll(`${folder}/`, '');
  }
}

test('a project has the contract as openapi.yaml, what that refers to in contract/, and nothing beside', () => {
  writeSeveralFiles(folder);
  write('notes.yaml', 'not: referred to');
  expect(Object.keys(copyContract(file)).sort()).toEqual([
    ...['contract/examples.yaml', 'contract/parameters.yaml', 'contract/paths/animal.yaml'],
    ...['contract/paths/animals.yaml', 'contract/responses.json', 'contract/schemas/animal.yaml'],
    ...['contract/schemas/cat.yaml', 'contract/schemas/dog.yaml', 'contract/schemas/shelter/place.yaml'],
    ...['contract/schemas/shop/place.yaml', 'openapi.yaml'],
  ]);
});

test('the copies say what the contract says, and are copied to the same places', async () => {
  writeSeveralFiles(folder);
  const { operations, generated, files } = await writeContract(project, file);
  expect(operations.map(({ id }) => id)).toEqual(['listAnimals', 'addAnimal', 'getAnimal', 'listTills']);
  expect(Object.keys(generated)).toContain('openapi.yaml');
  const copies = copyContract(join(project, 'openapi.yaml'));
  expect(Object.keys(copies)).toEqual(files);
  for (const [path, text] of Object.entries(copies)) expect(text).toBe(readFileSync(join(project, path), 'utf8'));
});

test('what lies beside a contract is not run, and a project that cannot be made leaves nothing', async () => {
  writeSeveralFiles(folder);
  const ran = join(base, 'ran');
  write('redocly.yaml', 'plugins: [./plugin.js]\n');
  write('plugin.js', `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '');\n`);
  const making = createProject({ contract: file, folder: project, name: undefined }, () => {
    expect(readdirSync(project).sort()).toEqual(['contract', 'generated', 'openapi.yaml']);
    throw new Error('no kit');
  });
  await expect(making).rejects.toThrow('no kit');
  expect([ran, project].filter((path) => existsSync(path))).toEqual([]);
});

test('a contract of another name is openapi.yaml in a project, also for the files that refer to it', () => {
  write('a b/pet.yaml', 'Pet: { type: object }\nPets: { $ref: ../animals.json#/x }\n');
  write('animals.json', '{ "x": {}, "y": { "$ref": "a b\\/pet.yaml#/Pet" } }');
  expect(copyContract(join(folder, 'animals.json'))).toEqual({
    'openapi.yaml': '{ "x": {}, "y": { "$ref": "contract/a%20b/pet.yaml#/Pet" } }',
    'contract/a b/pet.yaml': 'Pet: { type: object }\nPets: { $ref: ../../openapi.yaml#/x }\n',
  });
});

test('the text of a contract stays as it is, but for the references', () => {
  write("it's.yaml", 'Pet: {}\n');
  write('pet.yaml', '{}');
  const textWith = (pet: string, its: string): string => `# A comment.\r
a:   { $ref: ${pet}  } # ./pet.yaml
'b': { "$ref" : "${its}#/Pet" , description: ./pet.yaml }
c: &c
  $ref: '${its.replace("'", "''")}'
d: *c
discriminator:
  propertyName: pet.yaml
  mapping: { cat: ${pet}, dog: ${pet}, Bird: Bird }
  defaultMapping: ${pet}
`;
  write('openapi.yaml', textWith('./pet.yaml', "it's.yaml"));
  expect(copyContract(file)['openapi.yaml']).toBe(textWith('contract/pet.yaml', "contract/it's.yaml"));
});

test.each([
  ['code', 'src/service.ts', 'is no data: a project takes .yaml, .yml and .json'],
  ['a test', 'tests/evil.test.ts', 'is no data: a project takes .yaml, .yml and .json'],
  ['a file without an ending', 'Dockerfile', 'is no data: a project takes .yaml, .yml and .json'],
  ['a package', 'package.json', 'has a path that a project does not keep: rename it'],
  ['a package below', 'schemas/Package.json', 'has a path that a project does not keep: rename it'],
  ['an installed file', 'node_modules/pet/pet.yaml', 'has a path that a project does not keep: rename it'],
  ['a path of Windows', String.raw`schemas\pet.yaml`, 'has a path that a project does not keep: rename it'],
  ['a stream of Windows', './pet.yaml:pet.json', 'has a path that a project does not keep: rename it'],
  ['a name that commands a terminal', 'pet\u009b.yaml', 'has a path that a project does not keep: rename it'],
  ['a hidden file', '.github/workflows/x.yml', 'is hidden: a name in its path begins with a dot'],
])('%s is not copied, and the message says where it is named', (_title, name, problem) => {
  write(name, '{}');
  expect(problemOf(`a: { $ref: ${JSON.stringify(name)} }`)).toBe(
    `openapi.yaml:1:12 ${JSON.stringify(name)} ${problem}`,
  );
});

test('what the files of a contract refer to is judged as what the contract refers to', () => {
  write('schemas/pet.yaml', '# A pet.\nexternalValue: ../README.md\n');
  write('README.md', 'mine');
  expect(problemOf('a: { $ref: schemas/pet.yaml }')).toBe(
    'schemas/pet.yaml:2:16 "../README.md" is no data: a project takes .yaml, .yml and .json',
  );
});

test('a program is not copied, nor is a link, also one in the folder of the contract', () => {
  chmodSync(write('program.yaml', '{}'), 0o744);
  write('pets/pet.yaml', '{}');
  symlinkSync('pets', join(folder, 'linked'));
  symlinkSync('pets/pet.yaml', join(folder, 'linked.yaml'));
  expect(
    problemOf(['program.yaml', 'linked/pet.yaml', 'linked.yaml'].map((name) => `- $ref: ${name}\n`).join('')),
  ).toBe(
    `openapi.yaml:1:9 "program.yaml" is executable: chmod -x makes it data
openapi.yaml:2:9 "linked/pet.yaml" is a link: put the file itself there
openapi.yaml:3:9 "linked.yaml" is a link: put the file itself there`,
  );
});

test('no file has the path of another one, on any system', () => {
  for (const name of ['pet.yaml', 'Pet.yaml', 'contract/pet.yaml', 'b\u00e9.yaml', 'be\u0301.yaml']) write(name, '{}');
  const names = ['pet.yaml', './pet.yaml', 'Pet.yaml', 'contract/pet.yaml', 'b\u00e9.yaml', 'be\u0301.yaml'];
  expect(problemOf(names.map((name) => `- $ref: ${name}\n`).join('')).split('\n')).toEqual([
    'openapi.yaml:3:9 "Pet.yaml" has the path of pet.yaml in a project: rename it',
    'openapi.yaml:4:9 "contract/pet.yaml" has the path of pet.yaml in a project: rename it',
    'openapi.yaml:6:9 "be\u0301.yaml" has the path of b\u00e9.yaml in a project: rename it',
  ]);
});

test('a reference that is written elsewhere is told, and so is one that leads nowhere', () => {
  write('pet.yaml', '{}');
  expect(problemOf('a: &pet pet.yaml\nb: { $ref: *pet }\nc: { $ref: none.yaml }\n')).toBe(
    `openapi.yaml:2:13 "pet.yaml" is to be rewritten: write it in one line, and not as an alias
openapi.yaml:3:12 "none.yaml" is missing`,
  );
});
