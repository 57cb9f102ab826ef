import { readFileSync } from 'node:fs';
import { createSuite, type Case } from '../src';
import { sampleCases } from '../src/exchange/sample';

const source = readFileSync('tests/fixtures/lending.yaml', 'utf8');
const { cases, model } = createSuite(source, { bodyLimit: 1_000, marker: 'sampled', level: 'strict' });

function choose(count: number, seed = 1): Case[] {
  return sampleCases(cases, { count, seed });
}

function kindsOf(chosen: readonly Case[]): Set<string> {
  return new Set(chosen.map(({ operation, class: name, keyword = '' }) => `${operation} ${name} ${keyword}`));
}

test('each class and each kind of rule of each operation is there, however few are wanted', () => {
  const chosen = choose(1);
  expect(kindsOf(chosen)).toEqual(kindsOf(cases));
  expect(chosen.length).toBeLessThan(cases.length / 3);
});

test('there are about as many of each operation as are wanted, and all where that is all', () => {
  for (const { id } of model.operations) {
    const own = cases.filter(({ operation }) => operation === id);
    expect(sampleCases(own, { count: 100, seed: 1 })).toHaveLength(Math.min(100, own.length));
  }
  expect(choose(1_000_000)).toEqual(cases);
});

test('the order stays; the seed chooses, and nothing else', () => {
  const chosen = choose(60);
  const places = chosen.map((one) => cases.indexOf(one));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(choose(60)).toEqual(chosen);
  expect(choose(60, 2)).not.toEqual(chosen);
});
