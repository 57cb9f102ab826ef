import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toHandlerFile } from '../../generate/handler-files';
import type { NewContract } from '../read-contract';

const TEMPLATE = join(__dirname, 'readme-template.md');

/** The README of a new project: what it is, how its handlers are written, its settings. */
export function makeReadme({ title, description, operations }: NewContract): string {
  const rows = operations.map(
    ({ id, method, path }) => `| \`${id}\` | \`${method} ${path}\` | \`src/handlers/${toHandlerFile({ id })}\` |`,
  );
  const values: Readonly<Record<string, string>> = {
    title,
    description,
    operations: ['| operation | request | handler |', '| --- | --- | --- |', ...rows].join('\n'),
    settings: readSettings(),
    tokens: readSection('Accepted tokens'),
  };
  return readFileSync(TEMPLATE, 'utf8').replace(/\{\{(\w+)\}\}/g, (_all, name: string) => String(values[name]));
}

/** The table of settings as it is here, without those that only this service has. */
function readSettings(): string {
  const config = readFileSync('src/process/config.ts', 'utf8');
  const lines = readSection('Settings').match(/^\|.*\|$/gm) ?? [];
  const rows = lines.filter((line) => {
    const [cell = ''] = line.split('|').slice(1);
    return [...cell.matchAll(/`([A-Z_]+)`/g)].every(([, name]) => config.includes(`'${String(name)}'`));
  });
  return rows.join('\n');
}

/** A section of the README that holds for any service. */
function readSection(heading: string): string {
  const [, section = ''] = readFileSync('README.md', 'utf8').split(`\n## ${heading}\n`);
  return section.split('\n## ', 1).join('').trim();
}
