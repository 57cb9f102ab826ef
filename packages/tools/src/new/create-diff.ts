// Compares two texts line by line.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFiles } from './create-project';

export function createDiff(before: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'update-'));
  try {
    writeFiles(folder, { before, after: text });
    const args = ['diff', '--no-index', '--no-color', '--no-ext-diff', '--', 'before', 'after'];
    const { stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
    // The header of `git diff` ends before the first line with @@. Of equal texts, the output is empty.
    return stdout.slice(Math.max(0, stdout.indexOf('\n@@') + 1));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
