import { SAMPLE } from './teeth/extent';
import { isKilled, isProven, formatProof } from './teeth/format-proof';
import { proveContractMutants } from './teeth/contract-mutants/contract-mutants';
import { proveReplyMutants } from './teeth/reply-mutants/reply-mutants';
import { proveServerFaults } from './teeth/server-faults/server-faults';

const CONTRACT = 'openapi.yaml';

// All of them are tried by `npm run conformance:teeth`.
test.each([
  ['contract mutants', proveContractMutants],
  ['reply mutants', proveReplyMutants],
  ['server faults', proveServerFaults],
])('some %s are noticed', async (_title, prove) => {
  const { verdicts } = await prove(CONTRACT, () => undefined, SAMPLE);
  expect(verdicts.length).toBeGreaterThan(0);
  expect(verdicts.filter((one) => !isKilled(one) && !one.accepted)).toEqual([]);
});

test('what survives is shown with its reason, and a proof of too little is none', () => {
  const proof = {
    title: 'mutants',
    least: 2,
    threshold: 50,
    control: undefined,
    verdicts: [
      { kind: 'a kind', name: 'one', complaint: 'noticed' },
      { kind: 'a kind', name: 'two', complaint: undefined },
    ],
  };
  expect(isProven(proof)).toBe(true);
  expect(formatProof(proof)).toMatch(/a kind +1 +2 +50\.0\n[^]*UNEXPLAINED\n +two$/);
  expect(isProven({ ...proof, threshold: 51 })).toBe(false);
  expect(isProven({ ...proof, least: 3 })).toBe(false);
  expect(isProven({ ...proof, control: 'red' })).toBe(false);
});
