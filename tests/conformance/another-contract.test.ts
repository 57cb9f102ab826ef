import { readFileSync } from 'node:fs';
import { titleOf } from './case';
import { describeGap, gapsOf } from './report/listing';
import type { CaseResult } from './run-case';
import { runSuite } from './run-suite';
import { startStandIns } from './stand-ins';
import { createSuite } from './suite';

test.each(['tests/fixtures/keywords.yaml'])(
  'the kit keeps %s with every case that follows from it',
  async (file) => {
    const bodyLimit = 64 * 1024;
    const suite = createSuite(readFileSync(file, 'utf8'), { bodyLimit, mark: 'text' });
    await using target = await startStandIns(file, suite, bodyLimit);

    const failed: CaseResult[] = [];
    const options = { random: { seed: 1, runs: 200, isMarked: false }, isWanted: () => true };
    for await (const result of runSuite(suite, target, options)) if (result.failures.length > 0) failed.push(result);

    expect(failed.map(({ case: one, failures }) => `${titleOf(one)}: ${failures.join('; ')}`)).toEqual([]);
    expect(gapsOf(suite.coverage.list()).map(describeGap)).toEqual([]);
  },
  60_000,
);
