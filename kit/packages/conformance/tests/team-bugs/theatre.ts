// A sound service of theatre.yaml with node:http alone, or the same with one of its bugs.
import { setTimeout as wait } from 'node:timers/promises';
import { assertRight, parseInteger, startServer, type Asked, type Handlers, type Reply, type Service } from './http';
import { createToItem, etagOf as digestOf, type Item } from './items';

/** The bugs that this service can have: what an owner of a service sees only when somebody complains. */
export const THEATRE_BUGS = {
  trims: { what: 'spaces around texts are cut', expected: 'contract' },
  composes: { what: 'texts are kept in NFC', expected: 'robust' },
  escapes: { what: 'texts are kept HTML-escaped', expected: 'robust' },
  truncates: { what: 'titles are cut to 50 characters', expected: 'robust' },
  'loses emoji': { what: 'astral characters become question marks', expected: 'robust' },
  'counts units': { what: 'maxLength counts UTF-16 units', expected: 'contract' },
  'floors prices': { what: '0.29 is kept as 0.28', expected: 'robust' },
  'whole prices': { what: 'prices are kept as whole numbers', expected: 'robust' },
  'drops zones': { what: 'the offset of a time becomes Z', expected: 'robust' },
  'a day early': { what: 'the date of the premiere comes back a day early', expected: 'robust' },
  'other default': { what: 'a play without a language is German', expected: 'robust' },
  'takes ids': { what: 'a readOnly id is stored', expected: 'robust' },
  'takes stages': { what: 'a readOnly stage is stored', expected: 'robust' },
  'keeps refused': { what: 'a play that is refused is in the list', expected: 'robust' },
  copies: { what: 'PUT also creates a copy', expected: 'robust' },
  'changes all': { what: 'a change gives all plays its title', expected: 'robust' },
  'shows old': { what: 'the reply to a change shows the state before it', expected: 'robust' },
  'lists deleted': { what: 'deleted plays stay in the list', expected: 'robust' },
  'ends early': { what: 'a last page of up to three plays is empty', expected: 'robust' },
  'constant tag': { what: 'ETag does not change', expected: 'robust' },
  'never 304': { what: 'If-None-Match is ignored', expected: 'contract' },
  'always 304': { what: 'If-None-Match gets 304, whatever it has', expected: 'contract' },
  'bare tags': { what: 'ETag has no quotation marks', expected: 'contract' },
  'forgets keys': { what: 'a booking is made twice with one Idempotency-Key', expected: 'robust' },
  'other end': { what: 'an export ends in a state that the contract does not list', expected: 'contract' },
  'racing tags': { what: 'If-Match is compared before a pause', expected: 'robust' },
  'head length': { what: 'HEAD has another Content-Length than GET', expected: 'contract' },
  'head tag': { what: 'HEAD has another ETag than GET', expected: 'robust' },
  'huge 500': { what: 'an integer of 19 digits in a path or query is a 500', expected: 'contract' },
  'any parent': { what: 'a booking is found below each play', expected: 'robust' },
  'lists of all': { what: 'the bookings of a play are those of all plays', expected: 'robust' },
  orphans: { what: 'bookings of a deleted play stay readable', expected: 'robust' },
  'merges halls': { what: 'PUT keeps the note that it leaves out', expected: 'robust' },
  'doubles halls': { what: 'a hall that is put twice is listed twice', expected: 'robust' },
  'deletes all': { what: 'deleting one hall deletes all', expected: 'robust' },
  'never 201': { what: 'PUT creates a hall with 200', expected: 'robust' },
  'loses exports': { what: 'an export that was accepted is 404', expected: 'robust' },
  'invents exports': { what: 'Location of a 202 has a made-up id', expected: 'robust' },
  'loses plays': { what: 'a play is answered, and not kept', expected: 'contract' },
  'loses changes': { what: 'a change is answered, and not kept', expected: 'robust' },
  'caches reads': { what: 'a play is read as it was when it was read first', expected: 'robust' },
  'reads the first': { what: 'each play reads as the first one', expected: 'contract' },
  'mixes up plays': { what: 'each play reads as the first one, with its own id', expected: 'robust' },
  'keeps deleted': { what: 'a play is not deleted', expected: 'robust' },
  'deletes another': { what: 'another play is deleted', expected: 'robust' },
  'other id': { what: 'a creation is answered with the id of the first play', expected: 'contract' },
  'other Location': { what: 'the Location of each creation is that of the first play', expected: 'contract' },
  'lists late': { what: 'the latest play is not in the list', expected: 'robust' },
  'forgets 428': { what: 'a play is changed without the If-Match that 428 asks for', expected: 'robust' },
  'open halls': { what: 'PUT of a hall needs no credentials', expected: 'contract' },
} as const satisfies Record<string, { what: string; expected: 'contract' | 'robust' }>;

export type TheatreBug = keyof typeof THEATRE_BUGS;

type Bug = TheatreBug | undefined;

const fitItem = createToItem('theatre', { multipleOfPrecision: 6 });
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

function toItem(bug: Bug, value: unknown, schema: string): Item {
  const given = value as Item;
  const isObject = typeof value === 'object' && value !== null;
  // Clients need not send what only the server knows.
  fitItem(isObject && schema === 'Play' ? { id: 1, stage: 'planned', ...given } : value, schema);
  for (const [name, format] of Object.entries(FORMATS)) {
    const text = given[name] ?? '';
    const isRight = typeof text === 'string' && (text === '' || (format.test(text) && isRealDate(text)));
    assertRight(isRight && (text !== '' || given[name] === undefined), 400, `${name} is wrong`);
  }
  const title = given['title'];
  assertRight(bug !== 'counts units' || typeof title !== 'string' || title.length <= 60, 400, 'the title is too long');
  return given;
}

const isHuge = (text: string): boolean => /^-?\d{19,}$/.test(text);
const toId = (text: string): number => parseInteger(text, 1, Infinity);

function createHandlers(bug: Bug): Handlers {
  const plays = new Map<number, Item>();
  const listed = new Map<number, Item>();
  const bookings = new Map<number, Item & { readonly play: number }>();
  const halls = new Map<string, Item>();
  const hallCopies: Item[] = [];
  const exports = new Map<number, number>();
  const orders = new Map<unknown, Item>();
  let lastId = 0;
  const etagOf = (play: Item): string => (bug === 'constant tag' ? `"${String(play['id'])}"` : digestOf(play));
  const showTag = (play: Item): string => (bug === 'bare tags' ? etagOf(play).slice(1, -1) : etagOf(play));
  const show = (play: Item, status = 200): Reply => ({ status, body: play, headers: { ETag: showTag(play) } });
  const save = (play: Item): Item => {
    if (bug === (plays.has(play['id'] as number) ? 'loses changes' : 'loses plays')) return play;
    plays.set(play['id'] as number, play);
    listed.set(play['id'] as number, play);
    return play;
  };
  const cache = new Map<unknown, Item>();
  /** A play as it is read. */
  const toRead = (play: Item): Item => {
    const [first = play] = plays.values();
    const { id } = play;
    if (!cache.has(id)) cache.set(id, play);
    if (bug === 'mixes up plays') return { ...first, id };
    if (bug === 'reads the first') return first;
    return (bug === 'caches reads' ? cache.get(id) : undefined) ?? play;
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
      return toItem(bug, asked.parse(), 'Play');
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
      const [first = play] = plays.values();
      const { id } = bug === 'other Location' ? first : play;
      const headers = { Location: `/v1/plays/${String(id)}`, ETag: etagOf(play) };
      return { ...show(bug === 'other id' ? { ...play, id: first['id'] } : play, 201), headers };
    },
    'GET plays': ({ query }) => {
      const limit = parseInteger(query.get('limit') ?? '10', 1, 50);
      const offset = parseInteger(query.get('offset') ?? '0', 0, Infinity);
      const all = [...(bug === 'lists deleted' ? listed : plays).values()];
      const isEarly = bug === 'ends early' && offset > 0 && all.length - offset <= 3;
      if (bug === 'lists late') all.pop();
      return { status: 200, body: { plays: isEarly ? [] : all.slice(offset, offset + limit) } };
    },
    'GET plays/': ({ ids, headers }) => {
      const play = toRead(find(ids[0]));
      const tags = headers['if-none-match']?.split(/, */) ?? [];
      const isKnown = bug === 'always 304' ? tags.length > 0 : tags.includes(etagOf(play)) && bug !== 'never 304';
      return isKnown ? { status: 304, headers: { ETag: etagOf(play) } } : show(play);
    },
    'PUT plays/': async (asked) => {
      const isConditional = asked.headers['if-match'] !== undefined || bug === 'forgets 428';
      assertRight(isConditional || !plays.has(toId(String(asked.ids[0]))), 428, 'If-Match is missing');
      const given = toItem(bug, asked.parse(), 'Play');
      const reply = await change(asked, () => toKept(bug, given));
      if (bug === 'copies') create(given);
      return reply;
    },
    'PATCH plays/': (asked) => {
      const patch = asked.parse() as Item | null;
      const isRight = typeof patch === 'object' && patch !== null && !Array.isArray(patch);
      const names = isRight ? Object.keys(patch) : [];
      assertRight(isRight && names.every((name) => ['title', 'price'].includes(name)), 400, 'the patch is wrong');
      return change(asked, (old) => toKept(bug, { ...old, ...toItem(bug, { ...old, ...patch }, 'Play') }));
    },
    'DELETE plays/': ({ ids }) => {
      const { id } = find(ids[0]);
      const other = [...plays.keys()].find((each) => each !== id);
      if (bug !== 'keeps deleted') plays.delete(bug === 'deletes another' ? (other ?? 0) : (id as number));
      return { status: 204 };
    },
    'POST plays//bookings': ({ ids, headers, parse: parseBody }) => {
      const play = find(ids[0])['id'] as number;
      const given = toItem(bug, parseBody(), 'NewBooking');
      const key = headers['idempotency-key'];
      const known = key === undefined || bug === 'forgets keys' ? undefined : orders.get(key);
      if (known) return { status: 201, body: showBooking(known) };
      lastId += 1;
      const booking = { ...given, id: lastId, play };
      bookings.set(lastId, booking);
      orders.set(key, booking);
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
      const given = toItem(bug, parseBody(), 'NewHall');
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
      if (bug !== 'loses exports') exports.set(lastId, Date.now());
      const id = bug === 'invents exports' ? lastId + 1_000_000 : lastId;
      return { status: 202, headers: { Location: `/v1/exports/${String(id)}` } };
    },
    'GET exports/': ({ ids: [id = ''] }) => {
      const start = exports.get(toId(id));
      assertRight(start !== undefined, 404, 'there is no such export');
      const end = bug === 'other end' ? 'finished' : 'done';
      return { status: 200, body: { state: Date.now() - start < 100 ? 'running' : end } };
    },
  };
}

export function startTheatre(bug: Bug, token: string): Promise<Service> {
  const failOnHuge = ({ ids, query }: Asked): void => {
    if (bug === 'huge 500' && [...ids, ...query.values()].some(isHuge)) throw new Error('integer out of range');
  };
  const handlers = Object.entries(createHandlers(bug)).map(([route, handle]): [string, Handlers[string]] => [
    route,
    (asked) => (failOnHuge(asked), handle(asked)),
  ]);
  return startServer(Object.fromEntries(handlers), {
    realm: 'theatre',
    isKnown: (sent, route) => sent === token || (bug === 'open halls' && route === 'PUT halls/'),
    toHeaders: (headers, { method }) => {
      const { ETag, 'Content-Length': length } = headers;
      if (method === 'HEAD' && bug === 'head length') return { ...headers, 'Content-Length': `${String(length)}0` };
      return method === 'HEAD' && bug === 'head tag' && ETag ? { ...headers, ETag: '"0"' } : headers;
    },
  });
}
