import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toHandlerFile } from '../../generate/handler-files';
import type { NewContract } from '../read-contract';

const SERVER_README = join(dirname(require.resolve('@contract-kit/server/package.json')), 'README.md');
// In src/, also for the compiled code in dist/.
const TEMPLATE = join(__dirname, '..', '..', '..', 'src', 'new', 'make', 'readme-template.md');

/** The README of a new project: what it is, how its handlers are written, its settings. */
export function makeReadme({ title, description, operations }: NewContract): string {
  const rows = operations.map(
    ({ id, method, path }) => `| \`${id}\` | \`${method} ${path}\` | \`src/handlers/${toHandlerFile({ id })}\` |`,
  );
  const values: Readonly<Record<string, string>> = {
    title,
    description,
    operations: ['| operation | request | handler |', '| --- | --- | --- |', ...rows].join('\n'),
    settings: readSection('Settings'),
    tokens: readSection('Accepted tokens'),
  };
  return readFileSync(TEMPLATE, 'utf8').replace(/\{\{(\w+)\}\}/g, (_all, name: string) => String(values[name]));
}

/** A section of the README of the package that serves. */
function readSection(heading: string): string {
  const [, section = ''] = readFileSync(SERVER_README, 'utf8').split(`\n## ${heading}\n`);
  return section.split('\n## ', 1).join('').trim();
}
