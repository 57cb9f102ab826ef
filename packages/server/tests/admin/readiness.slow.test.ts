import { findProblems } from '../../src/admin/admin-server';

const well = (): Promise<void> => Promise.resolve();
const away = (): Promise<void> => Promise.reject(new Error('away'));

test('a phase counts before all checks', async () => {
  await expect(findProblems({ phase: 'starting', checks: [well] })).resolves.toEqual(['starting']);
  await expect(findProblems({ phase: 'draining', checks: [away] })).resolves.toEqual(['draining']);
});

test('every check that fails is a problem', async () => {
  await expect(findProblems({ phase: undefined, checks: [] })).resolves.toEqual([]);
  await expect(findProblems({ phase: undefined, checks: [well, well] })).resolves.toEqual([]);
  await expect(findProblems({ phase: undefined, checks: [away, well, away] })).resolves.toEqual(['away', 'away']);
});

test('a check that takes too long is a problem', async () => {
  const hanging = (): Promise<void> => new Promise(() => undefined);
  const problems = findProblems({ phase: undefined, checks: [well, hanging] });
  await expect(problems).resolves.toEqual(['a check takes longer than 3000 ms']);
});
