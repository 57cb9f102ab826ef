import { readFileSync } from 'node:fs';

/** The blocks of a language in a page, without the indentation that a list gives them. */
export function readBlocks(page: string, language: string): string[] {
  const fences = new RegExp(`^( *)\`\`\`${language}\\n(.*?)^ *\`\`\`$`, 'gms');
  return [...readFileSync(page, 'utf8').matchAll(fences)].map(([, indent = '', code = '']) =>
    code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}
