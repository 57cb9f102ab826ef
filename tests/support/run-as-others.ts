import { execFile } from 'node:child_process';
import { makeForeignEnvironment } from './foreign-environment';
import { TOKEN } from './start-things';

/** What came of a command. */
export interface Ended {
  readonly status: number;
  readonly output: string;
}

const env = { ...makeForeignEnvironment(), TOKEN };

/** Runs a command as on another machine, with the variable TOKEN. */
export function run(cwd: string, command: string, ...args: readonly string[]): Promise<Ended> {
  return new Promise((done) => {
    execFile(command, args, { cwd, env, maxBuffer: 1024 ** 3 }, (error, stdout, stderr) => {
      done({ status: error ? Number(error.code) : 0, output: `${stdout}${stderr}` });
    });
  });
}

/** It ended well, and said a text. */
export const ok = (text: string): Ended => ({ status: 0, output: expect.stringContaining(text) as string });
