import { readFileSync } from 'node:fs';
import { createSuite, type CheckName, type Level } from '../src';
import { runStateful } from '../src/stateful/run-stateful';
import { otherNameOf } from '../src/wire/secret';
import type { BugName, TheatreBug } from './team-bugs/bugs';
import { startService } from './team-bugs/service';
import { startTheatre } from './team-bugs/theatre';
import { startUnusual } from './team-bugs/unusual';

const TOKENS = ['token-of-alice', 'token-of-bob'] as const;

/** The checks that find something in what a service of a contract keeps. */
async function findChecks(contract: string, url: string, level: Level = 'robust'): Promise<CheckName[]> {
  const text = readFileSync(`packages/conformance/tests/team-bugs/${contract}.yaml`, 'utf8');
  const suite = createSuite(text, { bodyLimit: 1024 ** 2, marker: 'abc', level });
  const schemes = suite.model.operations.flatMap(({ securityRequirements }) => securityRequirements.flat());
  const secrets = schemes.flatMap(({ name }) => [[name, TOKENS[0]] as const, [otherNameOf(name), TOKENS[1]] as const]);
  const base = new URL(`${url}/v1`);
  const hasOtherCaller = contract === 'contract';
  const target = { base, secrets: Object.fromEntries(secrets), timeout: 60_000, hasOtherCaller };
  const checks = new Set<CheckName>();
  for await (const { findings } of runStateful(suite, target, { workers: 4 }))
    for (const { check } of findings) checks.add(check);
  return [...checks].toSorted();
}

// `npm run check -- team-bugs` has all bugs, as a user finds them.
test.each<[BugName | undefined, CheckName[]]>([
  [undefined, []],
  ['patch keeps null', ['merge-patch']],
  ['action drops', ['action-property-lost']],
  ['update lost', ['if-match-race', 'lost-update']],
  ['duplicate race', ['duplicate-created']],
  ['other reads', ['object-authorization']],
  ['other listed', ['object-authorization']],
  ['cursor loses', ['pagination-missing']],
  ['offset doubles', ['pagination-duplicate']],
  ['page + 1', ['pagination-limit', 'schema']],
  ['filter ignored', ['filter-ignored']],
])('what is said of the bug %s is %j', async (bug, expected) => {
  await using service = await startService({ bug, older: 0, tokens: TOKENS });
  await expect(findChecks('contract', service.url)).resolves.toEqual(expected);
});

test.each<[TheatreBug | undefined, CheckName[]]>([
  [undefined, []],
  ['truncates', ['value-changed']],
  ['other default', ['default-not-applied']],
  ['takes stages', ['read-only-stored']],
  ['keeps refused', ['unexpected-item']],
  ['copies', ['unexpected-item']],
  ['changes all', ['other-changed', 'value-changed']],
  ['lists deleted', ['deleted-listed']],
  ['ends early', ['created-not-listed', 'pagination-missing']],
  ['constant tag', ['etag-unchanged']],
  ['never 304', ['if-none-match-ignored']],
  ['head length', ['head-length']],
  ['head tag', ['head-fields']],
  ['any parent', ['wrong-parent']],
  ['orphans', ['deleted-readable']],
  ['doubles halls', ['deleted-listed', 'listed-twice', 'pagination-duplicate']],
  ['deletes all', ['resource-lost']],
  ['never 201', ['put-status']],
  ['loses exports', ['accepted-lost']],
  ['loses plays', ['location-target', 'resource-lost']],
  ['loses changes', ['update-not-saved', 'value-changed']],
  ['caches reads', ['update-not-saved', 'value-changed']],
  ['reads the first', ['location-target', 'wrong-resource']],
  ['mixes up plays', ['other-changed', 'value-changed']],
  ['keeps deleted', ['deleted-readable']],
  ['deletes another', ['created-not-listed', 'deleted-readable', 'resource-lost']],
  ['other Location', ['location-target']],
  ['lists late', ['created-not-listed']],
  ['open halls', ['unauthorized-accepted']],
])('what is said of the theatre with the bug %s is %j', async (bug, expected) => {
  await using service = await startTheatre(bug, TOKENS[0]);
  await expect(findChecks('theatre', service.url)).resolves.toEqual(expected);
});

test.each<[TheatreBug, CheckName]>([
  ['deletes twice', 'deleted-twice'],
  ['forgets 428', 'if-match-not-required'],
])('at strict, what is said of the theatre with the bug %s has %s in it', async (bug, check) => {
  await using service = await startTheatre(bug, TOKENS[0]);
  await expect(findChecks('theatre', service.url, 'strict')).resolves.toContain(check);
});

test('nothing is said of a right service whose slugs, ids, flags and ranks change with others, and that shows other forms of what it keeps, as it says, or not at all', async () => {
  await using service = await startUnusual();
  await expect(findChecks('unusual', service.url)).resolves.toEqual([]);
});
