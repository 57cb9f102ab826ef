import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS } from '../scripts/checks';
import { parseYaml } from '../packages/server/src/contract/yaml/parse-yaml';

interface Workflow {
  readonly permissions?: unknown;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly permissions?: unknown;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

const FOLDER = '.github/workflows';
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

describe.each(readdirSync(FOLDER))('%s', (name) => {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  const workflow = parseYaml(text, name) as Workflow;
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  test('every action is pinned to a commit, with its version beside it', () => {
    const actions = steps.flatMap(({ uses }) => uses ?? []);
    const pinned = [...text.matchAll(/uses: ([\w-]+\/[\w-]+@[0-9a-f]{40}) # v\d+\.\d+\.\d+$/gm)].map(
      ([, uses]) => uses,
    );
    expect(actions.length).toBeGreaterThan(0);
    expect(pinned).toEqual(actions);
  });

  test('an action has one commit and one version wherever it is used', () => {
    const pins = new Set([...text.matchAll(/uses: (.*)$/gm)].map(([, pin]) => pin));
    const actions = [...pins].map((pin) => pin?.split('@')[0]);
    expect(new Set(actions).size).toBe(actions.length);
  });

  test('it may read the code and nothing else, and keeps no credentials', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    expect(jobs.filter((job) => job.permissions !== undefined)).toEqual([]);
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts).toHaveLength(jobs.length);
    for (const checkout of checkouts) expect(checkout.with).toMatchObject({ 'persist-credentials': false });
  });

  test('it ends, and runs once at a time', () => {
    expect(workflow.concurrency).toBeDefined();
    for (const job of jobs) expect(job['timeout-minutes']).toBeLessThanOrEqual(90);
  });

  test('every npm command exists', () => {
    const commands = [...text.matchAll(/npm (?:run (?:check -- )?([a-z:]+)|(test)\b)/g)].map(
      ([, run, test]) => run ?? test,
    );
    expect(commands).toEqual(expect.arrayContaining(['test', 'test:all', 'mutation', 'sbom']));
    expect([...Object.keys(scripts), ...Object.keys(CHECKS)]).toEqual(expect.arrayContaining(commands));
  });

  test('nothing from outside becomes a command', () => {
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
  });
});
