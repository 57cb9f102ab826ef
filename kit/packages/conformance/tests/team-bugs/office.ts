// A sound service of office.yaml with node:http alone, or the same with one of its bugs.
import { assertRight, parseInteger, startServer, type Handlers, type Reply, type Service } from './http';
import { createToItem, etagOf, find, type Item } from './items';

/** The bugs that this service can have, in what has no id, or depends on a header. */
export const OFFICE_BUGS = {
  'settings are forgotten': { what: 'PUT of the settings is answered, and not kept', expected: 'robust' },
  'settings lose a field': { what: 'the settings keep no footer', expected: 'robust' },
  'settings are merged': { what: 'PUT of the settings keeps what it leaves out', expected: 'robust' },
  'a patch replaces settings': { what: 'PATCH drops the settings that it does not name', expected: 'robust' },
  'profiles are kept once': { what: 'the second PUT of a profile is answered, and not kept', expected: 'robust' },
  'a notice is overwritten': { what: 'PUT with If-None-Match: * replaces a notice', expected: 'robust' },
  'a change has the old tag': { what: 'PUT answers with the ETag of the notice before it', expected: 'robust' },
  'a creation has another tag': { what: 'the ETag of a 201 is not the one that GET shows', expected: 'robust' },
  'HEAD finds all': { what: 'HEAD is 200 for people that are 404', expected: 'contract' },
  'any range is a part': { what: 'a range behind the end is 206', expected: 'contract' },
  'members of filter are ignored': { what: 'filter[team] lists people of all teams', expected: 'robust' },
  'claims get lost': { what: 'the second claim on each page is left out', expected: 'robust' },
  'kinds of claims are ignored': { what: 'kind=theft lists claims of all kinds', expected: 'robust' },
  'claims are answered rounded': { what: 'the reply to a new claim has another amount', expected: 'robust' },
  'claims read halved': { what: 'the amount of a claim reads as half of it', expected: 'robust' },
  'damages read changed': { what: 'the remarks of one kind of claim read in upper case', expected: 'robust' },
} as const satisfies Record<string, { what: string; expected: 'contract' | 'robust' }>;

export type OfficeBug = keyof typeof OFFICE_BUGS;

type Bug = OfficeBug | undefined;

const fitItem = createToItem('office');
const HANDBOOK = 'Water the plants. Close the windows. Be kind.';

function toItem(value: unknown, schema: string): Item {
  // Clients need not send what only the server knows.
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const sample = isObject && schema === 'Person' ? { id: 1, ...value } : value;
  fitItem(sample, schema);
  return value as Item;
}

function createHandlers(bug: Bug): Handlers {
  let settings: Item = { name: 'The office', theme: 'light' };
  const people = new Map<number, Item>();
  const profiles = new Map<unknown, Item>();
  const notices = new Map<string, Item>();
  const claims: Item[] = [];

  const toId = (text = ''): number => parseInteger(text, 1, Infinity);
  const person = ([id]: readonly string[]): Item => find(people, toId(id));
  const showSettings = (changed: Item): Reply => {
    // Without a theme, it is light.
    const whole = { theme: 'light', ...changed };
    if (bug !== 'settings are forgotten') settings = whole;
    if (bug === 'settings lose a field') settings = { ...whole, footer: undefined };
    return { status: 200, body: whole };
  };
  const showNotice = (notice: Item, status = 200): Reply => ({
    status,
    body: notice,
    headers: { ETag: etagOf(notice) },
  });

  return {
    'GET settings': () => ({ status: 200, body: settings }),
    'PUT settings': ({ parse: parseBody }) => {
      const given = toItem(parseBody(), 'Settings');
      return showSettings({ ...(bug === 'settings are merged' && settings), ...given });
    },
    'PATCH settings': ({ parse: parseBody }) => {
      const entries = Object.entries(toItem(parseBody(), 'SettingsPatch'));
      const patch = Object.fromEntries(entries.map(([name, value]) => [name, value ?? undefined]));
      return showSettings(
        bug === 'a patch replaces settings' ? { name: 'The office', ...patch } : { ...settings, ...patch },
      );
    },
    'GET people': ({ query }) => {
      const limit = parseInteger(query.get('limit') ?? '10', 1, 50);
      const offset = parseInteger(query.get('offset') ?? '0', 0, Infinity);
      const isKnown = [...query.keys()].every((name) => ['limit', 'offset', 'filter[team]'].includes(name));
      assertRight(isKnown, 400, 'a parameter is unknown');
      const team = query.get('filter[team]');
      if (team !== undefined) toItem(team, 'Team');
      const found = [...people.values()].filter(
        (each) => team === undefined || each['team'] === team || bug === 'members of filter are ignored',
      );
      const page = found.slice(offset, offset + limit);
      return {
        status: 200,
        body: { people: page, total: found.length },
      };
    },
    'POST people': ({ parse: parseBody }) => {
      const { name, team } = toItem(parseBody(), 'Person');
      const added = { id: people.size + 1, name, team };
      people.set(added.id, added);
      const ETag = etagOf(bug === 'a creation has another tag' ? {} : added);
      return { status: 201, body: added, headers: { ETag } };
    },
    'GET people/': ({ ids, isHead }) => {
      if (bug === 'HEAD finds all' && isHead && !people.has(toId(ids[0]))) return { status: 200 };
      const found = person(ids);
      return { status: 200, body: found, headers: { ETag: etagOf(found) } };
    },
    'GET people//profile': ({ ids }) => ({ status: 200, body: find(profiles, person(ids)['id']) }),
    'PUT people//profile': ({ ids, parse: parseBody }) => {
      const { id } = person(ids);
      const profile = toItem(parseBody(), 'Profile');
      const status = profiles.has(id) ? 200 : 201;
      if (bug !== 'profiles are kept once' || status === 201) profiles.set(id, profile);
      return { status, body: profile };
    },
    'GET notices/': ({ ids: [key = ''] }) => showNotice(find(notices, key)),
    'PUT notices/': ({ ids: [key = ''], headers, parse: parseBody }) => {
      assertRight(/^[a-z0-9-]{1,30}$/.test(key), 400, 'the key is wrong');
      const given = toItem(parseBody(), 'Notice');
      const old = notices.get(key);
      const isForbidden = old && headers['if-none-match'] === '*' && bug !== 'a notice is overwritten';
      assertRight(!isForbidden, 412, 'there is one');
      notices.set(key, given);
      const shown = showNotice(given, old ? 200 : 201);
      return bug === 'a change has the old tag' && old ? { ...shown, headers: { ETag: etagOf(old) } } : shown;
    },
    'DELETE notices/': ({ ids: [key = ''] }) => {
      find(notices, key);
      notices.delete(key);
      return { status: 204 };
    },
    'GET claims': ({ query }) => {
      const limit = parseInteger(query.get('limit') ?? '10', 1, 50);
      const offset = parseInteger(query.get('offset') ?? '0', 0, Infinity);
      const kind = query.get('kind');
      if (kind !== undefined) toItem(kind, 'Kind');
      const isAny = kind === undefined || bug === 'kinds of claims are ignored';
      const page = claims.filter((claim) => isAny || claim['kind'] === kind).slice(offset, offset + limit);
      return { status: 200, body: page.filter((_claim, index) => bug !== 'claims get lost' || index !== 1) };
    },
    'POST claims': ({ parse: parseBody }) => {
      const claim = { ...toItem(parseBody(), 'NewClaim'), id: claims.length + 1 };
      claims.push(claim);
      const rounded = Math.round(Number((claim as Item)['amount']) / 100) * 100;
      return { status: 201, body: bug === 'claims are answered rounded' ? { ...claim, amount: rounded } : claim };
    },
    'GET claims/': ({ ids: [id] }) => {
      const claim = find(new Map(claims.entries()), toId(id) - 1);
      const { amount, remarks } = claim as { readonly amount: number; readonly remarks?: string };
      const wrong: Partial<Readonly<Record<OfficeBug, Item>>> = {
        'claims read halved': { amount: Math.floor(amount / 2) },
        'damages read changed': remarks === undefined ? {} : { remarks: remarks.toUpperCase() },
      };
      return { status: 200, body: { ...claim, ...(bug && wrong[bug]) } };
    },
    'GET handbook': ({ headers: { range = '', 'if-range': ifRange } }) => {
      const type = { 'Content-Type': 'application/octet-stream' };
      const [, from, to = ''] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? [];
      if (from === undefined || ifRange !== undefined)
        return { status: 200, body: HANDBOOK, headers: { ...type, 'Accept-Ranges': 'bytes' } };
      const end = Math.min(to === '' ? Infinity : Number(to), HANDBOOK.length - 1);
      const length = String(HANDBOOK.length);
      const isPart = Number(from) <= end || bug === 'any range is a part';
      if (!isPart) return { status: 416, headers: { 'Content-Range': `bytes */${length}` } };
      const headers = { ...type, 'Content-Range': `bytes ${from}-${String(end)}/${length}` };
      return { status: 206, body: HANDBOOK.slice(Number(from), end + 1), headers };
    },
  };
}

export function startOffice(bug: Bug, token: string): Promise<Service> {
  return startServer(createHandlers(bug), { realm: 'office', isKnown: (sent) => sent === token });
}
