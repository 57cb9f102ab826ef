import { spawnSync, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CHECKS } from '../../scripts/checks';
import { ALL_PHASES, KIT_PHASES, PLANT_STORE_PHASES, runPhases } from '../../scripts/test';
import { assertNoLink, replaceRow } from '../../scripts/check';
import { summarize, toInterval } from '../mutation/result';
import { useFolder } from '../../tests/support/use-folder';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const step = (name: string, npm: string) => ({ name, npm });
const quickSteps = [...PLANT_STORE_PHASES, ...KIT_PHASES].flat();

const folder = useFolder();

test('every step that npm runs by a name is a script of package.json or a check', () => {
  const commands = [...quickSteps, ...ALL_PHASES.flat()].map(({ npm }) => npm).filter((npm) => npm.startsWith('run '));
  const names = commands.map((npm) => npm.replace('check -- ', '').split(' ')[1]);
  expect([...Object.keys(scripts), ...Object.keys(CHECKS)]).toEqual(expect.arrayContaining(names));
});

test('all that `npm test` and `npm run test:kit` run, `npm run test:all` runs, too', () => {
  const names = ALL_PHASES.flat().map(({ name }) => name);
  // `types` builds, and `coverage` runs all tests.
  const isHeld = (name: string): boolean => names.includes(name) || ['build', 'tests', 'packages'].includes(name);
  expect(quickSteps.filter(({ name }) => !isHeld(name))).toEqual([]);
});

test('npm run check lists the checks, and runs one with arguments', () => {
  const run = (...args: string[]) =>
    spawnSync('npm', ['run', '--silent', 'check', '--', ...args], { encoding: 'utf8' });
  const listed = run().stdout.match(/^[a-z:-]+(?= {2})/gm);
  expect(listed).toEqual(Object.keys(CHECKS));
  const options = { status: 1, stderr: expect.stringContaining("Unknown option '--chec'") as string };
  expect(run('generate', '--chec')).toMatchObject(options);
  expect(run('tooth').status).toBe(2);
});

test('a step that fails is told with what it wrote, and the steps after it run', async () => {
  const logs = new Map<string, string>();
  const steps = [step('first', 'exec -- node --no-such-option'), step('second', '--version')];
  const outcomes = await runPhases(
    [steps],
    { begin: () => undefined, end: ({ name }, _outcome, log) => logs.set(name, log) },
    folder,
  );
  expect(outcomes.map(({ name, isGreen }) => [name, isGreen]).sort()).toEqual([
    ['first', false],
    ['second', true],
  ]);
  expect(logs.get('first')).toContain('bad option: --no-such-option');
  expect(logs.get('second')).toMatch(/^\d+\.\d+\.\d+\n$/m);
  expect(readFileSync(join(folder, 'first.log'), 'utf8')).toBe(logs.get('first'));
});

test('three steps of a phase run at a time, and the next phase waits for all of them', async () => {
  const told: string[] = [];
  await runPhases(
    [['a', 'b', 'c'], ['d'], ['e']].map((names) => names.map((name) => step(name, '--version'))),
    { begin: ({ name }) => told.push(`begin ${name}`), end: ({ name }) => told.push(`end ${name}`) },
    folder,
  );
  expect(told.slice(0, 3)).toEqual(['begin a', 'begin b', 'begin c']);
  expect(told.slice(3, 6).sort()).toEqual(['end a', 'end b', 'end c']);
  expect(told.slice(6)).toEqual(['begin d', 'end d', 'begin e', 'end e']);
});

test('a step has its variables, unless whoever runs it set them', async () => {
  const logs = new Map<string, string>();
  const npm = 'exec -- node -p process.env.ROUNDS+process.env.PATH.slice(0,0)';
  const steps = [{ ...step('own', npm), env: { ROUNDS: '20', PATH: '/nowhere' } }];
  await runPhases([steps], { begin: () => undefined, end: ({ name }, _outcome, log) => logs.set(name, log) }, folder);
  expect(logs.get('own')).toMatch(/^20$/m);
});

const PAGE = readFileSync('docs/proofs.md', 'utf8');

test('docs/proofs.md has a row for each proof that is recorded, and no other', () => {
  expect(replaceRow(PAGE, '')).toBe(PAGE);
  const names = [...PAGE.matchAll(/^\| \[?([a-z:-]+)/gm)].map(([, name]) => name);
  expect(names).toEqual(['proof', ...Object.keys(CHECKS).filter((name) => CHECKS[name]?.isRecorded)]);
});

describe('npm run check -- schema-suite --record', () => {
  let repository: string;
  const read = (): string =>
    String(/^\| schema-suite .*$/m.exec(readFileSync(join(repository, 'docs/proofs.md'), 'utf8')));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: repository });

  function commit(script: string): void {
    writeFileSync(join(repository, 'proofs/schema-suite/run.ts'), script);
    git('add', '.');
    git('commit', '--quiet', '--message', 'test: a proof');
  }

  function record(...args: readonly string[]) {
    const env = {
      ...process.env,
      TS_NODE_PROJECT: resolve('tsconfig.json'),
      npm_package_config_source: '--no-warnings',
    };
    const script = ['--require', require.resolve('ts-node/register/transpile-only'), resolve('scripts/check.ts')];
    const all = [...script, 'schema-suite', ...args, '--record'];
    return spawnSync(process.execPath, all, { cwd: repository, env, encoding: 'utf8' });
  }

  beforeEach(() => {
    repository = mkdtempSync(join(folder, 'record-'));
    for (const name of ['proofs/schema-suite', 'docs']) mkdirSync(join(repository, name), { recursive: true });
    git('init', '--quiet');
    writeFileSync(join(repository, 'docs/proofs.md'), PAGE);
  });

  test('writes the result, the options without paths, the day and the commit', () => {
    commit("console.log('result: 3 | 4\\nmore');");
    expect(record('--suite', '/somewhere/else')).toMatchObject({ status: 0, stdout: 'result: 3 | 4\nmore\n' });
    const head = git('rev-parse', '--short', 'HEAD').toString().trim();
    const day = new Date().toISOString().split('T', 1).join('');
    expect(read()).toContain(String.raw`| schema-suite | 3 \| 4 | ${'`--suite DIR`'} | ${day} | ${head} | `);
    commit("console.log('result: 5');");
    record();
    expect(read()).toContain('| schema-suite | 5 |  | ');
  });

  test('writes that it failed', () => {
    commit("console.log('result: 2 differ'); process.exitCode = 3;");
    expect(record().status).toBe(3);
    expect(read()).toContain('| schema-suite | FAILED: 2 differ | ');
    commit('throw new Error();');
    record();
    expect(read()).toContain('| schema-suite | FAILED: the proof ended without a result | ');
  });

  test('writes nothing of a changed tree, or of a proof without a result', () => {
    commit('');
    expect(record()).toMatchObject({
      status: 2,
      stderr: 'the proof passed without printing a line that begins with "result: "\n',
    });
    commit("require('node:fs').writeFileSync('left.txt', ''); console.log('result: 1');");
    const refused = {
      status: 2,
      stderr: expect.stringMatching(/^the result is not recorded, .*\nleft.txt\n/) as string,
    };
    expect(record()).toMatchObject({ ...refused, stdout: 'result: 1\n' });
    expect(record()).toMatchObject({ ...refused, stdout: '' });
    expect(readFileSync(join(repository, 'docs/proofs.md'), 'utf8')).toBe(PAGE);
  });
});

const repeat = (times: number, file: string, status: string) => Array.from({ length: times }, () => ({ file, status }));

test.each([
  // R. G. Newcombe, Two-sided confidence intervals for the single proportion, 1998, table I, method 3.
  [81, 263, [0.2553, 0.3662]],
  [15, 148, [0.0624, 0.1605]],
  [0, 20, [0, 0.1611]],
  [1, 29, [0.0061, 0.1718]],
])('the interval of %i in %i is that of the literature', (count, total, limits) => {
  expect(toInterval(count, total).map((limit) => Number(limit.toFixed(4)))).toEqual(limits);
});

test('a sample has the share of each group, and the files of its survivors', () => {
  const outcomes = [
    ...repeat(17, 'packages/server/src/a.ts', 'Killed'),
    ...repeat(1, 'packages/store/src/b.ts', 'Timeout'),
    ...repeat(2, 'packages/store/src/b.ts', 'Survived'),
    ...repeat(1, 'src/c.ts', 'NoCoverage'),
    ...repeat(6, 'src/c.ts', 'Killed'),
    ...repeat(10, 'src/c.ts', 'Ignored'),
  ];
  expect(summarize(outcomes)).toEqual({
    line: 'contract, server and store 90.0 % of 20 detected (95 % interval: 69.9 to 97.2); the rest 85.7 % of 7 detected (95 % interval: 48.7 to 97.4); 27 of 37 mutants',
    isEnough: true,
    files: [
      { file: 'packages/store/src/b.ts', tried: 3, survived: 2 },
      { file: 'src/c.ts', tried: 7, survived: 1 },
    ],
  });
  expect(summarize([...outcomes, ...repeat(1, 'packages/server/src/a.ts', 'Survived')]).isEnough).toBe(false);
});

test('what the end of the time cut counts for nothing, covered or not', () => {
  const cut = [...repeat(3, 'src/c.ts', 'RuntimeError'), ...repeat(5, 'src/c.ts', 'NoCoverage')];
  const run = [...repeat(4, 'src/c.ts', 'Killed'), ...cut];
  expect(summarize(run).line).toMatch(/^the rest 100\.0 % of 4 detected .* 4 of 12/);
  expect(summarize(run, run).line).toMatch(/^the rest 100\.0 % of 8 detected .* 8 of 24/);
});

test('a result is not recorded through a link, neither of the page nor of its folder', () => {
  const [inside, outside] = [mkdtempSync(join(folder, 'inside-')), mkdtempSync(join(folder, 'outside-'))];
  mkdirSync(join(inside, 'docs'));
  const assertPage = (page: string) => () => {
    assertNoLink(inside, page);
  };
  expect(assertPage('docs/proofs.md')).not.toThrow();
  symlinkSync(join(outside, 'nowhere.md'), join(inside, 'docs/proofs.md'));
  expect(assertPage('docs/proofs.md')).toThrow('docs/proofs.md is a symbolic link');
  symlinkSync(outside, join(inside, 'linked'));
  expect(assertPage('linked/proofs.md')).toThrow('linked/proofs.md is a symbolic link or behind one');
});
