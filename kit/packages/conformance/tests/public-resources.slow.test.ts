import { readFileSync } from 'node:fs';
import { createSuite, type CheckName } from '../src';
import { runStateful } from '../src/stateful/run-stateful';
import { otherNameOf } from '../src/wire/secret';
import { startService } from './team-bugs/service';

const TOKENS = ['token-of-alice', 'token-of-bob'] as const;

test('others may read a resource that says that it is public', async () => {
  await using service = await startService({ bug: 'other reads', older: 0, tokens: TOKENS });
  const contract = readFileSync('packages/conformance/tests/team-bugs/contract.yaml', 'utf8')
    .replace('Notes: { type: string, maxLength: 500 }', 'Notes: { type: string, enum: [public] }')
    .replace('required: [reference, amount, kind]', 'required: [reference, amount, kind, notes]');
  const suite = createSuite(contract, { marker: 'abc', level: 'robust' });
  const schemes = suite.model.operations.flatMap(({ securityRequirements }) => securityRequirements.flat());
  const secrets = schemes.flatMap(({ name }) => [[name, TOKENS[0]] as const, [otherNameOf(name), TOKENS[1]] as const]);
  const base = new URL(`${service.url}/v1`);
  const target = { base, secrets: Object.fromEntries(secrets), timeout: 60_000, hasOtherCaller: true };
  const checks = new Set<CheckName>();
  for await (const { findings } of runStateful(suite, target)) for (const { check } of findings) checks.add(check);
  expect([...checks]).toEqual([]);
});
