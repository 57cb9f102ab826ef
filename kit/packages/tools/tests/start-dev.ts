import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeProject, CONTRACT_KIT } from './make-project';

/** `npm run dev` in a copy of the project. */
export interface RunningDev extends AsyncDisposable {
  readonly folder: string;
  /** Where it listens, from the first server to the last. */
  readonly url: () => Promise<string>;
  /** Waits for the next server, and for the end of the one before. */
  readonly swapped: () => Promise<void>;
  /** Waits for a text after those that were waited for before, and gives its first group. */
  readonly waitFor: (pattern: RegExp) => Promise<string>;
  /** What came after that. */
  readonly rest: () => string;
  /** Changes a file, or makes it, at once: nothing sees a half of it. */
  readonly save: (name: string, change: (text: string) => string) => void;
}

/** What is not as usual. */
export interface DevOptions {
  readonly contract?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly args?: readonly string[];
  /** Is given the folder of the project before the command starts. */
  readonly prepare?: (folder: string) => void;
}

// A server tells dev only at the level debug that it stops.
const ENVIRONMENT = { PORT: '0', ADMIN_PORT: '0', API_TOKENS: 'a-token-for-the-tests', LOG_LEVEL: 'debug' };

// Less than what Jest has, to tell what came instead.
const PATIENCE_MS = 240_000;

export async function startDev({ contract, env, args = [], prepare }: DevOptions = {}): Promise<RunningDev> {
  const project = await makeProject(contract);
  const { folder } = project;
  prepare?.(folder);
  // A file for both streams keeps their lines in order.
  const log = join(folder, 'output');
  const output = openSync(log, 'a');
  const dev = spawn(process.execPath, [...CONTRACT_KIT, 'dev', '--project', 'src/tsconfig.json', ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...ENVIRONMENT, ...env },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const ended = once(dev, 'close');
  let position = 0;
  const rest = (): string => readFileSync(log, 'utf8').slice(position);

  async function waitFor(pattern: RegExp): Promise<string> {
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end && dev.exitCode === null;) {
      const found = pattern.exec(rest());
      if (found) {
        position += found.index + found[0].length;
        return String(found[1]);
      }
      await new Promise((resume) => setTimeout(resume, 10));
    }
    throw new Error(`nothing like ${String(pattern)} came: ${rest()}`);
  }

  return {
    folder,
    async url() {
      await waitFor(/dev: started in (\d+\.\d) s\n/);
      // The server writes it, and dev the line above: neither is always first.
      position = 0;
      return waitFor(/"url":"([^"]+)".*"msg":"listening"/);
    },
    async swapped() {
      await waitFor(/dev: (?:mended; )?restarted in (\d+\.\d) s\n/);
      await waitFor(/"msg":"(stopped)"/);
    },
    waitFor,
    rest,
    save(name, change) {
      const file = join(folder, name);
      mkdirSync(dirname(file), { recursive: true });
      const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
      const saved = join(folder, 'saved');
      writeFileSync(saved, change(text));
      renameSync(saved, file);
    },
    async [Symbol.asyncDispose]() {
      dev.kill('SIGTERM');
      await ended;
      project[Symbol.dispose]();
    },
  };
}
