// A sound service of contract.yaml with node:http alone, or the same with one of the bugs.
import { setTimeout as wait } from 'node:timers/promises';
import { assertRight, parseInteger, startServer, type Asked, type Handlers, type Reply, type Service } from './http';
import { createToItem, type Item } from './items';

/** The bugs that this service can have; `older` says how many items there are before. */
export const BUGS = {
  'cursor loses': { what: 'the first claim of each next page is lost', expected: 'robust' },
  'cursor doubles': { what: 'the last claim of a page opens the next one, too', expected: 'robust' },
  'cursor loses at 20': { what: 'a claim is lost between pages of the default size only', expected: 'robust' },
  'cursor loses at 100': { what: 'a claim is lost between pages of the largest size only', expected: 'robust' },
  'list ends at 250': { what: 'claims beyond the 250th are never listed', expected: 'robust', older: 400 },
  'page + 1': { what: 'a page of claims has one more than limit', expected: 'contract' },
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
  'location bare': { what: 'Location lacks /v1', expected: 'contract' },
} as const satisfies Record<string, { what: string; expected: 'contract' | 'robust'; older?: number }>;

export type BugName = keyof typeof BUGS;

interface Row {
  readonly id: number;
  readonly owner: string;
  readonly version: number;
  readonly item: Item;
  readonly isHidden?: boolean;
}

interface ServiceOptions {
  readonly bug: BugName | undefined;
  readonly older: number;
  readonly tokens: readonly string[];
}

const toItem = createToItem('contract');
const DELAY = 2;
const BARE: Item = { notes: undefined, tags: undefined };
const toETag = ({ version }: Row): string => `"${String(version)}"`;
const toJson = ({ id, item }: Row): Item => ({ id, ...item });
const replyClaim = (row: Row): Reply => ({ status: 200, body: toJson(row), headers: { ETag: toETag(row) } });
const isListed = (list: string, etag: string): boolean =>
  list.trim() === '*' || list.split(',').some((tag) => tag.trim() === etag);

function createHandlers({ bug, older, tokens }: ServiceOptions): Handlers {
  const claims = new Map<number, Row>();
  const adjusters = new Map<number, Row>();
  let lastId = older;
  for (let id = 1; id <= older; id += 1) {
    const row = { id, owner: String(tokens[id % tokens.length]), version: 1 };
    const reference = `ZZ-${String(id).padStart(10, '0')}`;
    claims.set(id, { ...row, item: { status: 'open', reference, amount: id, kind: 'other' } });
    adjusters.set(id, { ...row, item: { name: `Adjuster ${String(id)}` } });
  }

  let queue: Promise<unknown> = Promise.resolve();
  const lock = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  };

  async function read(rows: ReadonlyMap<number, Row>, text: string): Promise<Row> {
    const id = parseInteger(text, 1);
    await wait(DELAY);
    const row = rows.get(id);
    assertRight(row !== undefined, 404, 'there is no such item');
    return row;
  }

  async function save(row: Row): Promise<Row> {
    await wait(DELAY);
    claims.set(row.id, row);
    return row;
  }

  async function find({ caller, headers, method, ids: [id = ''] }: Asked): Promise<Row> {
    const row = await read(claims, id);
    const isOpen = bug === (method === 'GET' ? 'other reads' : 'other changes');
    assertRight(row.owner === caller || isOpen, 403, 'the claim belongs to another caller');
    const { 'if-match': ifMatch = '*', 'if-none-match': ifNoneMatch = '' } = headers;
    assertRight(bug === 'stale accepted' || isListed(ifMatch, toETag(row)), 412, 'the claim has changed');
    const isKnown = isListed(ifNoneMatch.replaceAll('W/', ''), toETag(row));
    assertRight(!isKnown, method === 'GET' ? 304 : 412, 'the claim has not changed');
    return row;
  }

  function assertUnique({ reference }: Item, id?: number): void {
    const isTaken = [...claims.values()].some((row) => row.item['reference'] === reference && row.id !== id);
    if (isTaken && bug === 'duplicate 500') throw new Error('UNIQUE constraint failed: claims.reference');
    assertRight(!isTaken, 409, 'another claim has this reference');
  }

  function change(asked: Asked, toChanged: (item: Item) => Item): Promise<Reply> {
    const work = async (): Promise<Reply> => {
      const row = await find(asked);
      const item = toChanged(row.item);
      assertUnique(item, row.id);
      return replyClaim(await save({ ...row, version: row.version + 1, item }));
    };
    return bug === 'update lost' ? work() : lock(work);
  }

  async function createClaim({ caller, parse }: Asked): Promise<Reply> {
    const given = toItem(parse(), 'NewClaim');
    const work = async (): Promise<Row> => {
      assertUnique(given);
      await wait(DELAY);
      lastId += 1;
      return save({ id: lastId, owner: caller, version: 1, item: { ...given, status: 'open' } });
    };
    const row = await (bug === 'duplicate race' ? work() : lock(work));
    if (bug === 'create drops') claims.set(row.id, { ...row, item: { ...row.item, tags: undefined } });
    const Location = `${bug === 'location bare' ? '' : '/v1'}/claims/${String(row.id)}`;
    return { status: 201, body: toJson(row), headers: { Location, ETag: toETag(row) } };
  }

  async function listClaims({ caller, query }: Asked): Promise<Reply> {
    const limit = parseInteger(query.get('limit') ?? '20', 1, 100);
    const status = query.get('status');
    assertRight(status === undefined || ['open', 'approved'].includes(status), 400, 'status is wrong');
    const cursor = Buffer.from(query.get('cursor') ?? 'YWZ0ZXI6MA', 'base64url').toString();
    const after = Number(/^after:(\d+)$/.exec(cursor)?.[1]);
    assertRight(Number.isInteger(after), 400, 'the cursor is of no page');
    const isFiltered = bug === 'filter on page 1' ? after === 0 : bug !== 'filter ignored';
    await wait(DELAY);
    const rest = [...claims.values()]
      .sort((a, b) => a.id - b.id)
      .filter(({ owner }) => owner === caller || bug === 'other listed')
      .slice(0, bug === 'list ends at 250' ? 250 : Infinity)
      .filter(({ item, isHidden }) => isHidden !== true && (!status || !isFiltered || item['status'] === status))
      .filter(({ id }) => id > after || (bug === 'cursor doubles' && id === after));
    const isLonger = bug === 'page + 1' || (bug === 'page + 1 at 100' && limit === 100);
    const items = rest.slice(0, isLonger ? limit + 1 : limit);
    const next = rest[items.length];
    const loses = bug === 'cursor loses' || bug === `cursor loses at ${String(limit)}`;
    const last = loses ? next : items.at(-1);
    const nextCursor = next && last && Buffer.from(`after:${String(last.id)}`).toString('base64url');
    return { status: 200, body: { items: items.map(toJson), nextCursor } };
  }

  async function listAdjusters({ query }: Asked): Promise<Reply> {
    const limit = parseInteger(query.get('limit') ?? '20', 1, 100);
    const offset = parseInteger(query.get('offset') ?? '0', 0);
    await wait(DELAY);
    const all = [...adjusters.values()];
    const losesHere = (bug === 'offset loses at 20' && limit === 20) || (bug === 'offset loses late' && offset > 300);
    const shift = bug === 'offset doubles' ? -1 : bug === 'offset loses' || losesHere ? 1 : 0;
    const start = offset === 0 ? 0 : offset + shift;
    return { status: 200, body: { items: all.slice(start, start + limit).map(toJson), total: all.length } };
  }

  return {
    'POST claims': createClaim,
    'GET claims': listClaims,
    'GET claims/': async (asked) => replyClaim(await find(asked)),
    'PUT claims/': async (asked) => {
      const given = toItem(asked.parse(), 'NewClaim');
      return change(asked, (old) => ({ ...(bug === 'put merges' ? old : {}), ...given, status: old['status'] }));
    },
    'PATCH claims/': async (asked) => {
      const patch = Object.entries(toItem(asked.parse(), 'ClaimPatch'));
      const named = patch.filter(([, value]) => value !== null || bug !== 'patch keeps null');
      const changed = Object.fromEntries(named.map(([name, value]) => [name, value ?? undefined]));
      return change(asked, (old) => ({ ...old, ...(bug === 'patch resets' ? BARE : {}), ...changed }));
    },
    'DELETE claims/': (asked) =>
      lock(async () => {
        const row = await find(asked);
        if (bug === 'delete hides') await save({ ...row, isHidden: true });
        else claims.delete(row.id);
        return { status: 204 };
      }),
    'POST claims//approve': (asked) =>
      change(asked, (old) => ({ ...old, ...(bug === 'action drops' ? BARE : {}), status: 'approved' })),
    'POST adjusters': async ({ caller, parse }) => {
      const item = toItem(parse(), 'NewAdjuster');
      const row = { id: adjusters.size + 1, owner: caller, version: 1, item };
      adjusters.set(row.id, row);
      await wait(DELAY);
      return { status: 201, body: toJson(row), headers: { Location: `/v1/adjusters/${String(row.id)}` } };
    },
    'GET adjusters': listAdjusters,
    'GET adjusters/': async ({ ids: [id = ''] }) => ({ status: 200, body: toJson(await read(adjusters, id)) }),
  };
}

export function startService(options: ServiceOptions): Promise<Service> {
  return startServer(createHandlers(options), {
    realm: 'claims',
    isKnown: (token) => options.tokens.includes(token),
  });
}
