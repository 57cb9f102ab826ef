import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

interface Findings {
  readonly rules: readonly string[];
  readonly unmet: readonly string[];
}

const CONTRACTS = { plants: 'openapi.yaml', nursery: 'examples/nursery/openapi.yaml' };
const page = readFileSync('.github/SECURITY.md', 'utf8');
const found = Object.entries(CONTRACTS).map(([name, file]) => {
  const output = execFileSync('node', ['proofs/clients/list-findings.mjs', file], { encoding: 'utf8' });
  return { name, ...(JSON.parse(output) as Findings) };
});
const unmet = new Set(found.flatMap((findings) => findings.unmet));

test('the page answers each rule that a contract does not meet, and no other', () => {
  const answered = [...page.matchAll(/^- `(owasp:[^`]+)` \((.*?)\):\s+\S/gm)].map(([, rule, names]) => [rule, names]);
  const expected = [...unmet].sort().map((rule) => {
    const contracts = found.filter((findings) => findings.unmet.includes(rule));
    return [rule, contracts.map(({ name }) => name).join(', ')];
  });
  expect(expected.length).toBeGreaterThan(0);
  expect(answered).toEqual(expected);
});

test('the page says how many are met', () => {
  const rules = found[0]?.rules.length ?? 0;
  expect(page.replaceAll(/\s+/g, ' ')).toContain(`is met by both: ${String(rules - unmet.size)} of ${String(rules)}.`);
});
