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
 * Sends random JSON bodies to an operation; an independent validator decides whether the reply must be a success.
 *
 * @returns the smallest failing result after shrinking, or else a result for all bodies
 * @example await runRandom({ oracle, values: suite.values, target }, operation, content, { seed: 1, runs: 100, isMarked: true })
 */
export async function runRandom(
  tools: Tools,
  operation: Operation,
  content: Content,
  options: RandomOptions,
): Promise<CaseResult> {
  const { oracle, values, target } = tools;
  const { seed, runs } = options;
  let smallest: CaseResult | undefined;
  const obstacle = obstacleWithin(values.given, content.schema);
  const property = fc.asyncProperty(arbitraryOf(content.schema), async (value) => {
    const sent = options.isMarked ? withMark(values, content.schema, toJson(value)) : value;
    const testCase = toCase(values, operation, content, sent);
    if (testCase.expect === 'accepted' && (obstacle ?? testCase.request.obstacle)) return true;
    const result = await runCase(oracle, target, testCase);
    if (result.findings.length > 0) smallest = result;
    return result.findings.length === 0;
  });
  const { failed, errorInstance } = await fc.check(property, { seed, numRuns: runs });
  // An error of the suite itself must not count as success.
  if (failed && !smallest) throw new Error('the random bodies cannot be made or judged', { cause: errorInstance });
  const all = {
    ...toCase(
      values,
      operation,
      content,
      content.schema.contract.untried.attempt(() => baseValue(values, content), null),
    ),
    label: `${String(runs)} bodies, seed ${String(seed)}`,
  };
  return smallest ?? { case: all, replies: [], findings: [] };
}

function toCase(values: Values, operation: Operation, content: Content, value: Wire): Case {
  const { schema, pointer } = content;
  const isRight = fits(values, schema, value);
  return {
    operation: operation.id,
    class: 'random',
    pointer,
    label: isRight ? 'a random body that fits' : 'a random body that does not fit',
    covers: [],
    request: validRequest(values, operation, { content, body: toBody(writeJson(value)) }),
    expect: isRight ? 'accepted' : 'refused',
  };
}
