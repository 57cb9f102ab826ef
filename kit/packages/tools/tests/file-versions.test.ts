import { mkdtempSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readVersions } from '../src/dev/file-versions';

// What counts as a save under `npm run dev`.

let folder: string;
const read = (): string => readVersions([join(folder, 'openapi.yaml'), join(folder, 'src')]);

function save(name: string, text = ''): string {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
  return name;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'versions-'));
  save('openapi.yaml');
  save('src/app.ts');
  save('src/handlers/index.ts');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Moves a file or folder, or removes it. */
function move(from: string, to?: string): string {
  if (to === undefined) rmSync(join(folder, from), { recursive: true });
  else renameSync(join(folder, from), join(folder, to));
  return from;
}

test.each<[string, () => string]>([
  ['a file is written in place', () => save('src/app.ts', 'text')],
  ['a file is replaced by one with the same text', () => move(save('draft'), 'src/app.ts')],
  ['a file is added in a new folder', () => save('src/a/b.ts')],
  ['a file is renamed', () => move('src/app.ts', 'src/App.ts')],
  ['the contract is removed', () => move('openapi.yaml')],
  ['the contract is replaced by a folder', () => move('openapi.yaml') + save('openapi.yaml/a')],
  ['a folder is removed', () => move('src/handlers')],
  ['the whole folder is moved away', () => move('src', 'src2')],
])('the versions of the files change when %s', (_, change) => {
  const before = read();
  change();
  expect(read()).not.toBe(before);
});

test('a folder that is removed and created again is read like any other', () => {
  rmSync(join(folder, 'src'), { recursive: true });
  save('src/app.ts');
  const before = read();
  save('src/app.ts', 'text');
  expect(read()).not.toBe(before);
});

test.each(['.#app.ts', '#app.ts#', 'app.ts~', '.app.ts.swp', '.app.ts.swx', '.app.ts.un~', '.app.ts.kate-swp'])(
  'an open editor saves no file of the project when it writes %s',
  (name) => {
    const before = read();
    save(`src/${name}`);
    expect(read()).toBe(before);
  },
);

test('a link to a folder is followed once, so a link into its own folder leads nowhere', () => {
  save('shared/name.ts');
  for (const name of ['first', 'second']) symlinkSync('../shared', join(folder, 'src', name));
  symlinkSync('../src', join(folder, 'src/self'));
  symlinkSync('loop', join(folder, 'src/loop'));
  symlinkSync('nowhere', join(folder, 'src/nothing'));
  const before = read();
  expect(before.match(/\/[\w.]+(?=")/g)).toEqual(
    ['openapi.yaml', 'app.ts', 'name.ts', 'index.ts', 'loop', 'nothing'].map((name) => `/${name}`),
  );
  save('shared/name.ts', 'text');
  expect(read()).not.toBe(before);
});

test.each(['/', '.', '..'])(
  'a link to %s, which contains the project, is refused before anything there is read',
  (target) => {
    symlinkSync(join(process.cwd(), target), join(folder, 'src/link'));
    expect(read).toThrow(`${join(folder, 'src/link')} is a link to a folder that contains the project; remove it`);
  },
);
