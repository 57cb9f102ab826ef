// Finds what a Markdown page names and nobody finds: files, headings and tests.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const BLOCK = /^ *```.*?^ *```$/gms;
const LINK = /\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)/g;
// Not the file that a block of a tutorial writes.
const TEST = /(?<!\*\*)`([\w./-]+\.(?:test|proof)\.ts)`/g;

/**
 * @param folder the root of the pages: no link may lead out of it
 * @returns each relative link of a page that leads to no file or heading, and each test that does not exist
 */
export function findBrokenLinks(folder: string, page: string): string[] {
  const text = readFileSync(join(folder, page), 'utf8').replaceAll(BLOCK, '');
  const broken = [...text.matchAll(LINK)].filter(([, path = '', anchor]) => {
    const target = path === '' ? page : join(dirname(page), path);
    if (target.startsWith('..') || !existsSync(join(folder, target))) return true;
    return anchor !== undefined && !listAnchors(join(folder, target)).includes(anchor);
  });
  const lost = [...text.matchAll(TEST)].filter(
    ([, name = '']) => globSync([name, `{proofs,packages/*/tests}/**/${name}`], { cwd: folder }).length === 0,
  );
  return [...broken, ...lost].map(([found]) => `${page}: ${found}`);
}

/** The anchors of the headings of a page, as GitHub makes them. */
function listAnchors(page: string): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
