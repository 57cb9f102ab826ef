import { readFileSync } from 'node:fs';
import { LEVELS } from '../../../src/contract/standards';
import { createSuite } from '../../../src/suite';
import { createOrder, findComplaint, findMildest, OPTIONS } from '../find-complaint';
import { prove, type Progress, type Proof } from '../proof';
import { bodyFaults, validationFaults } from './body-faults';
import { startFaulty, toItems, type Fault } from './fault';
import { credentialFaults, replyFaults, routeFaults } from './message-faults';
import { connectionFaults, plantFaults, processFaults, storeFaults } from './state-faults';

const FAULTS = toItems({
  'what comes back': plantFaults,
  'any reply': replyFaults,
  credentials: credentialFaults,
  'reading bodies': bodyFaults,
  'checking bodies': validationFaults,
  'the store': storeFaults,
  'paths and methods': routeFaults,
  'the conversation': processFaults,
  'one connection': connectionFaults,
});

/** Nothing is wrong, though everything is taken apart and put together again. */
const NO_FAULT: Fault = {
  name: 'no fault',
  store: (store) => ({ ...store }),
  head: () => true,
  body: (body) => Buffer.from(body),
  reply: (reply) => ({ ...reply, body: Buffer.from(reply.body) }),
};

/** The real app with one fault each; the suite of its own contract has to fail on it, at the level where it belongs. */
export function proveServerFaults(file: string, progress: Progress, extent: number): Promise<Proof> {
  const source = readFileSync(file, 'utf8');
  const suites = LEVELS.map((level) => createSuite(source, { ...OPTIONS, level }));
  const order = createOrder();
  const judge = (fault: Fault): ReturnType<typeof findMildest> =>
    findMildest(suites, async (suite) => {
      await using candidate = await startFaulty(fault);
      return await findComplaint(() => suite, candidate, order);
    });
  return prove({
    title: 'server faults',
    least: 142,
    threshold: 100,
    items: FAULTS,
    judge,
    control: async () => (await judge(NO_FAULT)).complaint,
    progress,
    extent,
  });
}
