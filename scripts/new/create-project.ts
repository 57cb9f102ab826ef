import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { assertStarts } from './assert-starts';
import { makeFiles, type NewFiles } from './make-files';
import { pruneAllowedScripts, pruneLockFile } from './make/lock-file';
import { NewError, type Options } from './options';
import { readContract, type NewContract } from './read-contract';
import { toName } from './to-name';

/** A project that was made. */
export interface NewProject {
  readonly name: string;
  readonly contract: NewContract;
  /** How many files it has. */
  readonly size: number;
}

/** @throws NewError when it cannot be made; then nothing is left of it */
export async function createProject({ contract: file, folder, name: given }: Options): Promise<NewProject> {
  const root = resolve(folder);
  assertFree(root, folder);
  const contract = await readContract(file);
  const name = given ?? toName(contract.title);
  const files = await makeFiles(name, contract);
  const isNew = !existsSync(root);
  try {
    write(root, files);
    pruneLockFile(root);
    pruneAllowedScripts(root);
    assertStarts(root, file);
  } catch (error) {
    const made = [...files.copied, ...Object.keys(files.made)].map((path) => join(root, String(path.split('/')[0])));
    for (const path of isNew ? [root] : made) rmSync(path, { recursive: true, force: true });
    throw error;
  }
  return { name, contract, size: files.copied.length + Object.keys(files.made).length };
}

function assertFree(root: string, folder: string): void {
  if (!relative(process.cwd(), root).startsWith('..')) {
    throw new NewError(`${folder} is within this project, which would check it as its own: choose a folder elsewhere`);
  }
  if (!existsSync(root)) return;
  if (!statSync(root).isDirectory()) throw new NewError(`${folder} is a file`);
  if (readdirSync(root).length > 0) throw new NewError(`${folder} is not empty`);
}

function write(root: string, { copied, made }: NewFiles): void {
  for (const file of [...copied, ...Object.keys(made)]) mkdirSync(dirname(join(root, file)), { recursive: true });
  for (const file of copied) copyFileSync(file, join(root, file));
  for (const [file, text] of Object.entries(made)) writeFileSync(join(root, file), text);
}
