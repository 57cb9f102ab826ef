// Copies a contract for a project.
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { Source, getLineColLocation } from '@redocly/openapi-core';
import { parsePart } from '@contract-kit/server/contract';
import {
  type ContractFile,
  type FileReference,
  YAML_OR_JSON_FILE,
  findFileReferences,
  readContractFiles,
  toFragment,
  toPlace,
  toReference,
  toReferencedPath,
} from '../bundle/contract-files';
import { type Place, toLines } from '../diagnostics/diagnostic';
import { ProjectError } from './kit';

/** Where a project has its contract. */
export const CONTRACT = 'openapi.yaml';

// The folder of the files that the contract refers to: it has no other files, and none of them is run.
const FOLDER = 'contract/';

// Paths that some systems do not allow, that .gitignore excludes, or that npm and Jest take for a package.
const UNSUPPORTED_PATH = /[\\:\p{C}]|\/node_modules\/|\/package\.json$/iu;
const EXECUTABLE_BITS = 0o111;

/**
 * Makes the files that a project has its contract in: the contract as openapi.yaml, what it refers to in contract/, by
 * its path. References between the two are rewritten; all else stays as it is written.
 *
 * @returns the text of each file by its path
 * @throws ProjectError with each reference to what a project does not take, one line each
 */
export function copyContract(file: string): Readonly<Record<string, string>> {
  const { root, files, errors: unread } = readContractFiles(readFileSync(file, 'utf8'), file);
  const folder = realpathSync(dirname(file));
  const errors = [...unread];
  const firstByPath = new Map<string, ContractFile>();
  const copies = [...files].map(([path, file]) => {
    const newPath = toNewPath(file);
    const addError = ({ reference, pointer }: FileReference, error: string): void => {
      const locate = (): Place => toPlace(file, pointer, 'value');
      errors.push({ message: `${JSON.stringify(reference)} ${error}`, locate });
    };
    const rewrites = [...findFileReferences(file.parsed)].flatMap((found) => {
      const { reference } = found;
      const target = files.get(toReferencedPath(files, path, reference) ?? '');
      // That is one of them already.
      if (!target) return [];
      const error = findError(target);
      if (error !== undefined) addError(found, error);
      const newTarget = toNewPath(target);
      if (target.url || toReferencedPath(files, join(folder, newPath), reference) === join(folder, newTarget))
        return [];
      return [{ ...found, next: toReference(newPath, newTarget) + toFragment(reference) }];
    });
    const { rewritten, unchanged } = rewriteReferences(file, rewrites);
    for (const found of unchanged) addError(found, 'is to be rewritten: write it in one line, and not as an alias');
    return [newPath, rewritten] as const;
  });
  if (errors.length > 0) throw new ProjectError(toLines(errors).join('\n'));
  return Object.fromEntries(copies);

  function toNewPath(file: ContractFile): string {
    if (file === root) return CONTRACT;
    const path = file.path.split(sep).join('/');
    // A contract of another project is in this folder already.
    return path.startsWith(FOLDER) ? path : FOLDER + path;
  }

  // Tells why a project does not take a file; undefined if it does.
  function findError(own: ContractFile): string | undefined {
    if (own === root) return undefined;
    const newPath = toNewPath(own);
    if (UNSUPPORTED_PATH.test(newPath)) return 'has a path that a project does not keep: rename it';
    if (!YAML_OR_JSON_FILE.test(newPath)) return 'is no data: a project takes .yaml, .yml and .json';
    const path = join(folder, own.path);
    if (realpathSync(path) !== path) return 'is a link: put the file itself there';
    if ((statSync(path).mode & EXECUTABLE_BITS) !== 0) return 'is executable: chmod -x makes it data';
    // Some file systems are case-insensitive.
    const key = newPath.normalize().toLowerCase();
    const first = firstByPath.get(key) ?? own;
    firstByPath.set(key, first);
    return first === own ? undefined : `has the path of ${first.path} in a project: rename it`;
  }
}

/** A reference, and the one that is to be in its place. */
interface Rewrite extends FileReference {
  readonly next: string;
}

/**
 * Rewrites references in the text of a file, which is otherwise as it was.
 *
 * @returns the new text, and the references that are not written as a text of one line, such as an alias: these stay
 */
function rewriteReferences(
  { name, text }: ContractFile,
  rewrites: readonly Rewrite[],
): { rewritten: string; unchanged: readonly FileReference[] } {
  const source = new Source(name, text);
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const toOffset = ({ line, col }: { line: number; col: number }): number => Number(lineStarts[line - 1]) + col - 1;
  const unchanged: FileReference[] = [];
  const edits = rewrites.flatMap((rewrite) => {
    const { reference, pointer, next } = rewrite;
    const { start, end = start } = getLineColLocation({ source, pointer, reportOnKey: false });
    const [from, to] = [toOffset(start), toOffset(end)];
    const writtenText = text.slice(from, to);
    if (writtenText === reference) return [{ from, to, next }];
    if (isQuoted(writtenText, reference))
      return [{ from, to, next: writtenText.startsWith('"') ? JSON.stringify(next) : quote(next) }];
    unchanged.push(rewrite);
    return [];
  });
  // Rewrite from the end, so that the earlier offsets stay valid.
  const rewritten = edits
    .sort((left, right) => right.from - left.from)
    .reduce((rewrittenText, { from, to, next }) => rewrittenText.slice(0, from) + next + rewrittenText.slice(to), text);
  return { rewritten, unchanged };
}

// YAML 1.2.2 section 7.3.2.
function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function isQuoted(written: string, reference: string): boolean {
  return /^['"]/.test(written) && parsePart(written, '') === reference;
}
