import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes an empty folder, which is removed after the tests of the file, or of the block, that calls this. */
export function useFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'test-')));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
