// A sound service of theatre.yaml with node:http alone, or the same with one of its bugs.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020';
import { parse } from 'yaml';
import type { TheatreBug } from './bugs';
import { assertRight, checkHead, parseInteger, parseJson, parseTarget, Refusal, type Reply } from './http';

type Item = Readonly<Record<string, unknown>>;
type Bug = TheatreBug | undefined;

const CONTRACT = parse(readFileSync('packages/conformance/tests/team-bugs/theatre.yaml', 'utf8')) as Item;
const ajv = new Ajv2020({ strict: false, validateFormats: false, multipleOfPrecision: 6 }).addSchema({
  $id: 'theatre',
  components: CONTRACT['components'],
});
const FORMATS: Readonly<Record<string, RegExp>> = {
  opening: /^\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3]):\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i,
  premiere: /^\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])$/,
};

function isRealDate(text: string): boolean {
  const [day = ''] = text.split('T');
  return !Number.isNaN(Date.parse(text)) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

const TEXT_BUGS: Partial<Readonly<Record<TheatreBug, (text: string) => string>>> = {
  trims: (text) => text.trim(),
  composes: (text) => text.normalize('NFC'),
  escapes: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  truncates: (text) => text.slice(0, 50),
  'loses emoji': (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
};

/** What the service keeps of a play that is sent. */
function toKept(bug: Bug, play: Item): Item {
  const { title, price, opening, premiere, language, blurb } = play as Record<string, string> & { price: number };
  const keepText = (bug && TEXT_BUGS[bug]) ?? ((text: string) => text);
  const rounded = bug === 'floors prices' ? Math.floor(price * 100) / 100 : Math.round(price);
  const day = (text: string): string => new Date(Date.parse(text) - 86_400_000).toISOString().slice(0, 10);
  return {
    title: title && keepText(title),
    price: bug === 'floors prices' || bug === 'whole prices' ? rounded : price,
    // A zone is kept as UTC.
    opening:
      opening && (bug === 'drops zones' ? opening.replace(/[+-]\d\d:\d\d$/, 'Z') : new Date(opening).toISOString()),
    premiere: bug === 'a day early' && premiere ? day(premiere) : premiere,
    language: language ?? (bug === 'other default' ? 'de' : 'en'),
    ...(blurb !== undefined && { blurb: keepText(blurb) }),
  };
}

interface Asked {
  readonly ids: readonly string[];
  readonly query: ReadonlyMap<string, string>;
  readonly headers: IncomingMessage['headers'];
  readonly parse: (mediaType?: string) => unknown;
}
type Handlers = Readonly<Record<string, (asked: Asked) => Reply | Promise<Reply>>>;

function toItem(bug: Bug, value: unknown, pointer: string): Item {
  const validate = ajv.getSchema(`theatre#/components/${pointer}`);
  const given = value as Item;
  const isObject = typeof value === 'object' && value !== null;
  // Clients need not send what only the server knows.
  const sample = isObject && pointer === 'schemas/Play' ? { id: 1, stage: 'planned', ...given } : value;
  assertRight(validate?.(sample) === true, 400, ajv.errorsText(validate?.errors));
  for (const [name, format] of Object.entries(FORMATS)) {
    const text = given[name] ?? '';
    const isRight = typeof text === 'string' && (text === '' || (format.test(text) && isRealDate(text)));
    assertRight(isRight && (text !== '' || given[name] === undefined), 400, `${name} is wrong`);
  }
  const title = given['title'];
  assertRight(bug !== 'counts units' || typeof title !== 'string' || title.length <= 60, 400, 'the title is too long');
  return given;
}

const toId = (text: string): number => parseInteger(text, 1, Infinity);

function createHandlers(bug: Bug): Handlers {
  const plays = new Map<number, Item>();
  const listed = new Map<number, Item>();
  const bookings = new Map<number, Item & { readonly play: number }>();
  const halls = new Map<string, Item>();
  const hallCopies: Item[] = [];
  const exports = new Set<number>();
  let lastId = 0;
  const etagOf = (play: Item): string =>
    bug === 'constant tag'
      ? `"${String(play['id'])}"`
      : `"${createHash('sha1').update(JSON.stringify(play)).digest('hex')}"`;
  const show = (play: Item, status = 200): Reply => ({ status, body: play, headers: { ETag: etagOf(play) } });
  const save = (play: Item): Item => {
    plays.set(play['id'] as number, play);
    listed.set(play['id'] as number, play);
    return play;
  };
  const find = (text: string | undefined): Item => {
    const play = plays.get(toId(String(text)));
    assertRight(play !== undefined, 404, 'there is no such play');
    return play;
  };
  const create = (given: Item): Item => {
    lastId += 1;
    const id = bug === 'takes ids' && given['id'] !== undefined ? given['id'] : lastId;
    return save({
      id,
      stage: bug === 'takes stages' ? (given['stage'] ?? 'planned') : 'planned',
      ...toKept(bug, given),
    });
  };
  const change = async ({ ids, headers }: Asked, toChanged: (old: Item) => Item): Promise<Reply> => {
    const assertCurrent = (): Item => {
      const old = find(ids[0]);
      const tag = headers['if-match'] ?? '*';
      assertRight(tag === '*' || tag === etagOf(old), 412, 'the play has changed');
      return old;
    };
    const before = assertCurrent();
    await wait(2);
    const old = bug === 'racing tags' ? before : assertCurrent();
    const changed = save({ ...toChanged(old), id: old['id'], stage: old['stage'] });
    if (bug === 'changes all') for (const other of [...plays.values()]) save({ ...other, title: changed['title'] });
    return show(bug === 'shows old' ? old : changed);
  };
  const parseNew = (asked: Asked): Item => {
    try {
      return toItem(bug, asked.parse(), 'schemas/Play');
    } catch (error) {
      const value = bug === 'keeps refused' ? (asked.parse() as Item | null) : null;
      if (typeof value?.['title'] === 'string' && value['title'].length > 0 && value['title'].length <= 60)
        create({ price: 1, opening: '2024-02-29T12:00:00Z', title: value['title'] });
      throw error;
    }
  };
  const bookingOf = ([play, id]: readonly string[]): Item => {
    const booking = bookings.get(toId(String(id)));
    if (bug !== 'orphans') find(play);
    const isOwn = booking?.play === toId(String(play)) || bug === 'any parent';
    assertRight(booking !== undefined && isOwn, 404, 'there is no such booking');
    return booking;
  };
  const showBooking = ({ id, name, seats }: Item): Item => ({ id, name, seats });
  const hallOf = ([code = '']: readonly string[]): Item => {
    const hall = halls.get(code);
    assertRight(hall !== undefined, 404, 'there is no such hall');
    return hall;
  };
  return {
    'POST plays': (asked) => {
      const play = create(parseNew(asked));
      return { ...show(play, 201), headers: { Location: `/v1/plays/${String(play['id'])}`, ETag: etagOf(play) } };
    },
    'GET plays': ({ query }) => {
      const limit = parseInteger(query.get('limit') ?? '10', 1, 50);
      const offset = parseInteger(query.get('offset') ?? '0', 0, Infinity);
      const all = [...(bug === 'lists deleted' ? listed : plays).values()];
      const isEarly = bug === 'ends early' && offset > 0 && all.length - offset <= 3;
      return { status: 200, body: { plays: isEarly ? [] : all.slice(offset, offset + limit) } };
    },
    'GET plays/': ({ ids, headers }) => {
      const play = find(ids[0]);
      const isKnown = headers['if-none-match'] === etagOf(play) && bug !== 'never 304';
      return isKnown ? { status: 304, headers: { ETag: etagOf(play) } } : show(play);
    },
    'PUT plays/': async (asked) => {
      const given = toItem(bug, asked.parse(), 'schemas/Play');
      const reply = await change(asked, () => toKept(bug, given));
      if (bug === 'copies') create(given);
      return reply;
    },
    'PATCH plays/': (asked) => {
      const patch = asked.parse('application/merge-patch+json') as Item | null;
      const isRight = typeof patch === 'object' && patch !== null && !Array.isArray(patch);
      const names = isRight ? Object.keys(patch) : [];
      assertRight(isRight && names.every((name) => ['title', 'price'].includes(name)), 400, 'the patch is wrong');
      return change(asked, (old) => toKept(bug, { ...old, ...toItem(bug, { ...old, ...patch }, 'schemas/Play') }));
    },
    'DELETE plays/': ({ ids }) => {
      const play = find(ids[0]);
      plays.delete(play['id'] as number);
      return { status: 204 };
    },
    'POST plays//bookings': ({ ids, parse: parseBody }) => {
      const play = find(ids[0])['id'] as number;
      const given = toItem(bug, parseBody(), 'schemas/NewBooking');
      lastId += 1;
      const booking = { ...given, id: lastId, play };
      bookings.set(lastId, booking);
      return { status: 201, body: showBooking(booking) };
    },
    'GET plays//bookings': ({ ids }) => {
      const play = toId(String(ids[0]));
      if (bug !== 'orphans') find(ids[0]);
      const own = [...bookings.values()].filter((booking) => booking.play === play || bug === 'lists of all');
      return { status: 200, body: own.map(showBooking) };
    },
    'GET plays//bookings/': ({ ids }) => ({ status: 200, body: showBooking(bookingOf(ids)) }),
    'GET halls': () => ({ status: 200, body: [...halls.values(), ...hallCopies] }),
    'GET halls/': ({ ids }) => ({ status: 200, body: hallOf(ids) }),
    'PUT halls/': ({ ids, parse: parseBody }) => {
      const [code = ''] = ids;
      assertRight(/^[a-z0-9-]{1,30}$/.test(code), 400, 'the code is wrong');
      const given = toItem(bug, parseBody(), 'schemas/NewHall');
      const old = halls.get(code);
      const hall = { ...(bug === 'merges halls' ? old : {}), ...given, code };
      if (old && bug === 'doubles halls') hallCopies.push(hall);
      halls.set(code, hall);
      return { status: old || bug === 'never 201' ? 200 : 201, body: hall };
    },
    'DELETE halls/': ({ ids }) => {
      const hall = hallOf(ids);
      if (bug === 'deletes all') halls.clear();
      halls.delete(String(hall['code']));
      return { status: 204 };
    },
    'POST exports': () => {
      lastId += 1;
      if (bug !== 'loses exports') exports.add(lastId);
      const id = bug === 'invents exports' ? lastId + 1_000_000 : lastId;
      return { status: 202, headers: { Location: `/v1/exports/${String(id)}` } };
    },
    'GET exports/': ({ ids: [id = ''] }) => {
      assertRight(exports.has(toId(id)), 404, 'there is no such export');
      return { status: 200, body: { state: 'running' } };
    },
  };
}

async function answer(request: IncomingMessage, handlers: Handlers, bug: Bug, token: string): Promise<Reply> {
  const body = await buffer(request);
  checkHead(request);
  const { headers } = request;
  const { segments, query } = parseTarget(String(request.url));
  const [prefix, ...path] = segments;
  const route = path.map((segment, index) => (index % 2 === 0 ? segment : '')).join('/');
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
    (method) => `${method} ${route}` in handlers,
  );
  assertRight(prefix === 'v1' && methods.length > 0, 404, 'there is no such path');
  const handler = handlers[`${request.method === 'HEAD' ? 'GET' : String(request.method)} ${route}`];
  if (!handler) throw new Refusal(405, 'no such method', { Allow: methods.join(', ').replace('GET', 'GET, HEAD') });
  const isKnown = /^bearer +([^ ]+)$/i.exec(headers.authorization ?? '')?.[1] === token;
  if (!isKnown) throw new Refusal(401, 'a token is wanted', { 'WWW-Authenticate': 'Bearer realm="theatre"' });
  const ids = path.filter((_segment, index) => index % 2 === 1);
  const hasHugeId = [...ids, ...query.values()].some((text) => /^-?\d{19,}$/.test(text));
  if (bug === 'huge 500' && hasHugeId) throw new Error('integer out of range');
  const asked = { ids, query, headers, parse: (type = 'application/json') => parseJson(request, body, type) };
  return await handler(asked);
}

export async function startTheatre(bug: Bug, token: string): Promise<AsyncDisposable & { readonly url: string }> {
  const handlers = createHandlers(bug);
  const toReply = (error: unknown): Reply =>
    error instanceof Refusal ? error.reply : { status: 500, body: { code: '500', message: 'internal error' } };
  const server = createServer((request, response) => {
    void answer(request, handlers, bug, token)
      .catch(toReply)
      .then(({ status, body, headers }) => {
        const isHead = request.method === 'HEAD';
        const text = body === undefined ? '' : JSON.stringify(body);
        const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
        const length = Buffer.byteLength(text) + (isHead && bug === 'head length' ? 1 : 0);
        const lengths = [204, 304].includes(status) ? {} : { 'Content-Length': length };
        const tags = isHead && bug === 'head tag' && headers?.['ETag'] ? { ETag: '"0"' } : {};
        response.writeHead(status, { ...type, ...lengths, ...headers, ...tags }).end(isHead ? '' : text);
      });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return { url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
