import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { UntypedHandler } from '../../../server/src/pipeline/pipeline';
import type { Target } from '@contract-kit/conformance';
import { renderFixture } from '../../../../tests/support/fixture-errors';
import { loadText } from '../../../../tests/support/load-text';
import { serveApp } from '../../../../tests/support/serve-app';

export const CRATES = readFileSync('tests/fixtures/crates.yaml', 'utf8');
const TOKEN = 'a-token-for-the-tests';

export interface Crate {
  readonly name: string;
  readonly weight: bigint;
  readonly note?: string;
}

interface Label {
  readonly number: number;
  readonly text: string;
}

/** What is kept of a crate. */
export interface Kept {
  readonly number: number;
  crate: Crate;
  version: number;
  readonly labels: Map<number, Label>;
}

export type CrateHandlers = Record<
  'listCrates' | 'packCrate' | 'getCrate' | 'repackCrate' | 'changeCrate' | 'unpackCrate' | LabelHandler,
  UntypedHandler
>;
type LabelHandler = 'listLabels' | 'addLabel' | 'removeLabel';

/** Handlers that do what the contract says, and all that they keep. */
export function createCrates(): { readonly handlers: CrateHandlers; readonly kept: Map<string, Kept> } {
  const kept = new Map<string, Kept>();
  let latest = 0;
  let stuck = 0;
  const find = ({ path }: Parameters<UntypedHandler>[0]): Kept | undefined => kept.get(idOf(path));
  const handlers: CrateHandlers = {
    listCrates({ query }, reply) {
      const after = Number(query['after'] ?? 0);
      const limit = Number(query['limit'] ?? 20);
      const rest = [...kept].filter(([, { number }]) => number > after);
      const page = rest.slice(0, limit);
      const last = page.at(-1)?.[1].number;
      return reply(200, {
        items: page.map(([id, { crate }]) => ({ id, ...crate })),
        ...(rest.length > limit && { next: String(last) }),
      });
    },
    packCrate({ body }, reply) {
      const id = randomUUID();
      const one = { number: ++latest, crate: toCrate(body), version: 1, labels: new Map<number, Label>() };
      kept.set(id, one);
      return reply(201, { id, ...one.crate }, { Location: `/crates/${id}`, ETag: '"1"' });
    },
    getCrate(request, reply) {
      const one = find(request);
      return one ? show(request, one, reply) : refuse(404, reply);
    },
    repackCrate(request, reply) {
      const one = find(request);
      if (!one) return refuse(404, reply);
      if (request.headers['If-Match'] === undefined) return refuse(428, reply);
      if (!isMatching(request, one)) return refuse(412, reply);
      one.crate = toCrate(request.body);
      one.version++;
      return show(request, one, reply);
    },
    changeCrate(request, reply) {
      const one = find(request);
      if (!one) return refuse(404, reply);
      if (!isMatching(request, one)) return refuse(412, reply);
      const { note, ...rest } = { ...one.crate, ...(request.body as Partial<Crate>) };
      one.crate = { ...rest, ...(typeof note === 'string' && { note }) };
      one.version++;
      return show(request, one, reply);
    },
    unpackCrate: ({ path }, reply) => (kept.delete(idOf(path)) ? reply(204) : refuse(404, reply)),
    listLabels(request, reply) {
      const one = find(request);
      return one ? reply(200, [...one.labels.values()]) : refuse(404, reply);
    },
    addLabel(request, reply) {
      const one = find(request);
      if (!one) return refuse(404, reply);
      const label = { number: ++stuck, text: (request.body as Label).text };
      one.labels.set(label.number, label);
      return reply(201, label);
    },
    removeLabel(request, reply) {
      const isThere = find(request)?.labels.delete(Number(request.path['number']));
      return isThere === true ? reply(204) : refuse(404, reply);
    },
  };
  return { handlers, kept };
}

/** A server of these handlers. */
export async function startCrates(handlers: CrateHandlers): Promise<Target & AsyncDisposable> {
  const app = await serveApp({
    contract: loadText(CRATES),
    handlers: { ...handlers },
    verifiers: { bearerAuth: (sent) => (sent === TOKEN ? {} : undefined) },
    render: renderFixture,
  });
  const { base } = app;
  return {
    base,
    secrets: { bearerAuth: TOKEN },
    timeout: 60_000,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

type Reply = Parameters<UntypedHandler>[1];

export function refuse(status: number, reply: Reply): ReturnType<Reply> {
  return reply(status, { error: status, message: 'Not this time.' });
}

export function show(
  { path }: Pick<Parameters<UntypedHandler>[0], 'path'>,
  one: Kept,
  reply: Reply,
): ReturnType<Reply> {
  return reply(200, { id: idOf(path), ...one.crate }, { ETag: `"${String(one.version)}"` });
}

function isMatching({ headers }: Parameters<UntypedHandler>[0], { version }: Kept): boolean {
  const wanted = headers['If-Match'];
  return wanted === undefined || wanted === `"${String(version)}"`;
}

function toCrate(body: unknown): Crate {
  const { name, weight, note } = body as Crate;
  return { name, weight, ...(note !== undefined && { note }) };
}

export function idOf(path: Parameters<UntypedHandler>[0]['path']): string {
  return String(path['crateId']);
}
