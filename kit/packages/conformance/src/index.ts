/**
 * Derives a conformance suite from an OpenAPI contract, and checks any server against it.
 *
 * @example
 * const suite = createSuite(readFileSync('openapi.yaml', 'utf8'), { marker: 'made-by-the-suite' });
 * const target = { base: new URL('http://127.0.0.1:3000'), secrets: { bearerAuth: 'a-token' }, timeout: 10_000 };
 * const options = { isWanted: () => true };
 * for await (const { case: testCase, findings } of runSuite(suite, target, options))
 *   console.log(titleOf(testCase), findings);
 */

// Deriving a suite from a contract.
export { createSuite, type Suite, type SuiteOptions } from './suite';
export { LEVELS, type Level } from './contract/standards';
export { CHECKS, type CaseResult, type Check, type CheckName, type Finding } from './oracle/checks';
export {
  ALL_CLASSES,
  titleOf,
  type Case,
  type CaseClass,
  type Expectation,
  type Interpretation,
  type Situation,
} from './generators/case';
export type { Model, Operation, Scheme } from './contract/model';
export type { Skipped } from './contract/skipped';
export { parseFixtures, type Fixtures } from './values/fixtures';

// Checking a server, with all cases or one at a time.
export { chooseCases, runSuite, type RunOptions } from './runner/run-suite';
export { runCase } from './exchange/run-case';
export { findUnproven, type Unproven } from './exchange/proof';
export { sendCase, type Target } from './exchange/exchange';
export { describeUnbuilt, findUnbuilt } from './runner/probe-server';

// Reports.
export { describeCause, describeOperation, groupByCause, type Cause } from './report/causes';
export { describeFailure } from './report/failure';
export type { Item } from './oracle/coverage';
export { describeLeftOut, describeUnproven } from './report/run';
export { toJUnit } from './report/junit';

// Coverage: the parts of the contract that no case produced, and those a team accepts as uncovered.
export { checkCoverage, describeCoverage, type CheckedCoverage, type CoverageOptions } from './report/uncovered';

// Building an example request for an operation.
export { examplesOf } from './contract/schema';
export { isIdempotencyKey, validRequest } from './generators/valid-request';
export { sampleMatching } from './values/strings';
export { isJsonType } from './wire/media-type';
export { writeJson } from './wire/json';

// The secrets of a target.
export { revealSecrets, unscopedNameOf } from './wire/secret';
