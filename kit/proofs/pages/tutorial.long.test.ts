import { join } from 'node:path';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { followBlocks, readPage } from '@contract-kit/test-support/walk-page';

// docs/tutorial.md is a promise: this walks it, block by block, from this repository to a project of its own.

const folder = useFolder();

test('each block does what the page says, and what it leads to is clean', () => {
  const project = join(folder, 'sightings');
  const place = (text: string): string => text.replaceAll('../sightings', project);
  const blocks = readPage('docs/tutorial.md').map(({ file, language, text }) => ({
    file: file && place(file),
    language,
    text: place(text),
  }));
  // The last one does not end: it starts the service, as the `--check` before it has done.
  expect(blocks.pop()?.text).toBe('npm start\n');
  const moved = blocks.findIndex(({ text }) => text.startsWith('cd '));
  expect([...followBlocks(blocks.slice(0, moved), '.'), ...followBlocks(blocks.slice(moved), project)]).toEqual([]);
});
