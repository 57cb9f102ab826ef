import { summarize, toInterval } from '../mutation/result';

const repeat = (times: number, file: string, status: string) => Array.from({ length: times }, () => ({ file, status }));

test.each([
  // R. G. Newcombe, Two-sided confidence intervals for the single proportion, 1998, table I, method 3.
  [81, 263, [0.2553, 0.3662]],
  [15, 148, [0.0624, 0.1605]],
  [0, 20, [0, 0.1611]],
  [1, 29, [0.0061, 0.1718]],
])('the interval of %i in %i is that of the literature', (count, total, limits) => {
  expect(toInterval(count, total).map((limit) => Number(limit.toFixed(4)))).toEqual(limits);
});

test('a sample has the share of each group, and the files of its survivors', () => {
  const outcomes = [
    ...repeat(17, 'packages/server/src/a.ts', 'Killed'),
    ...repeat(1, 'packages/store/src/b.ts', 'Timeout'),
    ...repeat(2, 'packages/store/src/b.ts', 'Survived'),
    ...repeat(1, 'src/c.ts', 'NoCoverage'),
    ...repeat(6, 'src/c.ts', 'Killed'),
    ...repeat(10, 'src/c.ts', 'Ignored'),
  ];
  expect(summarize(outcomes)).toEqual({
    line: 'server and store 90.0 % of 20 detected (95 % interval: 69.9 to 97.2); the rest 85.7 % of 7 detected (95 % interval: 48.7 to 97.4); 27 of 37 mutants',
    isEnough: true,
    files: [
      { file: 'packages/store/src/b.ts', tried: 3, survived: 2 },
      { file: 'src/c.ts', tried: 7, survived: 1 },
    ],
  });
  expect(summarize([...outcomes, ...repeat(1, 'packages/server/src/a.ts', 'Survived')]).isEnough).toBe(false);
});

test('what the end of the time cut counts for nothing, covered or not', () => {
  const cut = [...repeat(3, 'src/c.ts', 'RuntimeError'), ...repeat(5, 'src/c.ts', 'NoCoverage')];
  const run = [...repeat(4, 'src/c.ts', 'Killed'), ...cut];
  expect(summarize(run).line).toMatch(/^the rest 100\.0 % of 4 detected .* 4 of 12/);
  expect(summarize(run, run).line).toMatch(/^the rest 100\.0 % of 8 detected .* 8 of 24/);
});
