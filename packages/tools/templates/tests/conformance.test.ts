import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  checkCoverage,
  createSuite,
  describeCoverage,
  describeLeftOut,
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
const SECRETS: Readonly<Record<string, string>> = { account: 'a-secret', till: 'a-secret' };

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

const FOLDER = mkdtempSync(join(tmpdir(), 'tests-'));
/** The settings of the service. The tests write to a temporary folder, and leave the data of `npm start` alone. */
const SETTINGS = { DATABASE_URL: `file:${join(FOLDER, 'tests.db')}` };

/** Response headers that middleware in src/app.ts adds, and that openapi.yaml does not declare. */
const HEADERS: readonly string[] = [];

/** The file that lists what openapi.yaml declares but no case of the suite can produce. */
const ACCEPTED_GAPS = 'tests/accepted-gaps.yaml';

// 'contract' checks the contract and standards; 'strict' adds the kit's own rules.
const LEVEL = 'contract';

const suite = createSuite(readFileSync(file, 'utf8'), {
  bodyLimit: 1024 ** 2,
  marker: 'made-by-the-suite',
  level: LEVEL,
  headers: HEADERS,
  hasUnscoped: () => true,
});
const results: CaseResult[] = [];
let started: StartedService | undefined;
let target: Target;

beforeAll(async () => {
  started = await startService(service, { file, sha256 }, ACCEPTED, SETTINGS);
  const whole = { base: started.base, situations: started.situations, secrets: SENT, timeout: 10_000 };
  target = { ...whole, unbuilt: await findUnbuilt(suite, whole) };
  const random = { seed: 1, runs: 100, isMarked: false };
  const options = { random, isWanted: () => true, workers: 4 };
  for await (const result of runSuite(suite, target, options)) results.push(result);
}, 600_000);

afterAll(async () => {
  await started?.[Symbol.asyncDispose]();
  rmSync(FOLDER, { recursive: true });
  // If the service did not start, each test reports the reason.
  if (!started) return;
  const { unbuilt = new Set() } = target;
  process.stdout.write(`\n${String(results.length)} cases. ${describeUnbuilt(suite, unbuilt)}\n`);
  for (const line of describeLeftOut(suite)) process.stdout.write(`${line}\n`);
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
