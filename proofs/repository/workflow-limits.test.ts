import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS } from '../../scripts/checks';
import { ALL_PHASES } from '../../scripts/test';
import { parseYaml } from '../../packages/contract/src/1-parse/parse-yaml';

interface Job {
  readonly 'timeout-minutes': number;
  readonly strategy?: { readonly matrix: { readonly proof?: readonly { readonly run: string }[] } };
  readonly steps: readonly { readonly run?: string }[];
}

const FOLDER = '.github/workflows';
const proofs = readFileSync('docs/proofs.md', 'utf8');
/** The minutes of what is no proof, on a slow day. */
const OTHERS: readonly (readonly [RegExp, number])[] = [
  [/^npm ci$/, 4],
  [/^npm run test:kit$/, 6],
  [/^npm audit signatures( --prefix \S+)?$/, 1],
  [/^for folder in \$FOLDERS; do npm audit signatures/, 2],
  [/^npm uninstall --no-save node\n/, 1],
  [/^sudo apt-get update/, 3],
  [/^while read -r package tarball; do\n *npm view/, 3],
  [/^gh release create/, 1],
];
/** The most minutes that `takes` of a check may mean. `hours` is more than any job has. */
const MOST: Readonly<Record<string, number>> = { seconds: 1, 'a minute': 2, minutes: 10, 'half an hour': 45 };
/** What a check with a bound of its own may take beside it: the build, packages, and each test once. */
const BESIDE_BOUND = 25;
const LANES = 3;

const jobs = readdirSync(FOLDER).flatMap((file) => {
  const { jobs: all } = parseYaml(readFileSync(join(FOLDER, file), 'utf8'), file) as { jobs: Record<string, Job> };
  return Object.entries(all).map(([name, job]) => [`${file}: ${name}`, job] as const);
});

test.each(jobs)('%s can end within its limit', (_, job) => {
  for (const commands of listCommands(job)) {
    const minutes = commands.map((command) => [command, estimate(command)] as const);
    // No sum has a command whose duration nobody knows.
    expect(minutes.filter(([, most]) => !Number.isFinite(most))).toEqual([]);
    expect(minutes.reduce((sum, [, most]) => sum + most, 0)).toBeLessThanOrEqual(job['timeout-minutes']);
  }
});

test('a command that takes hours, or an unknown time, is within no limit of a job', () => {
  const unbounded = ['npm run check -- mutation', `npm run check -- mutation --mutate 'src/**'`, 'npm run dev'];
  expect(unbounded.map(estimate)).toEqual([Infinity, Infinity, NaN]);
  expect(estimate('npm run check -- mutation --only tools --minutes 60')).toBe(60 + BESIDE_BOUND);
});

/** What a job runs, one after the other, for each proof of its matrix. */
function listCommands({ strategy, steps }: Job): string[][] {
  const runs = steps.flatMap(({ run }) => run?.trim() ?? []);
  const own = strategy?.matrix.proof ?? [{ run: '' }];
  return own.map((proof) => runs.map((run) => (run === 'bash -c "$COMMAND"' ? proof.run : run)));
}

/** @returns the most minutes that a command of a workflow takes; NaN for one that is not known */
function estimate(command: string): number {
  const [, minutes] = /^npm run check -- .* --minutes (\d+)$/.exec(command) ?? [];
  if (minutes !== undefined) return Number(minutes) + BESIDE_BOUND;
  const [, check] = /^npm run check -- ([a-z:-]+)/.exec(command) ?? [];
  if (check !== undefined) return estimateCheck(check);
  // It ran beside busy loops, so more slowly than in a job.
  if (command === 'npm test') return readDuration('busy') ?? NaN;
  if (command === 'npm run test:all') return estimateAll();
  return OTHERS.find(([pattern]) => pattern.test(command))?.[1] ?? NaN;
}

function estimateCheck(name: string): number {
  return readDuration(name) ?? MOST[CHECKS[name]?.takes ?? ''] ?? Infinity;
}

/** Of steps in three lanes: R. L. Graham, Bounds on multiprocessing timing anomalies, 1969. */
function estimateAll(): number {
  const sum = (minutes: readonly number[]): number => minutes.reduce((all, one) => all + one, 0);
  return sum(
    ALL_PHASES.map((steps) => {
      const minutes = steps.map(({ name }) => (name in CHECKS ? estimateCheck(name) : 2));
      return sum(minutes) / LANES + Math.max(...minutes) * (1 - 1 / LANES);
    }),
  );
}

/** How many minutes the latest run took that docs/proofs.md has, unless options made it shorter. */
function readDuration(name: string): number | undefined {
  const row = proofs.split('\n').find((line) => line.startsWith(`| ${name} |`) || line.startsWith(`| [${name}](`));
  const [, , options = '', , , took = ''] = row?.split(' | ') ?? [];
  // Those of `busy` say how often it ran.
  if (name !== 'busy' && options.trim() !== '') return undefined;
  const [, hours = 0, minutes = 0, seconds = 0] = /^(?:(\d+) h )?(?:(\d+) min)?(?:(\d+) s)?$/.exec(took) ?? [];
  return took === '' ? undefined : Number(hours) * 60 + Number(minutes) + Number(seconds) / 60;
}
