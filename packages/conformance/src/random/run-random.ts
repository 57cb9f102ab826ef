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

/** How random bodies are made. */
export interface RandomOptions {
  /** Two runs with the same seed send the same bodies. */
  readonly seed: number;
  readonly runs: number;
  /** Whether what is created has to carry the mark, which leaves one property less to chance. */
  readonly isMarked: boolean;
}

/**
 * Sends random bodies of JSON to an operation; an independent validator says of each what the reply has to be.
 *
 * @returns what came of them all, or of the smallest that went wrong, as far as it could be made smaller
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
  // Whatever went wrong beside a reply is not to pass for a success.
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
