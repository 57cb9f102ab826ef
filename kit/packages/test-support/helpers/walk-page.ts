// Follows a page block by block: writes the files that stand above its blocks, runs its commands, and compares what they print.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** A block of code in a page. */
export interface Block {
  /** The file that stands above it. */
  readonly file: string | undefined;
  readonly language: string;
  readonly text: string;
}

/** The blocks of a page, in order. */
export function readPage(page: string): Block[] {
  const blocks = /(?:^\*\*`([^`\n]+)`\*\*\n\n)?^```(\w+)\n(.*?)^```$/gms;
  return [...readFileSync(page, 'utf8').matchAll(blocks)].map(([, file, language = '', text = '']) => ({
    file,
    language,
    text,
  }));
}

/**
 * Follows the blocks in a folder. A `text` block has lines of what the command before it prints, `...` at the end of a line
 * stands for its rest; only such a command may fail.
 *
 * @returns the output of each command that fails or does not print what the page shows, and what it lacks
 */
export function followBlocks(blocks: readonly Block[], folder: string): string[] {
  const faults: string[] = [];
  let output = '';
  for (const [index, { file, language, text }] of blocks.entries()) {
    if (file !== undefined) {
      changeFile(resolve(folder, file), (before) => (language === 'diff' ? applyDiff(before, text) : text));
    } else if (language === 'sh') {
      const ran = runCommand(text, folder);
      output = ran.output;
      if (ran.status !== 0 && blocks[index + 1]?.language !== 'text') faults.push(output);
    } else {
      const shown = text.trimEnd().split('\n');
      const missing = shown.filter((line) => !output.includes(line.replace(/ \.\.\.$/, '')));
      if (missing.length > 0) faults.push(output, 'has no', ...missing);
    }
  }
  return faults;
}

/** Changes the text of a file, which may be new. */
function changeFile(path: string, change: (text: string) => string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, change(existsSync(path) ? readFileSync(path, 'utf8') : ''));
}

/** Runs a command of the shell to its end. */
export function runCommand(command: string, folder: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(command, { cwd: folder, shell: true, encoding: 'utf8' });
  const output = stdout + stderr;
  const mistakes = output.match(/ error TS\d+: /g)?.length ?? 0;
  process.stdout.write(`${command.trim()}: ${String(mistakes)} mistakes of types\n`);
  return { status, output };
}

/** Applies the parts of a diff, each of which fits one place only. */
function applyDiff(text: string, diff: string): string {
  return diff.split(/^@@\n/m).reduce((changed, part) => {
    const lines = part.match(/^.*\n/gm) ?? [];
    const [before, after] = ['+', '-'].map((other) =>
      lines
        .filter((line) => !line.startsWith(other))
        .map((line) => line.slice(line === '\n' ? 0 : 1))
        .join(''),
    ) as [string, string];
    if (changed.split(before).length !== 2) throw new Error(`does not fit one place:\n${part}`);
    return changed.replace(before, () => after);
  }, text);
}

/** The rows of the table below a heading of a page, of which the first has the names of the columns. */
export function readTable(page: string, heading: string): string[][] {
  const [, section = ''] = readFileSync(page, 'utf8').split(`# ${heading}\n`);
  const lines = /(?:^\|.*\n)+/m.exec(section)?.[0].match(/^.+$/gm) ?? [];
  const rows = lines.map((line) => line.split('|').slice(1, -1));
  return rows.filter((_, index) => index !== 1).map((cells) => cells.map((cell) => cell.trim()));
}
