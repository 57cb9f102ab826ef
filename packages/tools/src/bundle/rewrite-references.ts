// Rewrites references where they are written.
import { getLineColLocation, Source } from '@redocly/openapi-core';
import { parsePart } from '@contract-kit/server/contract';
import type { ContractFile } from './contract-files';
import type { FileReference } from './find-file-references';

/** A reference, and the one that is to be in its place. */
export interface Rewrite extends FileReference {
  readonly next: string;
}

/**
 * Rewrites references in the text of a file, which is otherwise as it was.
 *
 * @returns the new text, and the references that are not written as a text of one line, such as an alias: these stay
 */
export function rewriteReferences(
  { name, text }: ContractFile,
  rewrites: readonly Rewrite[],
): { rewritten: string; left: readonly FileReference[] } {
  const source = new Source(name, text);
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const toOffset = ({ line, col }: { line: number; col: number }): number => Number(lineStarts[line - 1]) + col - 1;
  const left: FileReference[] = [];
  const edits = rewrites.flatMap((rewrite) => {
    const { reference, pointer, next } = rewrite;
    const { start, end = start } = getLineColLocation({ source, pointer, reportOnKey: false });
    const [from, to] = [toOffset(start), toOffset(end)];
    const written = text.slice(from, to);
    if (written === reference) return [{ from, to, next }];
    if (isQuoted(written, reference))
      return [{ from, to, next: written.startsWith('"') ? JSON.stringify(next) : quote(next) }];
    left.push(rewrite);
    return [];
  });
  // From the end, so that the places of the others stay.
  const rewritten = edits
    .sort((one, other) => other.from - one.from)
    .reduce((rest, { from, to, next }) => rest.slice(0, from) + next + rest.slice(to), text);
  return { rewritten, left };
}

// YAML 1.2.2 section 7.3.2.
function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function isQuoted(written: string, reference: string): boolean {
  return /^['"]/.test(written) && parsePart(written, '') === reference;
}
