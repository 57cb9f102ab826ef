import { readFileSync } from 'node:fs';
import { createSuite, type CheckName } from '../src';
import { runStateful } from '../src/stateful/run-stateful';
import { otherNameOf } from '../src/wire/secret';
import { startOffice, type OfficeBug } from './team-bugs/office';
import { startService, type BugName } from './team-bugs/service';
import { startTheatre, type TheatreBug } from './team-bugs/theatre';
import { startUnusual } from './team-bugs/unusual';

const TOKENS = ['token-of-alice', 'token-of-bob'] as const;

/** The checks that find something in what a service of a contract keeps. */
async function findChecks(
  contract: string,
  url: string,
  change = (text: string): string => text,
): Promise<CheckName[]> {
  const text = readFileSync(`packages/conformance/tests/team-bugs/${contract}.yaml`, 'utf8');
  const suite = createSuite(change(text), { bodyLimit: 1024 ** 2, marker: 'abc', level: 'robust' });
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

type Bug =
  | readonly ['contract', BugName | undefined]
  | readonly ['theatre', TheatreBug | undefined]
  | readonly ['office', OfficeBug | undefined];

// `npm run check -- team-bugs` has all bugs, as a user finds them.
test.each<[...Bug, CheckName[]]>([
  ['contract', undefined, []],
  ['contract', 'patch keeps null', ['merge-patch']],
  ['contract', 'action drops', ['action-property-lost']],
  ['contract', 'update lost', ['if-match-race', 'lost-update']],
  ['contract', 'duplicate race', ['duplicate-created']],
  ['contract', 'other reads', ['object-authorization']],
  ['contract', 'other listed', ['object-authorization']],
  ['contract', 'cursor loses', ['pagination-missing']],
  ['contract', 'offset doubles', ['pagination-duplicate']],
  ['contract', 'page + 1', ['pagination-limit', 'schema']],
  ['contract', 'filter ignored', ['filter-ignored']],
  ['theatre', undefined, []],
  ['theatre', 'truncates', ['value-changed']],
  ['theatre', 'other default', ['default-not-applied']],
  ['theatre', 'takes stages', ['read-only-stored']],
  ['theatre', 'keeps refused', ['unexpected-item']],
  ['theatre', 'copies', ['unexpected-item']],
  ['theatre', 'changes all', ['other-changed', 'value-changed']],
  ['theatre', 'lists deleted', ['deleted-listed']],
  ['theatre', 'ends early', ['created-not-listed', 'pagination-missing']],
  ['theatre', 'constant tag', ['etag-unchanged']],
  ['theatre', 'never 304', ['if-none-match-ignored']],
  ['theatre', 'always 304', ['not-modified']],
  ['theatre', 'bare tags', ['header-syntax', 'if-none-match-ignored']],
  ['theatre', 'forgets keys', ['idempotency-key']],
  ['theatre', 'forgets 428', ['if-match-not-required']],
  ['theatre', 'other end', ['schema']],
  ['theatre', 'head length', ['head-length']],
  ['theatre', 'head tag', ['head-fields']],
  ['theatre', 'any parent', ['wrong-parent']],
  ['theatre', 'orphans', ['deleted-readable']],
  ['theatre', 'doubles halls', ['deleted-listed', 'listed-twice', 'pagination-duplicate']],
  ['theatre', 'deletes all', ['resource-lost']],
  ['theatre', 'never 201', ['put-status']],
  ['theatre', 'loses exports', ['accepted-lost']],
  ['theatre', 'loses plays', ['location-target', 'resource-lost']],
  ['theatre', 'loses changes', ['update-not-saved', 'value-changed']],
  ['theatre', 'caches reads', ['update-not-saved', 'value-changed']],
  ['theatre', 'reads the first', ['location-target', 'wrong-resource']],
  ['theatre', 'mixes up plays', ['other-changed', 'value-changed']],
  ['theatre', 'keeps deleted', ['deleted-readable']],
  ['theatre', 'deletes another', ['created-not-listed', 'deleted-readable', 'resource-lost']],
  ['theatre', 'other Location', ['location-target']],
  ['theatre', 'lists late', ['created-not-listed']],
  ['theatre', 'open halls', ['unauthorized-accepted']],
  ['office', undefined, []],
  ['office', 'settings are forgotten', ['update-not-saved', 'value-changed']],
  ['office', 'settings lose a field', ['value-changed']],
  ['office', 'settings are merged', ['put-merged']],
  ['office', 'a patch replaces settings', ['merge-patch', 'value-changed']],
  ['office', 'profiles are kept once', ['update-not-saved', 'value-changed']],
  ['office', 'a notice is overwritten', ['if-none-match-ignored']],
  ['office', 'a change has the old tag', ['etag-given']],
  ['office', 'a creation has another tag', ['etag-given']],
  ['office', 'HEAD finds all', ['head-status']],
  ['office', 'any range is a part', ['range']],
  ['office', 'members of filter are ignored', ['filter-ignored']],
])('what is said of the service of %s.yaml with the bug %s is %j', async (contract, bug, expected) => {
  await using service =
    contract === 'contract'
      ? await startService({ bug, older: 0, tokens: TOKENS })
      : contract === 'office'
        ? await startOffice(bug, TOKENS[0])
        : await startTheatre(bug, TOKENS[0]);
  await expect(findChecks(contract, service.url)).resolves.toEqual(expected);
});

test('nothing is said of a right service whose slugs, ids, flags and ranks change with others, that shows other forms of what it keeps, as it says, or not at all, and that changes later or goes back by itself', async () => {
  await using service = await startUnusual();
  await expect(findChecks('unusual', service.url)).resolves.toEqual([]);
});

test('others may read a resource that says that it is public', async () => {
  await using service = await startService({ bug: 'other reads', older: 0, tokens: TOKENS });
  const makePublic = (text: string): string =>
    text
      .replace('Notes: { type: string, maxLength: 500 }', 'Notes: { type: string, enum: [public] }')
      .replace('required: [reference, amount, kind]', 'required: [reference, amount, kind, notes]');
  // The service takes other notes, too.
  await expect(findChecks('contract', service.url, makePublic)).resolves.toEqual(['invalid-accepted']);
});
