import type { NewContract } from '../read-contract';
import { schemesOf, toKey } from './service';

/** The conformance test of a new project. */
export function makeConformanceTest({ operations }: Pick<NewContract, 'operations'>): string {
  const secrets = schemesOf(operations).map(
    ({ name, isBasic }, index) =>
      `  ${toKey(name)}: '${isBasic ? 'tests:' : ''}a-secret-for-the-tests-${String(index + 1)}',\n`,
  );
  return `import { readFileSync } from 'node:fs';
import {
  createSuite,
  describeFailure,
  describeGap,
  describeUnbuilt,
  findUnbuilt,
  gapsOf,
  isExpectedGap,
  runCase,
  titleOf,
  type Target,
} from '@contract-kit/conformance';
import { startService, type StartedService } from '@contract-kit/server/testing';
import { errors, file, sha256 } from '../generated/contract';
import { service } from '../src/service';

/** What counts in the tests, by security scheme. */
const SECRETS: Readonly<Record<string, string>> = {
${secrets.join('')}};

/** Headers that middleware of src/app.ts adds to replies, and openapi.yaml does not list. */
const HEADERS: readonly string[] = [];

/**
 * What openapi.yaml declares and no case can bring about, as the last test tells it. Write a test of its own for each.
 */
const ACCEPTED_GAPS: readonly string[] = [];

// What standards say; 'strict' has house rules, too.
const LEVEL = 'contract';

const suite = createSuite(readFileSync(file, 'utf8'), { bodyLimit: 1024 ** 2, mark: 'made-by-the-suite', level: LEVEL, headers: HEADERS });
let started: StartedService;
let target: Target;

beforeAll(async () => {
  started = await startService(service, { file, sha256, errors }, SECRETS);
  const whole = { base: started.base, situations: started.situations, secrets: SECRETS, timeout: 10_000 };
  target = { ...whole, unbuilt: await findUnbuilt(suite, whole) };
});

afterAll(async () => {
  await started[Symbol.asyncDispose]();
  process.stdout.write(\`\\n\${describeUnbuilt(suite, target.unbuilt ?? new Set())}\\n\`);
});

test.each(suite.cases.map((one) => [titleOf(one), one] as const))('%s', async (_title, one) => {
  const result = await runCase(suite.oracleFor(SECRETS), target, one);
  suite.coverage.record(result);
  if (result.findings.length > 0) throw new Error(describeFailure(result, target, {}));
});

test('all that the contract declares is produced', () => {
  const gaps = gapsOf(suite.coverage.list()).filter((gap) => !isExpectedGap(suite.model, target.unbuilt ?? new Set(), gap));
  expect(gaps.map(describeGap)).toEqual(ACCEPTED_GAPS);
});
`;
}
