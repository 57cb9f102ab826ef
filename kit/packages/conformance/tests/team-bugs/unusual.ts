// A sound service of unusual.yaml, which does what no standard forbids: it shows other forms of what it keeps, has slugs
// that follow titles, ids that clients may change, a flag that one contact has, ranks that move, and copies. A deleted
// contact is archived, and the number of a deleted ticket is given again.
import { randomUUID } from 'node:crypto';
import { assertRight, parseInteger, startServer, type Handlers, type Reply, type Service } from './http';
import { createToItem, etagOf, find, type Item } from './items';

type Contact = Item & { readonly id: string; readonly createdAt: string };

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toJSON().startsWith(text);
const isTime = (text: string): boolean =>
  /T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text) &&
  isDay(text.slice(0, 10)) &&
  !Number.isNaN(Date.parse(text));
const formats = {
  email: /^[^@\s]+@[^@\s]+\.[^@\s]+$/,
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
  date: isDay,
  float: true,
  'date-time': isTime,
} as const;
const toItem = createToItem('unusual', { validateFormats: true, formats }, 422);

/** Another form of what was sent: lower case, UTC in whole seconds, a float, items with ids. */
function normalize({ email, seenAt, score, phones, ...others }: Item): Item {
  return {
    ...others,
    ...(typeof email === 'string' && { email: email.toLowerCase() }),
    ...(typeof seenAt === 'string' && { seenAt: new Date(seenAt).toISOString().replace(/\.\d+/, '') }),
    ...(typeof score === 'number' && { score: Math.fround(score) }),
    ...(Array.isArray(phones) && { phones: phones.map((phone: Item, id) => ({ ...phone, id })) }),
  };
}

function createHandlers(): Handlers {
  const articles = new Map<string, Item>();
  const contacts = new Map<string, Contact>();
  const tickets = new Map<string, Item>();
  const seats = new Map<string, Item>();
  let last = 0;
  let preferences: Item = { nickname: 'you', layout: 'wide', changes: 0 };
  let [index, machine, volume]: Item[] = [{ language: 'en' }, { state: 'running' }, { level: 0 }];

  function saveTicket(given: Item): Reply {
    const number = Math.max(0, ...[...tickets.keys()].map(Number)) + 1;
    tickets.set(String(number), { ...given, number });
    return { status: 201, body: tickets.get(String(number)) };
  }

  /** It is kept as it was, but no list shows it, and nobody can change it. */
  function archive(id: string): Reply {
    contacts.set(id, { ...findCurrent(id), archivedAt: new Date().toISOString() });
    return { status: 204 };
  }

  function findCurrent(id: string): Contact {
    const contact = find(contacts, id);
    assertRight(contact['archivedAt'] === undefined, 404, 'it is archived');
    return contact;
  }

  function saveArticle({ tags = [], ...given }: Item): Reply {
    const title = String(given['title']).toLowerCase();
    const ownSlug = title.replaceAll(/[^a-z\d]+/g, '-').replaceAll(/^-|-$/g, '') || 'article';
    last += 1;
    const slug = articles.has(ownSlug) ? `${ownSlug}-${String(last)}` : ownSlug;
    const sorted = (tags as string[]).toSorted().map((name) => ({ id: (last += 1), name }));
    articles.set(slug, { ...given, slug, tags: sorted });
    return { status: 200, body: articles.get(slug) };
  }

  function saveContact(given: Item, status: number, old?: Contact): Reply {
    const { isPrimary, position } = given;
    for (const [id, other] of contacts) {
      const isBehind = typeof position === 'number' && Number(other['position']) >= position;
      contacts.set(id, {
        ...other,
        ...(isPrimary === true && { isPrimary: false }),
        ...(isBehind && { position: Number(other['position']) + 1 }),
      });
    }
    const createdAt = old?.createdAt ?? new Date().toISOString();
    const newId = typeof given['id'] === 'string' ? given['id'] : old?.id;
    const id = old && newId !== undefined ? newId : randomUUID();
    if (old) contacts.delete(old.id);
    const language = given['language'] ?? (given['language'] === null ? 'en' : (old?.['language'] ?? 'en'));
    contacts.set(id, { ...old, ...normalize(given), language, isEdited: old !== undefined, id, createdAt });
    return showContact(id, status);
  }

  /** White space is cut, a key is shown in part, and without a layout, it is the narrow one. */
  function savePreferences({ nickname, email, layout, apiKey, changes, version }: Item): Reply {
    const address = typeof email === 'string' ? email.toLowerCase() : undefined;
    const key = typeof apiKey === 'string' ? `****${apiKey.slice(-2)}` : undefined;
    preferences = {
      version,
      nickname,
      email: address,
      layout: layout ?? 'narrow',
      apiKey: key,
      changes: Number(changes) + 1,
    };
    return { status: 200, body: { preferences } };
  }

  const unwrap = (value: unknown): Item => toItem(value, 'Wrapped')['preferences'] as Item;

  function listCurrent(): Item[] {
    return [...contacts.values()].filter(({ archivedAt }) => archivedAt === undefined);
  }

  function toShown(contact: Item): Item {
    return { ...contact, password: undefined };
  }

  function showContact(id: string, status = 200): Reply {
    const body = toShown(find(contacts, id));
    return { status, body, headers: { ETag: etagOf(body) } };
  }

  function remove(items: Map<string, unknown>, id: string): Reply {
    return { status: items.delete(id) ? 204 : 404 };
  }

  const toUuid = ([id = '']: readonly string[]): string => {
    assertRight(/^[\da-f-]{36}$/i.test(id), 400, 'the id is not a UUID');
    return id;
  };

  const toNumber = ([number = '']: readonly string[]): string => {
    assertRight(/^[1-9]?\d*$/.test(number), 400, 'the number is not a number');
    return number;
  };

  return {
    'POST articles': ({ parse: parseBody }) => saveArticle(toItem(parseBody(), 'ArticleIn')),
    'GET articles': ({ query }) => {
      const page = parseInteger(query.get('page') ?? '1', 1, Infinity);
      const items = [...articles.values()].reverse().slice(25 * (page - 1), 25 * page);
      const toShort = ({ slug, title, body = '' }: Item): Item => ({
        slug,
        title,
        body: (body as string).slice(0, 20),
      });
      return { status: 200, body: { articles: items.map(toShort) } };
    },
    'GET articles/': ({ ids: [slug = ''] }) => ({ status: 200, body: find(articles, slug) }),
    'PUT articles/': ({ ids: [slug = ''], parse: parseBody }) => {
      const given = toItem(parseBody(), 'ArticleIn');
      find(articles, slug);
      articles.delete(slug);
      return saveArticle(given);
    },
    'DELETE articles/': ({ ids: [slug = ''] }) => remove(articles, slug),
    'POST contacts': ({ parse: parseBody }) => saveContact(toItem(parseBody(), 'Contact'), 201),
    'GET contacts': () => ({ status: 200, body: listCurrent().map(toShown) }),
    'GET contacts/': ({ ids }) => showContact(toUuid(ids)),
    'PATCH contacts/': ({ ids, parse: parseBody, headers: { 'if-match': ifMatch } }) => {
      const id = toUuid(ids);
      const given = toItem(parseBody(), 'ContactPatch');
      const isCurrent = ifMatch === undefined || ifMatch.includes(etagOf(toShown(findCurrent(id)))) || ifMatch === '*';
      assertRight(isCurrent, 412, 'it has changed meanwhile');
      return saveContact(given, 200, findCurrent(id));
    },
    'DELETE contacts/': ({ ids }) => archive(toUuid(ids)),
    'POST tickets': ({ parse: parseBody }) => saveTicket(toItem(parseBody(), 'TicketIn')),
    'GET tickets': () => ({ status: 200, body: [...tickets.values()] }),
    'GET tickets/': ({ ids }) => ({ status: 200, body: find(tickets, toNumber(ids)) }),
    'DELETE tickets/': ({ ids }) => remove(tickets, toNumber(ids)),
    'GET preferences': () => ({ status: 200, body: { preferences } }),
    'PUT preferences': ({ parse: parseBody }) =>
      savePreferences({ ...unwrap(parseBody()), changes: preferences['changes'] }),
    'PATCH preferences': ({ parse: parseBody }) => savePreferences({ ...preferences, ...unwrap(parseBody()) }),
    'GET index': () => ({ status: 200, body: index }),
    'PUT index': ({ parse: parseBody }) => {
      const given = toItem(parseBody(), 'Index');
      setTimeout(() => (index = given), 20);
      return { status: 202 };
    },
    'GET machine': () => ({ status: 200, body: machine }),
    'PUT machine': ({ parse: parseBody }) => {
      const body = toItem(parseBody(), 'Machine');
      machine = body['state'] === 'restarting' ? { state: 'running' } : body;
      return { status: 204 };
    },
    'GET volume': () => ({ status: 200, body: volume }),
    'PUT volume': ({ parse: parseBody }) => {
      volume = { level: Math.max(0, Math.min(10, Number(toItem(parseBody(), 'Volume')['level']))) };
      return { status: 204 };
    },
    'GET contacts//seat': ({ ids: [id = ''] }) => ({ status: 200, body: find(seats, toUuid([id])) }),
    'PUT contacts//seat': ({ ids, parse: parseBody }) => {
      const given = toItem(parseBody(), 'Seat');
      const { id } = find(contacts, toUuid(ids));
      assertRight(!seats.has(id), 409, 'the seat is kept');
      seats.set(id, given);
      return { status: 204 };
    },
    'POST contacts//duplicate': ({ ids }) => saveContact(find(contacts, toUuid(ids)), 201),
  };
}

export function startUnusual(): Promise<Service> {
  return startServer(createHandlers(), {
    realm: 'contacts',
    isKnown: (token) => token === 'token-of-alice',
    type: 'application/json; charset=utf-8',
    toRefusal: (reply) => ({ ...reply, body: undefined }),
  });
}
