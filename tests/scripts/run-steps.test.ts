import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKS } from '../../scripts/checks';
import { runSteps, ALL_STEPS, QUICK_STEPS } from '../../scripts/test/run-steps';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const step = (name: string, npm: string, isAlone = false) => ({ name, npm, isAlone });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steps-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('every step is a script of package.json or a check', () => {
  const names = [...QUICK_STEPS, ...ALL_STEPS].map(({ npm }) => npm.replace('check -- ', '').split(' ')[1]);
  expect([...Object.keys(scripts), ...Object.keys(CHECKS)]).toEqual(expect.arrayContaining(names));
});

test('all that `npm test` runs, CI runs, too', () => {
  const names = ALL_STEPS.map(({ name }) => name);
  // `types` builds, and `coverage` runs all tests.
  const isHeld = (name: string): boolean => names.includes(name) || ['build', 'plant-store', 'packages'].includes(name);
  expect(QUICK_STEPS.filter(({ name }) => !isHeld(name))).toEqual([]);
});

test('npm run check lists the checks, runs one with arguments, and says what became of an old name', () => {
  const run = (...args: string[]) =>
    spawnSync('npm', ['run', '--silent', 'check', '--', ...args], { encoding: 'utf8' });
  const listed = run().stdout.match(/^[a-z:-]+(?= {2})/gm);
  expect(listed).toEqual(Object.keys(CHECKS));
  const options = { status: 1, stderr: expect.stringContaining("Unknown option '--chec'") as string };
  expect(run('generate', '--chec')).toMatchObject(options);
  expect(run('conformance:teeth')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('conformance:teeth is: npm run check -- sensitivity\n') as string,
  });
  expect(run('tooth').status).toBe(2);
});

test('a step that fails is told with what it wrote, and the steps after it run', async () => {
  const logs = new Map<string, string>();
  const steps = [step('first', 'exec -- node --no-such-option'), step('second', '--version')];
  const outcomes = await runSteps(
    steps,
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

test('three steps run at a time, and one that has to be alone waits for the others', async () => {
  const told: string[] = [];
  await runSteps(
    [...['a', 'b', 'c'].map((name) => step(name, '--version')), step('d', '--version', true), step('e', '--version')],
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
  await runSteps(steps, { begin: () => undefined, end: ({ name }, _outcome, log) => logs.set(name, log) }, folder);
  expect(logs.get('own')).toMatch(/^20$/m);
});
