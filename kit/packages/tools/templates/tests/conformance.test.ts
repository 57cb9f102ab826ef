import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import {
  checkCoverage,
  createSuite,
  describeCoverage,
  describeLeftOut,
  describeOperation,
  describeUnbuilt,
  describeUnproven,
  findUnbuilt,
  findUnproven,
  runSuite,
  type CaseResult,
  type Target,
} from '@contract-kit/conformance';
import type { StartedService } from '@contract-kit/server/testing';
import { file } from '../generated/contract';
import { SENT, startTestService } from './start-service';

/** The file that lists what openapi.yaml declares but no case of the suite can produce. */
const ACCEPTED_GAPS = 'tests/accepted-gaps.yaml';

// 'contract' checks what the contract and standards require; 'robust' adds malformed messages, and what
// standards recommend.
const LEVEL = 'contract';

const suite = createSuite(readFileSync(file, 'utf8'), {
  marker: 'made-by-the-suite',
  level: LEVEL,
  hasUnscoped: () => true,
});
/** After this time, the suite is cut off, and the tests report what it has found until then. */
const LIMIT_MS = Number(process.env['SUITE_LIMIT_MS'] ?? 540_000);
const results: CaseResult[] = [];
let isCutOff = false;
let started: StartedService | undefined;
let target: Target;

beforeAll(async () => {
  started = await startTestService();
  const whole = { base: started.base, situations: started.situations, secrets: SENT, timeout: 10_000 };
  target = { ...whole, unbuilt: await findUnbuilt(suite, whole) };
  const options = { isWanted: () => true, workers: 4 };
  const collect = async (): Promise<boolean> => {
    for await (const result of runSuite(suite, target, options)) results.push(result);
    return false;
  };
  isCutOff = await Promise.race([collect(), setTimeout(LIMIT_MS, true, { ref: false })]);
}, LIMIT_MS + 60_000);

afterAll(async () => {
  await started?.[Symbol.asyncDispose]();
  // If the service did not start, each test reports the reason.
  if (!started) return;
  const { unbuilt = new Set() } = target;
  const passed = results.filter(({ findings }) => findings.length === 0).length;
  process.stdout.write(
    `\n${String(passed)} of ${String(results.length)} cases passed. ${describeUnbuilt(suite, unbuilt)}\n`,
  );
  for (const line of describeLeftOut(suite)) process.stdout.write(`${line}\n`);
});

test.each(suite.model.operations)('$method $path', ({ id }) => {
  const text = describeOperation(results, id, target);
  // An Error prints only its message, unlike an expectation.
  if (text !== undefined) throw new Error(text);
});

test('each case is proven: a refusal counts only beside the same request that was accepted', () => {
  // Operations to which the suite makes no valid request are gaps, which the next test judges.
  const tried = new Set(suite.cases.filter((each) => each.expect === 'accepted').map(({ operation }) => operation));
  const unproven = findUnproven(suite, target, results).filter(({ result }) => tried.has(result.case.operation));
  const lines = describeUnproven(unproven).join('\n');
  // What is not built yet may be what creates the ids that other cases need.
  if (lines !== '' && (target.unbuilt?.size ?? 0) === 0) throw new Error(lines);
  process.stdout.write(`\n${lines}\n`);
});

test(`the suite or ${ACCEPTED_GAPS} covers everything that openapi.yaml declares`, () => {
  const cut = `The suite was cut off after ${String(LIMIT_MS / 1000)} s and ${String(results.length)} cases, which the tests above judge.`;
  if (isCutOff) throw new Error(`${cut} Find out what takes so long, or raise LIMIT_MS.`);
  const isAccepting = process.env['ACCEPT_GAPS'] === '1';
  const gaps = checkCoverage(suite, { file: ACCEPTED_GAPS, isAccepting, unbuilt: target.unbuilt });
  const hint = `If handlers are missing, write them first. Otherwise, write a test for each; then ACCEPT_GAPS=1 npm test adds these to ${ACCEPTED_GAPS}.`;
  if (gaps.groups.length > 0) throw new Error(`${describeCoverage(gaps)}\n${hint}`);
  process.stdout.write(`\n${describeCoverage(gaps)}\n`);
});
