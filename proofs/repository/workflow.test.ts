import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKS } from '../../scripts/checks';
import { parseYaml } from '../../packages/contract/src/1-parse/parse-yaml';

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
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

const FOLDER = '.github/workflows';
/** The jobs that may do more than read the code; none has the code of a dependency. */
const RIGHTS: Readonly<Record<string, object>> = {
  publish: { contents: 'write', 'id-token': 'write' },
};
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'ci.yml': ['test', 'test:all', 'mutation', 'sbom'],
  'release.yml': ['test', 'release'],
};
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

  test('it may read the code and nothing else, but for a job that has no code, and keeps no credentials', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const [job, { permissions, steps: own }] of Object.entries(workflow.jobs)) {
      expect([job, permissions]).toEqual([job, RIGHTS[job]]);
      const checkouts = own.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      expect(checkouts).toHaveLength(permissions ? 0 : 1);
      for (const checkout of checkouts) expect(checkout.with).toMatchObject({ 'persist-credentials': false });
    }
  });

  test('it ends, and runs once at a time', () => {
    expect(workflow.concurrency).toBeDefined();
    for (const job of jobs) expect(job['timeout-minutes']).toBeLessThanOrEqual(90);
  });

  test('every npm command exists', () => {
    const commands = [...text.matchAll(/npm (?:run (?:check -- )?([a-z:]+)|(test)\b)/g)].map(
      ([, run, test]) => run ?? test,
    );
    expect(commands).toEqual(expect.arrayContaining([...(COMMANDS[name] ?? [''])]));
    expect([...Object.keys(scripts), ...Object.keys(CHECKS)]).toEqual(expect.arrayContaining(commands));
  });

  test('what it publishes can be traced to it', () => {
    for (const { run, env } of steps.filter(({ run }) => run?.includes('npm publish'))) {
      expect([run, env]).toEqual([
        expect.stringContaining(' --access public $PROVENANCE'),
        { PROVENANCE: '--provenance' },
      ]);
    }
  });

  test('nothing from outside becomes a command', () => {
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
  });
});
