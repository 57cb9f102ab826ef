import { readFileSync } from 'node:fs';
import { createSuite, type CheckName } from '../src';
import { runStateful } from '../src/stateful/run-stateful';
import { otherNameOf } from '../src/wire/secret';
import type { BugName } from './team-bugs/bugs';
import { startService } from './team-bugs/service';

const CONTRACT = readFileSync('packages/conformance/tests/team-bugs/contract.yaml', 'utf8');
const TOKENS = ['token-of-alice', 'token-of-bob'] as const;

// `npm run check -- team-bugs` has all bugs, as a user finds them.
test.each<[BugName | undefined, CheckName[]]>([
  [undefined, []],
  ['patch keeps null', ['merge-patch']],
  ['action drops', ['action-property-lost']],
  ['update lost', ['if-match-race', 'lost-update']],
  ['duplicate race', ['duplicate-created']],
  ['id again', ['id-reused']],
  ['other reads', ['object-authorization']],
  ['other listed', ['object-authorization']],
  ['cursor loses', ['pagination-missing']],
  ['offset doubles', ['pagination-duplicate']],
  ['page + 1', ['pagination-limit', 'schema']],
  ['filter ignored', ['filter-ignored']],
])('what is said of the bug %s is %j', async (bug, expected) => {
  await using service = await startService({ bug, older: 0, tokens: TOKENS });
  const suite = createSuite(CONTRACT, { bodyLimit: 1024 ** 2, marker: 'abc', level: 'robust' });
  const schemes = suite.model.operations.flatMap(({ securityRequirements }) => securityRequirements.flat());
  const secrets = schemes.flatMap(({ name }) => [[name, TOKENS[0]] as const, [otherNameOf(name), TOKENS[1]] as const]);
  const base = new URL(`${service.url}/v1`);
  const target = { base, secrets: Object.fromEntries(secrets), timeout: 60_000, hasOtherCaller: true };
  const checks = new Set<CheckName>();
  for await (const { findings } of runStateful(suite, target, { workers: 4 }))
    for (const { check } of findings) checks.add(check);
  expect([...checks].toSorted()).toEqual(expected);
});
