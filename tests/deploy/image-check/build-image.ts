import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import type { Stage, Step } from './read-dockerfile';

/** Where the steps are carried out. */
export interface Place {
  /** A stage's root is in it, by the stage's name. */
  readonly folder: string;
  /** What of the current folder may be copied. */
  readonly context: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Carries out what a stage copies and runs, below a folder that stands for the root of its file system.
 *
 * @returns the working directory
 */
export function buildStage(stage: Stage, place: Place): string {
  const root = join(place.folder, stage.name);
  mkdirSync(root, { recursive: true });
  let cwd = '/';
  for (const step of stage.steps) {
    if (step.keyword === 'WORKDIR') {
      cwd = resolve(cwd, step.text);
      mkdirSync(root + cwd, { recursive: true });
    } else if (step.keyword === 'COPY') {
      copy(step, root, cwd, place);
    } else if (step.keyword === 'RUN') {
      run(step.text, root, cwd, place);
    }
  }
  return root + cwd;
}

function copy({ flags, text }: Step, root: string, cwd: string, { folder, context }: Place): void {
  const paths = text.split(/\s+/);
  const target = String(paths.pop());
  const destination = root + resolve(cwd, target);
  const isFolder = target.endsWith('/') || (existsSync(destination) && statSync(destination).isDirectory());
  for (const path of paths) {
    const { from } = flags;
    if (from === undefined && !context.includes(String(path.split('/')[0]))) {
      throw new Error(`COPY ${path}: Dockerfile.dockerignore keeps it away`);
    }
    const source = from === undefined ? path : join(folder, from, path);
    // As in a Dockerfile: a file goes into a folder, of a folder what is in it.
    const isInto = isFolder && statSync(source).isFile();
    cpSync(source, isInto ? join(destination, basename(path)) : destination, {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

function run(text: string, root: string, cwd: string, { env }: Place): void {
  console.log(`RUN ${text}`);
  const command = text.replace(/(?<=\s)\/(?=\w)/g, root + sep);
  const { status } = spawnSync('sh', ['-c', command], { cwd: root + cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`RUN ${text}: ended with ${String(status)}`);
}
