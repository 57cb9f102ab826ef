// The README of a new project.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toHandlerFile } from '../../generate/stubs';
import type { NewContract } from '../read-contract';

const SERVER = dirname(require.resolve('@contract-kit/server/package.json'));
const SERVER_README = join(SERVER, 'README.md');
// Projects are made in the repository of the kit.
const TOKENS_PAGE = join(SERVER, '..', '..', 'docs', 'tokens.md');
// In src/, also for the compiled code in dist/.
const TEMPLATE = join(__dirname, '..', '..', '..', 'src', 'new', 'make', 'readme-template.md');

/** In its template, readme-template.md, `{{title}}` stands for the title, and other names likewise. */
export function makeReadme({ title, description, operations }: NewContract): string {
  const rows = operations.map(
    ({ id, method, path }) => `| \`${id}\` | \`${method} ${path}\` | \`src/handlers/${toHandlerFile({ id })}\` |`,
  );
  const values: Readonly<Record<string, string>> = {
    title,
    description,
    operations: ['| operation | request | handler |', '| --- | --- | --- |', ...rows].join('\n'),
    settings: readSection(SERVER_README, 'Settings'),
    tokens: readSection(TOKENS_PAGE, 'Accepted tokens'),
  };
  return readFileSync(TEMPLATE, 'utf8').replace(/\{\{(\w+)\}\}/g, (_all, name: string) => String(values[name]));
}

function readSection(file: string, heading: string): string {
  const [, section = ''] = readFileSync(file, 'utf8').split(`\n## ${heading}\n`);
  return section.split('\n## ', 1).join('').trim();
}
