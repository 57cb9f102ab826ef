import { readFileSync } from 'node:fs';
import {
  checkCoverage,
  createSuite,
  describeCoverage,
  describeOperation,
  describeUnbuilt,
  findUnbuilt,
  runSuite,
  unscopedNameOf,
  type CaseResult,
  type Target,
} from '@contract-kit/conformance';
import { startService, type StartedService } from '@contract-kit/server/testing';
import { file, sha256 } from '../generated/contract';
import { service } from '../src/service';

/** The credentials that are valid in the tests, by security scheme. */
const SECRETS: Readonly<Record<string, string>> = {
  account: 'a-secret-for-the-tests-1',
  till: 'a-secret-for-the-tests-2',
};

const SCHEMES = Object.keys(SECRETS);
const withoutScopes = (scheme: string): string => `${String(SECRETS[scheme])}-without-scopes`;
/** The credentials that the service accepts. Each scheme has one with all scopes, and one without any. */
const ACCEPTED = Object.fromEntries(
  SCHEMES.map((scheme) => [scheme, { [String(SECRETS[scheme])]: '*' as const, [withoutScopes(scheme)]: [] }]),
);
/** The credentials that the suite sends. */
const SENT = {
  ...SECRETS,
  ...Object.fromEntries(SCHEMES.map((scheme) => [unscopedNameOf(scheme), withoutScopes(scheme)])),
};

/** The file that lists what openapi.yaml declares but no case of the suite can produce. */
const ACCEPTED_GAPS = 'tests/accepted-gaps.yaml';

// 'robust' adds malformed messages, and what standards recommend, to what 'contract' checks.
const LEVEL = 'robust';

const suite = createSuite(readFileSync(file, 'utf8'), {
  marker: 'made-by-the-suite',
  level: LEVEL,
  hasUnscoped: () => true,
});
const results: CaseResult[] = [];
let started: StartedService | undefined;
let target: Target;

beforeAll(async () => {
  started = await startService(service, { file, sha256 }, ACCEPTED);
  const whole = { base: started.base, situations: started.situations, secrets: SENT, timeout: 10_000 };
  target = { ...whole, unbuilt: await findUnbuilt(suite, whole) };
  const options = { isWanted: () => true, workers: 4 };
  for await (const result of runSuite(suite, target, options)) results.push(result);
}, 600_000);

afterAll(async () => {
  // If the service did not start, each test reports the reason.
  if (!started) return;
  await started[Symbol.asyncDispose]();
  const { unbuilt = new Set() } = target;
  process.stdout.write(`\n${String(results.length)} cases. ${describeUnbuilt(suite, unbuilt)}\n`);
});

test.each(suite.model.operations)('$method $path', ({ id }) => {
  const text = describeOperation(results, id, target);
  // An Error prints only its message, unlike an expectation.
  if (text !== undefined) throw new Error(text);
});

test(`the suite or ${ACCEPTED_GAPS} covers everything that openapi.yaml declares`, () => {
  const isAccepting = process.env['ACCEPT_GAPS'] === '1';
  const gaps = checkCoverage(suite, { file: ACCEPTED_GAPS, isAccepting, unbuilt: target.unbuilt });
  const hint = `Write the handlers that these need, or write a test for each; then ACCEPT_GAPS=1 npm test adds them to ${ACCEPTED_GAPS}.`;
  if (gaps.groups.length > 0) throw new Error(`${describeCoverage(gaps)}\n${hint}`);
  process.stdout.write(`\n${describeCoverage(gaps)}\n`);
});
