// Runs npm in a project, as its owner would.
import { spawnSync } from 'node:child_process';
import { makeForeignEnvironment } from '../../tests/support/foreign-environment';

/** @throws Error with what npm says, when it ends otherwise than it should or does not say what it should */
export function runNpm(cwd: string, args: readonly string[], expected = 0, text = ''): void {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd,
    env: makeForeignEnvironment(),
    encoding: 'utf8',
    maxBuffer: Infinity,
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`npm ${args.join(' ')}: ended with ${String(status)} after ${seconds} s`);
  if (status !== expected || !(stdout + stderr).includes(text)) {
    throw new Error(`npm ${args.join(' ')}: not ${String(expected)} with "${text}"\n${stdout}${stderr}`);
  }
}
