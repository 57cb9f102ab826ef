import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chooseCases, createSuite, findUnbuilt, groupByCause, runCase } from '@contract-kit/conformance';
import type { Service } from '@contract-kit/server';
import type { Operation } from '@contract-kit/server/contract';
import { startService } from '@contract-kit/server/testing';
import { mapInPool } from '../../packages/conformance/src/exchange/pool';
import type { SuiteVerdict } from './outcome';

const load = createRequire(__filename);
// Evenly chosen where there are more.
const MAX_OPERATIONS = 12;
const MAX_CASES = 400;
const AT_ONCE = 8;

/**
 * Judges the service of a project, whose handlers are not written yet, by the conformance suite: by all cases, or by some
 * of them where they are many.
 */
export async function judgeService(
  folder: string,
  operations: readonly Operation[],
): Promise<{ readonly verdict: SuiteVerdict; readonly reason: string | undefined }> {
  let suite;
  let place = 0;
  try {
    suite = createSuite(readFileSync(join(folder, 'openapi.yaml'), 'utf8'), {
      bodyLimit: 1024 ** 2,
      mark: 'made-by-the-suite',
      level: 'contract',
      isTried: () => isChosen(place++, operations.length, MAX_OPERATIONS),
    });
  } catch (error) {
    return { verdict: 'not judged', reason: (error as Error).message };
  }
  const { service } = load(join(folder, 'src/service')) as { readonly service: Service<object> };
  const served = load(join(folder, 'generated/contract')) as {
    readonly file: string;
    readonly sha256: string;
    readonly errors: never;
  };
  const all = operations.flatMap(({ security }) => security.flat());
  const secrets = Object.fromEntries(
    all.map(({ scheme, challenge }) => [scheme, `${challenge === 'Basic' ? 'tests:' : ''}a-secret-of-${scheme}`]),
  );
  await using started = await startService(service, { ...served, file: join(folder, served.file) }, secrets);
  const whole = { base: started.base, situations: started.situations, secrets, timeout: 10_000 };
  const target = { ...whole, unbuilt: await findUnbuilt(suite, whole) };
  const cases = chooseCases(suite, target, { isWanted: () => true });
  const chosen = cases.filter((_one, index) => isChosen(index, cases.length, MAX_CASES));
  const results = await mapInPool(chosen, AT_ONCE, (one) => runCase(suite.oracleFor(secrets), target, one));
  const [first] = groupByCause(results.filter(({ findings }) => findings.length > 0));
  return first ? { verdict: 'red', reason: first.text } : { verdict: 'green', reason: undefined };
}

function isChosen(index: number, count: number, most: number): boolean {
  return index % Math.ceil(count / most) === 0;
}
