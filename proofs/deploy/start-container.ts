// Starts what a deployment starts, in the environment that it gets there, as a process of this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempDisposableSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPort } from '../../tests/support/listen-on-loopback';
import { askStatus, createLoad, untilLoaded } from './load-service';
import { findTexts, readEnv, toCommand, type Stage } from './read-dockerfile';

const PLANTS = 100;

/** What an engine or systemd would start. All paths are those of its file system. */
export interface Container {
  /** The folder with the built project. */
  readonly home: string;
  readonly cwd: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The folders that are there besides, with the texts of their files. */
  readonly folders: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** What a deployment says beyond the image. */
export interface Deployment {
  readonly env: Readonly<Record<string, string>>;
  readonly folders: Container['folders'];
  /** What replaces ENTRYPOINT. */
  readonly entrypoint?: readonly string[] | undefined;
  /** What replaces CMD. */
  readonly args?: readonly string[] | undefined;
}

/** Joins an image and its deployment, as container engines do: of an environment variable, the deployment's value counts. */
export function joinImage(stage: Stage, { env, folders, entrypoint, args }: Deployment): Container {
  const [home = '/', ...others] = findTexts(stage, 'WORKDIR');
  const [own = '[]', command = '[]'] = ['ENTRYPOINT', 'CMD'].map((keyword) => findTexts(stage, keyword).at(-1));
  const volumes = findTexts(stage, 'VOLUME').map((volume) => [volume, {}] as const);
  return {
    home,
    cwd: others.at(-1) ?? home,
    command: [...(entrypoint ?? toCommand(own)), ...(args ?? (entrypoint ? [] : toCommand(command)))],
    env: { ...readEnv(stage), ...env },
    folders: { ...Object.fromEntries(volumes), ...folders },
  };
}

/** @returns the status of a page of the admin port, or undefined when nobody answers */
export type AskAdmin = (path: string) => Promise<number | undefined>;

/** What to try beside the start, the load and the end. */
interface Trial {
  /** The built project that it has. */
  readonly project?: string;
  /** Called as soon as the process answers. */
  readonly whileStarting?: (ask: AskAdmin) => Promise<void>;
  /** Called under load, with the root of its file system. */
  readonly whileServing?: (ask: AskAdmin, root: string) => Promise<void> | void;
}

/**
 * Starts it with its environment and nothing of this process, except that its ports are free ones. Once it is ready,
 * clients create plants until it ends, at SIGTERM, and none of their requests may be lost.
 *
 * @returns how many plants were acknowledged
 * @throws Error with all that it wrote, when it ends by itself
 */
export async function tryContainer(
  { home, cwd, command, env, folders }: Container,
  { project = '.', whileStarting, whileServing }: Trial = {},
): Promise<number> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'container-'));
  const root = folder.path;
  mkdirSync(root + dirname(home), { recursive: true });
  symlinkSync(resolve(project), root + home);
  for (const [path, files] of Object.entries(folders)) {
    mkdirSync(root + path, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, path, name), text);
  }
  const [program = '', ...args] = command.map((text) => toHost(text, root));
  const own = Object.entries(env).map(([name, value]) => [name, toHost(value, root)] as const);
  const [port, adminPort] = [String(await findPort()), String(await findPort())];
  const child = spawn(program, args, {
    cwd: root + cwd,
    env: { ...Object.fromEntries(own), PATH: dirname(process.execPath), PORT: port, ADMIN_PORT: adminPort },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  const ask: AskAdmin = (path) => askStatus(`http://127.0.0.1:${adminPort}${path}`);
  const untilOk = async (path: string): Promise<void> => {
    while ((await ask(path)) !== 200) {
      if (child.exitCode !== null) throw new Error(`${basename(program)} ended: ${output}`);
      await sleep(20);
    }
  };
  try {
    await untilOk('/livez');
    await whileStarting?.(ask);
    await untilOk('/readyz');
    const load = createLoad(`http://127.0.0.1:${port}`);
    await untilLoaded(load, PLANTS);
    await whileServing?.(ask, root);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await load.ended;
    return load.count();
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** A text with the paths of a container, as paths below a folder of this machine; those of URLs stay. */
function toHost(text: string, root: string): string {
  return text.replaceAll(/(?<=^|[\s:=])\/(?=\w)/g, `${root}/`);
}
