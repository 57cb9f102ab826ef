// Reads what pages have in blocks of code.
import { readFileSync } from 'node:fs';

/** The blocks of a language in a page, without the indentation that a list gives them. */
export function readBlocks(page: string, language: string): string[] {
  const fences = new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\`$`, 'gms');
  return [...readFileSync(page, 'utf8').matchAll(fences)].map(([, indent = '', code = '']) =>
    code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** Adds to a document what an excerpt of it has more, at any depth. */
export function mergeInto(document: unknown, excerpt: object): void {
  const target = document as Record<string, unknown>;
  for (const [name, value] of Object.entries(excerpt) as [string, unknown][]) {
    const known = target[name];
    if (isObject(known) && isObject(value)) mergeInto(known, value);
    else target[name] = value;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
