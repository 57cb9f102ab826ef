// The bugs that service.ts can have, and at which level of the suite each is expected to be found.

/** `older` says how many items there are before. */
export const BUGS = {
  'cursor loses': { what: 'the first claim of each next page is lost', expected: 'robust' },
  'cursor doubles': { what: 'the last claim of a page opens the next one, too', expected: 'robust' },
  'cursor loses at 20': { what: 'a claim is lost between pages of the default size only', expected: 'robust' },
  'cursor loses at 100': { what: 'a claim is lost between pages of the largest size only', expected: 'robust' },
  'list ends at 250': { what: 'claims beyond the 250th are never listed', expected: 'robust', older: 400 },
  'page + 1': { what: 'a page of claims has one more than limit', expected: 'robust' },
  'page + 1 at 100': { what: 'a page of the largest size has one more', expected: 'contract', older: 400 },
  'offset loses': { what: 'the first adjuster behind the first page is lost', expected: 'robust' },
  'offset doubles': { what: 'the last adjuster of the first page opens the second, too', expected: 'robust' },
  'offset loses at 20': { what: 'an adjuster is lost between pages of the default size only', expected: 'robust' },
  'offset loses late': { what: 'an adjuster is lost where offset is above 300', expected: 'robust', older: 400 },
  'filter ignored': { what: 'claims of each status are listed', expected: 'robust' },
  'filter on page 1': { what: 'the pages behind the first have claims of each status', expected: 'robust' },
  'other reads': { what: "another caller's claim is readable", expected: 'robust' },
  'other changes': { what: "another caller's claim can be replaced, patched, approved, deleted", expected: 'robust' },
  'other listed': { what: "another caller's claims are listed", expected: 'robust' },
  'action drops': { what: 'approve loses notes and tags', expected: 'robust' },
  'create drops': { what: 'the reply of a creation has tags, and the claim has none', expected: 'robust' },
  'patch resets': { what: 'PATCH drops the notes and tags that it does not name', expected: 'robust' },
  'patch keeps null': { what: 'PATCH with null removes nothing', expected: 'robust' },
  'put merges': { what: 'PUT keeps notes and tags that it does not name', expected: 'robust' },
  'update lost': { what: 'of two updates at once one is lost', expected: 'robust' },
  'stale accepted': { what: 'If-Match is not compared', expected: 'robust' },
  'duplicate 500': { what: 'a reference that is taken is answered 500', expected: 'contract' },
  'duplicate race': { what: 'two claims made at once have one reference', expected: 'robust' },
  'delete hides': { what: 'a deleted claim is not listed, and still read', expected: 'robust' },
  'id again': { what: 'the id of the last claim is given again when it is deleted', expected: 'robust' },
  'location bare': { what: 'Location lacks /v1', expected: 'contract' },
} as const satisfies Record<string, { what: string; expected: 'contract' | 'robust'; older?: number }>;

export type BugName = keyof typeof BUGS;
