import { INHERITED_NAMES } from '@contract-kit/contract';
import { makeNamedContract } from '../../../tests/fixtures/contracts/make-named-contract';
import { judgeKit } from './stand-ins/start-stand-ins';

const NAMES = INHERITED_NAMES.filter((name) => name !== '__proto__');

test.each(NAMES)(
  'the kit keeps a contract with the name %s at each place that has a name, with every case that follows from it',
  async (name) => {
    const judged = judgeKit(makeNamedContract(name), { bodyLimit: 64 * 1024, runs: 5 });
    await expect(judged).resolves.toEqual([]);
  },
  60_000,
);
