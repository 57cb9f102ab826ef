import { readFileSync } from 'node:fs';
import { LEVELS } from '../../../src/contract/standards';
import { createSuite, type Suite } from '../../../src/suite';
import { createOrder, findComplaint, findMildest, OPTIONS, type Order } from '../find-complaint';
import { LANES, prove, type Progress, type Proof } from '../proof';
import { bodyFaults, validationFaults } from './request-faults';
import { connectionFaults, processFaults } from './process-faults';
import { credentialFaults, routeFaults } from './route-faults';
import { errorFaults, replyFaults } from './reply-faults';
import { needsOwnApp, startFaulty, toItems, type Fault } from './fault';
import { featureFaults } from './feature-faults';
import { plantFaults, storeFaults } from './store-faults';

const FAULTS = toItems({
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
});

/** The names of all faults. */
export const FAULT_NAMES: readonly string[] = [...FAULTS, ...featureFaults].map(({ name }) => name);

const UNTOUCHED: Fault = { name: 'no fault' };

/** Nothing is wrong, though everything is taken apart and put together again. */
const PUT_TOGETHER: Fault = {
  ...UNTOUCHED,
  store: (store) => ({ ...store }),
  head: () => true,
  body: (body) => Buffer.from(body),
  reply: (reply) => ({ ...reply, body: Buffer.from(reply.body) }),
};

/** The real app with one fault each; the suite of its own contract has to fail on it, at the level where it belongs. */
export async function proveServerFaults(file: string, progress: Progress, extent: number): Promise<Proof> {
  const source = readFileSync(file, 'utf8');
  const suites = LEVELS.map((level) => createSuite(source, { ...OPTIONS, level }));
  const order = createOrder();
  await using all = new AsyncDisposableStack();
  const lanes = await Promise.all(Array.from({ length: LANES }, () => startLane(order)));
  for (const lane of lanes) all.use(lane);
  const judge = (fault: Fault, lane: number): ReturnType<typeof findMildest> =>
    findMildest(suites, (suite) => lanes[lane]?.tryFault(fault, suite));
  return await prove({
    title: 'server faults',
    least: 309,
    threshold: 100,
    items: FAULTS,
    judge,
    // What was shared is to be as good as it was.
    control: async () => (await judge(PUT_TOGETHER, 0)).complaint ?? (await judge(UNTOUCHED, 0)).complaint,
    progress,
    extent,
  });
}

interface Lane extends AsyncDisposable {
  readonly tryFault: (fault: Fault, suite: Suite) => Promise<string | undefined>;
}

/** An app that faults are put round, one after the other. */
async function startLane(order: Order): Promise<Lane> {
  let current = UNTOUCHED;
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
