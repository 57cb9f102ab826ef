import { readFileSync } from 'node:fs';
import { createSuite, LEVELS, type Suite } from '@contract-kit/conformance';
import { mapInPool } from '../../../src/exchange/pool';
import { startStandIns } from '../../stand-ins/start-stand-ins';
import { demand, LANES, sampleOf, WHOLE } from '../extent';
import { createOrder, findComplaint, findMildest, type Mildest } from '../find-complaint';
import type { Progress } from '../progress';
import type { Proof } from '../verdict';
import { expectedLevel } from './expected-levels';
import { featureFaults, type FeatureFault } from './feature-faults';
import { install } from './start-faulty';

const TITLE = 'faults of features';
const FILE = 'tests/fixtures/contracts/features.yaml';
const BODY_LIMIT = 64 * 1024;

/** The kit with stand-ins for handlers and one fault each, held to a contract that has more than plain JSON. */
export async function proveFeatureFaults(progress: Progress, extent = WHOLE): Promise<Proof> {
  const source = readFileSync(FILE, 'utf8');
  const options = { bodyLimit: BODY_LIMIT, mark: 'text', hasUnscoped: () => true };
  const suites = LEVELS.map((level) => createSuite(source, { ...options, level }));
  const order = createOrder();
  const tryFault = (fault: FeatureFault): Promise<Mildest> =>
    findMildest(suites, (suite) =>
      withFault(source, suite, fault, (target) => findComplaint(() => suite, target, order)),
    );
  const faults = sampleOf(featureFaults, extent);
  const control = await tryFault({ name: 'no fault' });
  let done = 0;
  const verdicts = await mapInPool(faults, LANES, async (fault) => {
    const { complaint, level: found } = await tryFault(fault);
    progress(TITLE, ++done, faults.length);
    return { kind: 'features', name: fault.name, complaint, levels: { expected: expectedLevel(fault.name), found } };
  });
  return { title: TITLE, ...demand(extent, 31, 100), control: control.complaint, verdicts };
}

type Judge = (candidate: Parameters<typeof findComplaint>[1]) => Promise<string | undefined>;

async function withFault(
  source: string,
  suite: Suite,
  { enforces = {}, unscoped, ...change }: FeatureFault,
  judge: Judge,
): Promise<string | undefined> {
  const missing = Object.keys(enforces).find((part) => !source.includes(part));
  if (missing !== undefined) throw new Error(`${FILE} has no ${missing}`);
  const enforced = Object.entries(enforces).reduce((text, [from, to]) => text.replace(from, () => to), source);
  await using target = await startStandIns(source, suite, BODY_LIMIT, {
    enforced,
    ...(unscoped && { unscoped }),
    install: (server) => {
      install(server, () => change);
    },
  });
  const { situations = {} } = target;
  return await judge({ target, startSituations: () => Promise.resolve({ situations }) });
}
