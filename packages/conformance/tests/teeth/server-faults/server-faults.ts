import { readFileSync } from 'node:fs';
import { LEVELS } from '../../../src/contract/standards';
import { createSuite, type Suite } from '../../../src/suite';
import { createOrder, findComplaint, findMildest, OPTIONS, type Order } from '../find-complaint';
import { demand, LANES, sampleOf, WHOLE, type Progress, type Proof } from '../proof';
import { mapInPool } from '../../../../../tests/support/map-in-pool';
import { bodyFaults, validationFaults } from './request-faults';
import { connectionFaults, processFaults } from './process-faults';
import { credentialFaults, routeFaults } from './route-faults';
import { errorFaults, replyFaults } from './reply-faults';
import { expectedLevel } from './expected-levels';
import { needsOwnApp, startFaulty, type Fault } from './fault';
import { featureFaults } from './feature-faults';
import { plantFaults, storeFaults } from './store-faults';

const TITLE = 'server faults';

const FAULTS: Readonly<Record<string, readonly Fault[]>> = {
  'what comes back': plantFaults,
  'any reply': replyFaults,
  errors: errorFaults,
  credentials: credentialFaults,
  'reading bodies': bodyFaults,
  'checking bodies': validationFaults,
  'the store': storeFaults,
  'paths and methods': routeFaults,
  'the conversation': processFaults,
  'one connection': connectionFaults,
};

/** The names of all faults. */
export const FAULT_NAMES: readonly string[] = [...Object.values(FAULTS).flat(), ...featureFaults].map(
  ({ name }) => name,
);

/** Nothing is wrong, though everything is taken apart and put together again. */
const NO_FAULT: Fault = {
  name: 'no fault',
  store: (store) => ({ ...store }),
  head: () => true,
  body: (body) => Buffer.from(body),
  reply: (reply) => ({ ...reply, body: Buffer.from(reply.body) }),
};

/** The real app with one fault each; the suite of its own contract has to fail on it, at the level where it belongs. */
export async function proveServerFaults(file: string, progress: Progress, extent = WHOLE): Promise<Proof> {
  const source = readFileSync(file, 'utf8');
  const suites = LEVELS.map((level) => createSuite(source, { ...OPTIONS, level }));
  const order = createOrder();
  const all = Object.entries(FAULTS).flatMap(([kind, own]) => own.map((fault) => ({ kind, fault })));
  const faults = sampleOf(all, extent);
  const lanes = await Promise.all(Array.from({ length: LANES }, () => startLane(order)));
  let done = 0;
  try {
    const [controlled] = lanes;
    const findNone = async (fault: Fault): Promise<string | undefined> =>
      (await findMildest(suites, (suite) => controlled?.tryFault(fault, suite))).complaint;
    const control = await findNone(NO_FAULT);
    const verdicts = await mapInPool(faults, LANES, async ({ kind, fault }, lane) => {
      const found = await findMildest(suites, (suite) => lanes[lane]?.tryFault(fault, suite));
      progress(TITLE, ++done, faults.length);
      const levels = { expected: expectedLevel(fault.name), found: found.level };
      return { kind, name: fault.name, complaint: found.complaint, levels };
    });
    // What was shared is to be as good as it was.
    const after = control ?? (await findNone({ name: 'no fault' }));
    return { title: TITLE, ...demand(extent, 311, 100), control: after, verdicts };
  } finally {
    for (const lane of lanes) await lane[Symbol.asyncDispose]();
  }
}

interface Lane extends AsyncDisposable {
  readonly tryFault: (fault: Fault, suite: Suite) => Promise<string | undefined>;
}

/** An app that faults are put round, one after the other. */
async function startLane(order: Order): Promise<Lane> {
  let current: Fault = { name: 'no fault' };
  const shared = await startFaulty(() => current);
  return {
    async tryFault(fault, suite) {
      if (needsOwnApp(fault)) {
        await using own = await startFaulty(() => fault);
        return await findComplaint(() => suite, own, order);
      }
      current = fault;
      return await findComplaint(() => suite, shared, order);
    },
    [Symbol.asyncDispose]: () => shared[Symbol.asyncDispose](),
  };
}
