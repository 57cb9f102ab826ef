import { randomUUID } from 'node:crypto';
import type { UntypedHandler } from '../../../server/src/pipeline/pipeline';
import { LEVELS, type Level } from '../../src/contract/standards';
import {
  idOf,
  show,
  CRATES,
  createCrates,
  startCrates,
  type Crate,
  type CrateHandlers,
  type Kept,
} from './start-crates';
import type { Target } from '../../src/exchange/exchange';
import { titleOf } from '../../src/generators/case';
import { runStateful } from '../../src/stateful/run-stateful';
import { createSuite, type Suite } from '../../src/suite';
import { prove, type Progress, type Proof } from './proof';
import { findMildest, OPTIONS } from './find-complaint';

/** One thing that is wrong with what a server keeps, put round the right handlers. */
interface StatefulFault {
  readonly name: string;
  /** The mildest level that has to find it. */
  readonly level: Level;
  readonly change: (right: CrateHandlers, kept: Map<string, Kept>) => Partial<CrateHandlers>;
}

type Request = Parameters<UntypedHandler>[0];

const STATEFUL_FAULTS: readonly StatefulFault[] = [
  faulty('robust', 'a replacement is answered, and lost', (right, kept) => ({
    repackCrate: losing(right.repackCrate, kept),
  })),
  faulty('contract', 'a patch is answered, and lost', (right, kept) => ({
    changeCrate: losing(right.changeCrate, kept),
  })),
  faulty('contract', 'what was read once is read from a cache', ({ getCrate }, kept) => {
    const cache = new Map<string, Kept>();
    return {
      getCrate(request, reply) {
        const id = idOf(request.path);
        const own = kept.get(id);
        if (!own) return getCrate(request, reply);
        if (!cache.has(id)) cache.set(id, { ...own });
        return show(request, cache.get(id) ?? own, reply);
      },
    };
  }),
  faulty('contract', 'what is read is another one', ({ getCrate }, kept) => ({
    getCrate(request, reply) {
      const [first] = kept;
      return getCrate(first && kept.has(idOf(request.path)) ? withId(request, first[0]) : request, reply);
    },
  })),
  faulty('robust', 'what is read has the content of another one', ({ getCrate }, kept) => ({
    getCrate(request, reply) {
      const own = kept.get(idOf(request.path));
      const other = [...kept.values()].find((one) => one !== own);
      return own && other ? show(request, { ...own, crate: other.crate }, reply) : getCrate(request, reply);
    },
  })),
  faulty('contract', 'an old If-Match is accepted', (right, kept) => ({
    repackCrate: forgiving(right.repackCrate, kept, true),
  })),
  faulty('contract', 'an old If-Match is accepted by a patch', (right, kept) => ({
    changeCrate: forgiving(right.changeCrate, kept, true),
  })),
  faulty('strict', 'a missing If-Match is accepted', (right, kept) => ({
    repackCrate: forgiving(right.repackCrate, kept, false),
  })),
  faulty('strict', 'what is not there is deleted with success', ({ unpackCrate }) => ({
    unpackCrate: async (request, reply) => (await unpackCrate(request, reply), reply(204)),
  })),
  faulty('robust', 'nothing is deleted', (right, kept) => ({
    unpackCrate: (request, reply) => (kept.has(idOf(request.path)) ? reply(204) : right.unpackCrate(request, reply)),
  })),
  faulty('robust', 'another one is deleted', ({ unpackCrate }, kept) => ({
    unpackCrate: (request, reply) =>
      unpackCrate(withId(request, otherThan(kept, request) ?? idOf(request.path)), reply),
  })),
  faulty('robust', 'another one is deleted, too', ({ unpackCrate }, kept) => ({
    unpackCrate(request, reply) {
      const other = otherThan(kept, request);
      if (kept.has(idOf(request.path)) && other !== undefined) kept.delete(other);
      return unpackCrate(request, reply);
    },
  })),
  faulty('robust', 'all are changed at once', ({ changeCrate }, kept) => ({
    async changeCrate(request, reply) {
      const answer = await changeCrate(request, reply);
      const own = kept.get(idOf(request.path));
      if (own && answer.status === 200) for (const one of kept.values()) one.crate = own.crate;
      return answer;
    },
  })),
  faulty('robust', 'pages have holes', (right) => ({ listCrates: paging(right.listCrates, 1) })),
  faulty('robust', 'pages have doubles', (right) => ({ listCrates: paging(right.listCrates, -1) })),
  faulty('contract', 'a creation is answered with the id of another', ({ packCrate }, kept) => ({
    async packCrate(request, reply) {
      const [first] = kept.keys();
      const { body, ...answer } = await packCrate(request, reply);
      return reply(answer.status, first === undefined ? body : { ...(body as object), id: first }, answer.headers);
    },
  })),
  faulty('contract', 'a patch replaces the whole', ({ changeCrate }, kept) => ({
    async changeCrate(request, reply) {
      const answer = await changeCrate(request, reply);
      const own = kept.get(idOf(request.path));
      if (!own || answer.status !== 200) return answer;
      const { name = 'none', weight = 0n, note } = request.body as Partial<Crate>;
      own.crate = { name, weight, ...(typeof note === 'string' && { note }) };
      return show(request, own, reply);
    },
  })),
  faulty('robust', 'a replacement keeps what it does not name', ({ repackCrate }, kept) => ({
    async repackCrate(request, reply) {
      const own = kept.get(idOf(request.path));
      const note = own?.crate.note;
      const answer = await repackCrate(request, reply);
      if (own && note !== undefined && answer.status === 200) own.crate = { note, ...own.crate };
      return answer;
    },
  })),
  faulty('contract', 'Location leads to nothing', (right) => ({ packCrate: locating(right.packCrate, randomUUID) })),
  faulty('contract', 'Location leads to another one', (right, kept) => ({
    packCrate: locating(right.packCrate, () => [...kept.keys()][0] ?? ''),
  })),
  faulty('robust', 'the latest is not in the list', ({ listCrates }, kept) => ({
    listCrates: onPage(listCrates, ({ items, ...page }) => {
      const latest = [...kept.keys()].at(-1);
      return { ...page, items: items.filter(({ id }) => id !== latest) };
    }),
  })),
  faulty('robust', 'what is deleted stays in the list', ({ listCrates, unpackCrate }, kept) => {
    const gone = new Map<string, Kept>();
    return {
      unpackCrate(request, reply) {
        const own = kept.get(idOf(request.path));
        if (own) gone.set(idOf(request.path), own);
        return unpackCrate(request, reply);
      },
      listCrates: onPage(listCrates, ({ items, ...page }) => ({
        ...page,
        items: [...items, ...[...gone].map(([id, { crate }]) => ({ id, ...crate }))],
      })),
    };
  }),
];

function faulty(level: Level, name: string, change: StatefulFault['change']): StatefulFault {
  return { level, name, change };
}

function withId(request: Request, id: string): Request {
  return { ...request, path: { ...request.path, crateId: id } };
}

function otherThan(kept: Map<string, Kept>, { path }: Request): string | undefined {
  return [...kept.keys()].find((id) => id !== idOf(path));
}

function losing(handler: UntypedHandler, kept: Map<string, Kept>): UntypedHandler {
  return async (request, reply) => {
    const own = kept.get(idOf(request.path));
    const crate = own?.crate;
    const answer = await handler(request, reply);
    if (own && crate) own.crate = crate;
    return answer;
  };
}

/** @param hasTag whether requests count that have an If-Match, or those without it */
function forgiving(handler: UntypedHandler, kept: Map<string, Kept>, hasTag: boolean): UntypedHandler {
  return (request, reply) => {
    const own = kept.get(idOf(request.path));
    const isMeant = (request.headers['If-Match'] !== undefined) === hasTag;
    const tag = `"${String(own?.version)}"`;
    return handler(own && isMeant ? { ...request, headers: { ...request.headers, 'If-Match': tag } } : request, reply);
  };
}

interface Page {
  readonly items: readonly { readonly id: string }[];
  readonly next?: string;
}

function onPage(handler: UntypedHandler, change: (page: Page) => Page): UntypedHandler {
  return async (request, reply) => {
    const { body, ...answer } = await handler(request, reply);
    return answer.status === 200 ? reply(200, change(body as Page)) : { body, ...answer };
  };
}

/** @param step how far the next page is from where it has to be */
function paging(handler: UntypedHandler, step: number): UntypedHandler {
  return onPage(handler, ({ next, ...page }) => ({
    ...page,
    ...(next !== undefined && { next: String(Number(next) + step) }),
  }));
}

function locating(handler: UntypedHandler, toId: () => string): UntypedHandler {
  return async (request, reply) => {
    const { status, body, headers } = await handler(request, reply);
    return reply(status, body, { ...headers, Location: `/crates/${toId()}` });
  };
}

const NO_FAULT: StatefulFault = { name: 'no fault', level: 'strict', change: () => ({}) };

/** Right handlers of a contract that keeps things, with one fault each, which has to be found at the level where it belongs. */
export function proveStatefulFaults(progress: Progress, extent: number): Promise<Proof> {
  const suites = LEVELS.map((level) => createSuite(CRATES, { ...OPTIONS, level }));
  const judge = ({ change }: StatefulFault): ReturnType<typeof findMildest> =>
    findMildest(suites, async (suite) => {
      const { handlers, kept } = createCrates();
      await using target = await startCrates({ ...handlers, ...change(handlers, kept) });
      return await findFirst(suite, target);
    });
  return prove({
    title: 'stateful faults',
    least: 20,
    threshold: 100,
    items: STATEFUL_FAULTS.map((fault) => ({ kind: 'what is kept', ...fault })),
    judge,
    control: async () => (await judge(NO_FAULT)).complaint,
    progress,
    extent,
  });
}

async function findFirst(suite: Suite, target: Target): Promise<string | undefined> {
  for await (const { case: one, findings } of runStateful(suite, target)) {
    const [first] = findings;
    if (first) return `${titleOf(one)}: ${first.check}, ${first.text}`;
  }
  return undefined;
}
