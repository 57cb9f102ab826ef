import { readFileSync } from 'node:fs';
import { createSuite, type Suite } from '../../suite';
import { createOrder, findComplaint, OPTIONS, type Order } from '../find-complaint';
import { sampleOf, WHOLE } from '../extent';
import { pool } from '../../pool';
import type { Progress } from '../progress';
import type { Proof } from '../verdict';
import { bodyFaults } from './body-faults';
import { credentialFaults } from './credential-faults';
import { errorFaults } from './error-faults';
import type { Fault } from './fault';
import { plantFaults } from './plant-faults';
import { processFaults } from './process-faults';
import { replyFaults } from './reply-faults';
import { routeFaults } from './route-faults';
import { needsOwnApp, startFaulty } from './start-faulty';
import { storeFaults } from './store-faults';
import { validationFaults } from './validation-faults';

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
};

/** Nothing is wrong, though everything is taken apart and put together again. */
const NO_FAULT: Fault = {
  name: 'no fault',
  store: (store) => ({ ...store }),
  head: () => true,
  body: (body) => Buffer.from(body),
  reply: (reply) => ({ ...reply, body: Buffer.from(reply.body) }),
};

/** The real app with one fault each; the suite of its own contract has to fail on it. */
export async function proveServerFaults(file: string, progress: Progress, extent = WHOLE): Promise<Proof> {
  const suite = createSuite(readFileSync(file, 'utf8'), OPTIONS);
  const order = createOrder();
  const all = Object.entries(FAULTS).flatMap(([kind, own]) => own.map((fault) => ({ kind, fault })));
  const faults = sampleOf(all, extent);
  const lanes = await Promise.all(Array.from({ length: extent.lanes }, () => startLane(suite, order)));
  let done = 0;
  try {
    const [controlled] = extent.hasControl ? lanes : [];
    const control = await controlled?.tryFault(NO_FAULT);
    const verdicts = await pool(faults, extent.lanes, async ({ kind, fault }, lane) => {
      const complaint = await lanes[lane]?.tryFault(fault);
      progress(TITLE, ++done, faults.length);
      return { kind, name: fault.name, complaint };
    });
    // What was shared is to be as good as it was.
    const after = control ?? (await controlled?.tryFault({ name: 'no fault' }));
    return { title: TITLE, least: 50, threshold: 100, control: after, verdicts };
  } finally {
    for (const lane of lanes) await lane[Symbol.asyncDispose]();
  }
}

interface Lane extends AsyncDisposable {
  readonly tryFault: (fault: Fault) => Promise<string | undefined>;
}

/** An app that faults are put round, one after the other. */
async function startLane(suite: Suite, order: Order): Promise<Lane> {
  let current: Fault = { name: 'no fault' };
  const shared = await startFaulty(() => current);
  return {
    async tryFault(fault) {
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
