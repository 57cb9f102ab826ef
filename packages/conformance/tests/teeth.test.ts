import type { Level } from '@contract-kit/conformance';
import { formatProof, isProven, type Verdict } from './teeth/proof';
import { FAULT_NAMES } from './teeth/server-faults/server-faults';

test('each fault of the teeth has a name of its own', () => {
  expect(new Set(FAULT_NAMES).size).toBe(FAULT_NAMES.length);
});

test('what survives is shown with its reason, and too few faults prove nothing', () => {
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

test('what is found at another level than it has to be is no proof', () => {
  const found = (name: string, level: Level, at: Level): Verdict => ({
    kind: 'a kind',
    name,
    complaint: 'noticed',
    level,
    found: at,
  });
  const proof = { title: 'faults', least: 2, threshold: 100, control: undefined };
  const right = { ...proof, verdicts: [found('one', 'contract', 'contract'), found('two', 'strict', 'strict')] };
  expect(isProven(right)).toBe(true);
  expect(formatProof(right)).toMatch(/contract +1 +1\n +robust +0 +0\n +strict +1 +1$/);
  const worse = { ...proof, verdicts: [found('one', 'contract', 'strict'), found('two', 'strict', 'strict')] };
  expect(isProven(worse)).toBe(false);
  expect(formatProof(worse)).toMatch(/contract +1 +0\n[^]*contract expected, strict found: one$/);
});
