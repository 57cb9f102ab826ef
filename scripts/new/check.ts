import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { QUICK_STEPS } from '../test/steps';
import { createProject } from './create-project';

// What a new project promises, tried as its owner would: its packages are installed, its checks pass, and once a handler
// is written, the conformance suite holds its operation to all that the contract says.

const CONTRACT = 'tests/fixtures/lending.yaml';
const CONFORMANCE = ['run', 'unit', '--', 'conformance.test'];

/** @param isWhole whether all tests of the kit run in the new project too, as its `npm test` has it */
async function main(isWhole: boolean): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'new-')));
  try {
    await createProject({ contract: CONTRACT, folder, name: undefined });
    run(folder, ['ci'], 0, 'added');
    if (isWhole) run(folder, ['test'], 0, '');
    else for (const { npm } of QUICK_STEPS.filter(({ isAlone }) => !isAlone)) run(folder, npm.split(' '), 0, '');
    run(folder, [...CONFORMANCE, 'service.test'], 0, '4 of 4 operations are not built yet');
    writeHandler(folder, `(_request, reply) => reply(200, [])`);
    run(folder, CONFORMANCE, 0, '3 of 4 operations are not built yet');
    writeHandler(folder, `() => Promise.reject(new Error('a bug'))`);
    run(folder, CONFORMANCE, 1, 'the status is 500, not a success');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function writeHandler(folder: string, handler: string): void {
  const text = `import type { Handler } from '../../generated/handlers';\n\nexport const listBooks: Handler<'listBooks'> = ${handler};\n`;
  writeFileSync(join(folder, 'src/handlers/list-books.ts'), text);
}

/** @throws Error with what npm says, when it ends otherwise than it should or does not say what it should */
function run(cwd: string, args: readonly string[], expected: number, text: string): void {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd,
    env: makeEnvironment(),
    encoding: 'utf8',
    maxBuffer: Infinity,
  });
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`npm ${args.join(' ')}: ended with ${String(status)} after ${seconds} s`);
  if (status !== expected || !(stdout + stderr).includes(text)) {
    throw new Error(`npm ${args.join(' ')}: not ${String(expected)} with "${text}"\n${stdout}${stderr}`);
  }
}

/** As on another machine: without what npm tells its scripts, and without the packages that are installed here. */
function makeEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$|NODE_)/.test(name));
  const path = String(process.env['PATH']).split(delimiter);
  const others = path.filter((entry) => !/node_modules|node-gyp-bin/.test(entry));
  return { ...Object.fromEntries(inherited), PATH: others.join(delimiter) };
}

main(process.argv.includes('--whole')).catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 1;
});
