import type { UntypedHandler } from '../../../../server/src/contract/chain';
import { titleOf } from '../../../src/generators/case';
import { LEVELS } from '../../../src/contract/standards';
import { runStateful } from '../../../src/stateful/run-stateful';
import { createSuite, type Suite } from '../../../src/suite';
import { CRATES, createCrates, startCrates, type CrateHandlers } from '../../../../../tests/support/start-crates';
import { demand, sampleOf, WHOLE } from '../extent';
import { findMildest, OPTIONS } from '../find-complaint';
import type { Progress } from '../progress';
import type { Proof, Verdict } from '../verdict';
import { STATEFUL_FAULTS, type StatefulFault } from './stateful-faults';

const TITLE = 'stateful faults';
const NO_FAULT: StatefulFault = { name: 'no fault', level: 'strict', change: () => ({}) };
// Of the cases of each operation. What is wrong with what is kept shows between requests.
const CASES = { count: 20, seed: 1 };

/** Right handlers of a contract that keeps things, with one fault each, which has to be found at the level where it belongs. */
export async function proveStatefulFaults(progress: Progress, extent = WHOLE): Promise<Proof> {
  const faults = sampleOf(STATEFUL_FAULTS, extent);
  const suites = LEVELS.map((level) => createSuite(CRATES, { ...OPTIONS, level }));
  await using lane = await startLane();
  const verdicts: Verdict[] = [];
  for (const fault of faults) {
    const found = await findMildest(suites, (suite) => lane.tryFault(fault, suite));
    progress(TITLE, verdicts.length + 1, faults.length);
    const levels = { expected: fault.level, found: found.level };
    verdicts.push({ kind: 'what is kept', name: fault.name, complaint: found.complaint, levels });
  }
  const [strictest] = suites.toReversed();
  const control = strictest && (await lane.tryFault(NO_FAULT, strictest));
  return { title: TITLE, ...demand(extent, 20, 100), control, verdicts };
}

interface Lane extends AsyncDisposable {
  readonly tryFault: (fault: StatefulFault, suite: Suite) => Promise<string | undefined>;
}

/** A server that has one fault after the other, and keeps nothing from one to the next. */
async function startLane(): Promise<Lane> {
  let current = createCrates().handlers;
  const names = Object.keys(current) as (keyof CrateHandlers)[];
  const entries = names.map((name): [string, UntypedHandler] => [
    name,
    (request, reply) => current[name](request, reply),
  ]);
  const target = await startCrates(Object.fromEntries(entries) as CrateHandlers);
  return {
    async tryFault({ change }, suite) {
      const { handlers, kept } = createCrates();
      current = { ...handlers, ...change(handlers, kept) };
      for await (const { case: one, findings } of runStateful(suite, target, { sample: CASES })) {
        const [first] = findings;
        if (first) return `${titleOf(one)}: ${first.check}, ${first.text}`;
      }
      return undefined;
    },
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  };
}
