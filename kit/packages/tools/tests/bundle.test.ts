import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseYaml, type Document } from '@contract-kit/contract';
import { loadText } from '@contract-kit/test-support/load-text';
import { bundleContract } from '../src/bundle/bundle-contract';
import { checkContract } from '../src/check/check-contract';
import { analyseServable, generate } from '../src/generate/generate';
import { writeSeveralFiles } from './several-files';
import { useFolder } from '@contract-kit/test-support/use-folder';

const base = useFolder();
const folder = join(base, 'contract');
const file = join(folder, 'openapi.yaml');

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  writeSeveralFiles(folder);
});

function read(): string {
  return readFileSync(file, 'utf8');
}

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

function change(name: string, from: string, to: string): void {
  const text = readFileSync(join(folder, name), 'utf8');
  expect(text).toContain(from);
  write(name, text.replace(from, to));
}

function bundle(): { source: string; document: Document } {
  const { source } = bundleContract(read(), file);
  return { source, document: parseYaml(source, file) as Document };
}

function namesOf({ components = {} }: Document): Record<string, string[]> {
  return Object.fromEntries(Object.entries(components).map(([kind, group]) => [kind, Object.keys(group as object)]));
}

const REMOTE =
  'is remote, and the kit fetches nothing: bundle it into the contract, for example with npx @redocly/cli bundle';
const OUTSIDE = 'leads out of the folder of the contract; contract-kit bundle --root DIR makes a single file from it';
const NO_POINTER = 'is not a JSON pointer: write one, such as #/components/schemas/Pet';

describe('a contract of several files', () => {
  test('keeps data with a member $ref unchanged', () => {
    write(
      'schemas/cat.yaml',
      "type: object\nexample: { $ref: 'https://example.com/a' }\ndefault: { $ref: dog.yaml }\n",
    );
    const { document } = bundle();
    expect(document.components?.['schemas']?.['cat']).toEqual({
      type: 'object',
      example: { $ref: 'https://example.com/a' },
      default: { $ref: 'dog.yaml' },
    });
  });

  test('may have files anywhere inside the given folder', async () => {
    write('openapi.yaml', read().replace(/paths:\n/, "paths:\n  /shared: { $ref: '../shared/items.yaml#/Shared' }\n"));
    mkdirSync(join(base, 'shared'), { recursive: true });
    writeFileSync(join(base, 'shared/items.yaml'), 'Shared: { get: { operationId: getShared, responses: {} } }\n');
    expect(() => bundleContract(read(), file)).toThrow('"../shared/items.yaml#/Shared" leads out of the folder');
    const { source } = bundleContract(read(), file, base);
    expect(source).toContain('operationId: getShared');
    const { operations } = analyseServable(read(), file, true, base);
    expect(operations.map(({ id }) => id)).toContain('getShared');
    await expect(checkContract(file, 'none', { root: base })).resolves.toMatchObject({ errors: [] });
    expect(() => bundleContract(read(), file, join(base, 'shared'))).toThrow('openapi.yaml is not inside the folder ');
  });

  test('becomes one document, whose components are named after the parts and the files', () => {
    const { document } = bundle();
    expect(namesOf(document)).toEqual({
      schemas: ['Id', 'Animal', 'animal', 'cat', 'Dog', 'Breed', 'place', 'place-2'],
      parameters: ['limit', 'id'],
      responses: ['Problem', 'Tills'],
      examples: ['one_or_two'],
    });
    expect(document.components?.['schemas']).toMatchObject({
      Animal: { $ref: '#/components/schemas/animal' },
      Dog: { properties: { breed: { $ref: '#/components/schemas/Breed' } } },
      animal: { discriminator: { mapping: { cat: '#/components/schemas/cat', dog: '#/components/schemas/Dog' } } },
      cat: { properties: { id: { $ref: '#/components/schemas/Id' } } },
    });
    expect(document.paths['/animals']).toMatchObject({ get: { operationId: 'listAnimals' } });
  });

  test('refers to its own parts by references that other files have, and to parts that are references themselves', () => {
    write('schemas/cat.yaml', "$ref: 'chain.yaml#/A'\n");
    write('schemas/chain.yaml', "A: { $ref: '#/B' }\nB: { $ref: '../openapi.yaml#/components/schemas/Id' }\n");
    const { document } = bundle();
    expect(document.components?.['schemas']).toMatchObject({
      cat: { $ref: '#/components/schemas/A' },
      A: { $ref: '#/components/schemas/B' },
      B: { $ref: '#/components/schemas/Id' },
    });
  });

  test.each(['__proto__', 'constructor', 'toString'])('may name a part, a file and a mapping %s', (name) => {
    write(
      `schemas/${name}.yaml`,
      `${name}: { type: object, required: [kind], properties: { kind: { type: string } } }\n`,
    );
    change('schemas/animal.yaml', 'cat: cat.yaml', `${name}: ./${name}.yaml#/${name}`);
    const { schemas = {} } = bundle().document.components ?? {};
    const pointer = `#/components/schemas/${name}`;
    expect(Object.entries(schemas)).toContainEqual([name, expect.objectContaining({ required: ['kind'] })]);
    const { mapping } = (schemas['animal'] as { discriminator: { mapping: object } }).discriminator;
    expect(Object.entries(mapping)).toEqual([
      [name, pointer],
      ['dog', '#/components/schemas/Dog'],
    ]);
  });

  test('has a component for each part, whatever the names around its references are', () => {
    write('parts.yaml', 'S: { type: string }\nH: { schema: { type: string } }\nC: { a/b: {} }\n');
    const ref = (part: string): string => `{ $ref: 'parts.yaml#/${part}' }`;
    const schema = `{ properties: { headers: { items: ${ref('S')} }, callbacks: ${ref('S')} } }`;
    const content = `{ application/json: { schema: ${schema} } }`;
    const get = `{ operationId: a, responses: { '200': { description: A., headers: { h: ${ref('H')} }, content: ${content} } } }`;
    const source = `openapi: 3.0.3\ninfo: { title: A, version: 1.0.0 }\npaths: { /a: { get: ${get} } }\nx-a: ${ref('C')}\n`;
    const document = parseYaml(bundleContract(source, file).source, file) as Document;
    expect(namesOf(document)).toEqual({ headers: ['H'], schemas: ['S'] });
    expect(document).toMatchObject({ 'x-a': { 'a/b': {} } });
  });

  test('keeps the digits of its numbers', () => {
    const { source } = bundle();
    expect(source).toContain('example: 9007199254740993\n');
  });

  test('is served as generated', async () => {
    const files = await generate(read(), file);
    expect(files['contract.js']).toContain('exports.file = "generated/openapi.yaml";');
    const { operations, source } = loadText(String(files['openapi.yaml']));
    expect(source.toString()).toBe(files['openapi.yaml']);
    expect(operations.map(({ id }) => id)).toEqual(['listAnimals', 'addAnimal', 'getAnimal', 'listTills']);
  });

  test('may contain JSON, escaped file names, and keywords next to references', () => {
    write('my schemas/a name.json', '{ "A/B": { "type": "string" } }');
    change('openapi.yaml', '$ref: schemas/animal.yaml', "$ref: 'my%20schemas/a%20name.json#/A~1B'");
    change('openapi.yaml', '    Id:\n', '    A_B:\n      type: integer\n    Id:\n');
    const { document } = bundle();
    expect(document.components?.['schemas']).toMatchObject({
      Animal: { $ref: '#/components/schemas/A_B-2' },
      A_B: { type: 'integer' },
      'A_B-2': { type: 'string' },
    });
  });

  test('has errors and advice with the file of each', async () => {
    change('schemas/cat.yaml', '    type: string\n', "    type: string\n    pattern: '['\n");
    change('paths/animal.yaml', 'operationId: getAnimal\n', 'operationId: getAnimal\n  responsess: {}\n');
    const { errors, advice } = await checkContract(file, 'none');
    expect(errors).toEqual([expect.stringMatching(/\/schemas\/cat\.yaml:6:5 Invalid regular expression/)]);
    expect(advice).toContain(
      `${join(folder, 'paths/animal.yaml')}:5:3 Property \`responsess\` is not expected here. (struct)`,
    );
  });

  test('with a single file is bundled to that file', () => {
    const source = readFileSync('packages/test-support/plants/openapi.yaml', 'utf8');
    expect(bundleContract(source, 'openapi.yaml')).toMatchObject({ source });
  });
});

describe('a reference that leads nowhere is reported in one line', () => {
  async function messageOf(reference: string): Promise<string> {
    change('schemas/cat.yaml', '$ref: dog.yaml#/Dog', `$ref: '${reference}'`);
    const error = await generate(read(), file).catch((cause: unknown) => cause as Error);
    return (error as Error).message;
  }

  test.each([
    ['a file that is missing', 'wolf.yaml', 'does not exist'],
    ['a part that is missing', 'dog.yaml#/Wolf', 'does not exist: the file has no such part'],
    ['a file outside', '../../outside.yaml', OUTSIDE],
    ['a file of the machine', '/etc/passwd', OUTSIDE],
    ['a file outside, encoded', '..%2F..%2Foutside.yaml', OUTSIDE],
    ['a URL', 'https://127.0.0.1:1/dog.yaml', REMOTE],
    ['a URL of a file', 'file:///etc/passwd', REMOTE],
    ['another host', '//127.0.0.1:1/dog.yaml', REMOTE],
    ['a link out of the folder', 'link.yaml', 'is a symbolic link that leads out of the folder of the contract'],
    ['a hidden file', '../.env', 'is hidden, because a name in its path begins with a dot; rename it'],
    [
      'a file of a hidden folder, encoded',
      '..%2F%2Egit/config',
      'is hidden, because a name in its path begins with a dot; rename it',
    ],
    ['a link to a hidden file', 'secret.yaml', 'is hidden, because a name in its path begins with a dot; rename it'],
    ['a drive of Windows', 'C:/dog.yaml', REMOTE],
    ['a name with NUL', 'dog%00.yaml', 'does not exist'],
    ['a folder', 'shop', 'is not a file'],
    ['a FIFO', 'fifo.yaml', 'is not a file'],
    ['an anchor', '#dog', NO_POINTER],
  ])('%s', async (_title, reference, problem) => {
    write('../outside.yaml', '{}');
    write('.env', 'PASSWORD=secret');
    write('.git/config', '[remote]');
    symlinkSync(join(base, 'outside.yaml'), join(folder, 'schemas/link.yaml'));
    symlinkSync('../.env', join(folder, 'schemas/secret.yaml'));
    execFileSync('mkfifo', [join(folder, 'schemas/fifo.yaml')]);
    // What is never followed is an error of the schema that has it.
    const column = problem === REMOTE || problem === NO_POINTER ? 5 : 11;
    await expect(messageOf(reference)).resolves.toBe(
      `${join(folder, 'schemas/cat.yaml')}:11:${String(column)} ${JSON.stringify(reference)} ${problem}`,
    );
  });

  test('in a discriminator', async () => {
    change('schemas/animal.yaml', 'cat: cat.yaml', 'cat: lion.yaml');
    await expect(generate(read(), file)).rejects.toThrow(/animal\.yaml:7:10 "lion.yaml" does not exist$/);
  });

  test('a part of the file itself', async () => {
    await expect(messageOf('#/Wolf')).resolves.toMatch(
      /^\S+cat\.yaml:11:11 "#\/Wolf" does not exist: the file has no such part$/,
    );
  });

  test('a file that is not YAML', async () => {
    write('schemas/dog.yaml', 'Dog: [\n');
    await expect(generate(read(), file)).rejects.toThrow(/^\S+dog\.yaml:\d+:\d+ [^\n]+$/);
  });

  test('a path item that contains itself', async () => {
    change(
      'paths/animal.yaml',
      'get:\n',
      "get:\n  callbacks:\n    again:\n      '{$request.query.url}':\n        $ref: animal.yaml\n",
    );
    await expect(generate(read(), file)).rejects.toThrow(
      /^generated\/openapi\.yaml:\d+:\d+ an alias refers to a collection that contains it$/,
    );
  });

  test('aliases that would repeat millions of times', async () => {
    const levels = Array.from(
      { length: 30 },
      (_, level) => `l${String(level + 1)}: &l${String(level + 1)} [*l${String(level)}, *l${String(level)}]`,
    );
    write('schemas/dog.yaml', `Dog: { type: object }\nl0: &l0 a\n${levels.join('\n')}\n`);
    await expect(generate(read(), file)).rejects.toThrow(/dog\.yaml:\d+:\d+ the aliases repeat more than/);
  });
});
