// Sends random bodies, and shrinks those that show a fault.
import * as fc from 'fast-check';
import type { Case } from '../case';
import type { Content, Operation } from '../contract/model';
import { baseValue } from '../generators/body-values';
import { toBody, validRequest } from '../generators/valid-request';
import { withMark } from '../generators/with-mark';
import { runCase, type CaseResult, type Tools } from '../run-case';
import { obstacleWithin } from '../values/obstacle';
import { fits, type Values } from '../values/variant';
import { toJson, writeJson, type Wire } from '../wire/json';
import { arbitraryOf } from './arbitrary';

/** The options of random bodies. */
export interface RandomOptions {
  /** The same seed gives the same bodies. */
  readonly seed: number;
  readonly runs: number;
  /** Whether bodies must carry the mark, so that one property is not random. */
  readonly isMarked: boolean;
}

/**
 * Sends random bodies: expects a success for each that an independent validator finds valid, and a refusal for others.
 * Returns the result of the smallest failing body, or else one result without findings for all bodies.
 *
 * @example await runRandom({ oracle, values: suite.values, target }, operation, content, { seed: 1, runs: 100, isMarked: true })
 */
export async function runRandom(
  { oracle, values, target }: Tools,
  operation: Operation,
  content: Content,
  { seed, runs, isMarked }: RandomOptions,
): Promise<CaseResult> {
  // Each failing body is smaller than the one before, since fast-check shrinks it.
  let lastFailure: CaseResult | undefined;
  const schemaObstacle = obstacleWithin(values.given, content.schema);
  const property = fc.asyncProperty(arbitraryOf(content.schema), async (value) => {
    const sent = isMarked ? withMark(values, content.schema, toJson(value)) : value;
    const testCase = toRandomCase(values, operation, content, sent);
    // The suite does not know whether such a request is valid.
    if (testCase.expect === 'accepted' && (schemaObstacle ?? testCase.request.obstacle)) return true;
    const result = await runCase(oracle, target, testCase);
    const hasFailed = result.findings.length > 0;
    if (hasFailed) lastFailure = result;
    return !hasFailed;
  });
  const { failed, errorInstance } = await fc.check(property, { seed, numRuns: runs });
  if (lastFailure) return lastFailure;
  // An error of the suite itself must not count as success.
  if (failed) throw new Error('the random bodies cannot be made or judged', { cause: errorInstance });
  // One case stands for all bodies: a valid one, or null if none can be made.
  const exampleBody = content.schema.contract.untried.attempt(() => baseValue(values, content), null);
  const example = toRandomCase(values, operation, content, exampleBody);
  const label = `${String(runs)} bodies, seed ${String(seed)}`;
  return { case: { ...example, label }, replies: [], findings: [] };
}

function toRandomCase(values: Values, operation: Operation, content: Content, value: Wire): Case {
  const { schema, pointer } = content;
  const isValid = fits(values, schema, value);
  return {
    operation: operation.id,
    class: 'random',
    pointer,
    label: isValid ? 'a random body that fits' : 'a random body that does not fit',
    request: validRequest(values, operation, { content, body: toBody(writeJson(value)) }),
    expect: isValid ? 'accepted' : 'refused',
  };
}
