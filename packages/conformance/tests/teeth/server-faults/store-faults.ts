import type { PlantStore, StoredPlant } from '../../../../../src/store/plant-store';
import { objectOf, onObject, onStatus, type Fault } from './fault';
import { toText, type JsonObject, type Wire } from '../../../src/wire/json';

function keeping(name: string, change: (plant: StoredPlant) => StoredPlant | undefined): Fault {
  return {
    name,
    store: (store) => ({
      ...store,
      async add(plant) {
        const changed = change(plant);
        if (changed) await store.add(changed);
      },
    }),
  };
}

/** Plants that are not kept as they were sent, though the reply is right. */
export const storeFaults: readonly Fault[] = [
  keeping('nothing is kept', () => undefined),
  keeping('a plant without a tag is not kept', (plant) => (plant.tag === undefined ? undefined : plant)),
  keeping('the tag is not kept', ({ id, name }) => ({ id, name })),
  keeping('an empty tag is not kept', ({ id, name, tag }) => ({
    id,
    name,
    ...(tag !== undefined && tag !== '' && { tag }),
  })),
  keeping('a missing tag is kept as an empty one', ({ id, name, tag = '' }) => ({ id, name, tag })),
  keeping('the id is kept as a double', ({ id, ...rest }) => ({ ...rest, id: BigInt.asIntN(64, BigInt(Number(id))) })),
  keeping('the id is kept in 32 bits', ({ id, ...rest }) => ({ ...rest, id: BigInt.asIntN(32, id) })),
  keeping('the id is kept without its sign', ({ id, ...rest }) => ({ ...rest, id: id < 0n ? -(id + 1n) : id })),
  keeping('the id is kept up to 2^53', ({ id, ...rest }) => ({ ...rest, id: id > 2n ** 53n ? 2n ** 53n : id })),
  keeping('the name is kept trimmed', ({ name, ...rest }) => ({ ...rest, name: name.trim() })),
  keeping('the name is kept in lower case', ({ name, ...rest }) => ({ ...rest, name: name.toLowerCase() })),
  keeping('the name is kept composed (NFC)', ({ name, ...rest }) => ({ ...rest, name: name.normalize('NFC') })),
  keeping('the name is kept up to 255 signs', ({ name, ...rest }) => ({ ...rest, name: name.slice(0, 255) })),
  keeping('the name is kept without astral signs', ({ name, ...rest }) => ({
    ...rest,
    name: name.replace(/[\u{10000}-\u{10ffff}]/gu, '?'),
  })),
  keeping('the name is kept escaped', ({ name, ...rest }) => ({ ...rest, name: name.replaceAll("'", "''") })),
  {
    name: 'a plant is kept after the reply',
    store: keepingLater,
  },
  {
    name: 'a plant is kept twice, under another id too',
    store: (store) => ({
      ...store,
      async add(plant) {
        await store.add(plant);
        await store.add({ ...plant, id: BigInt.asIntN(64, plant.id + 7n) });
      },
    }),
  },
  { name: 'a request is kept before it is checked', ...keepingEverything() },
  { name: 'a plant with a known id is refused', store: refusingKnownIds },
  {
    name: 'a failing store is not noticed',
    hidesFailures: true,
  },
];

// With the next one.
function keepingLater(store: PlantStore): PlantStore {
  let late: StoredPlant | undefined;
  return {
    ...store,
    async add(plant) {
      const first = late;
      late = plant;
      if (first) await store.add(first);
    },
  };
}

function keepingEverything(): Pick<Fault, 'store' | 'body'> {
  let kept: PlantStore | undefined;
  let count = 0n;
  return {
    store: (store) => (kept ??= store),
    body: (body) => {
      void kept?.add({ id: ++count, name: 'of a request that was not checked' }).catch(() => undefined);
      return body;
    },
  };
}

function refusingKnownIds(store: PlantStore): PlantStore {
  const known = new Set<bigint>();
  return {
    ...store,
    async add(plant) {
      if (known.has(plant.id)) throw new Error('known');
      known.add(plant.id);
      await store.add(plant);
    },
  };
}

function plant(name: string, change: (plant: JsonObject, sent: JsonObject) => Wire): Fault {
  return {
    name,
    reply: onStatus(
      [200],
      onObject((body, { body: sent }) => change(body, objectOf(sent))),
    ),
  };
}

function text(name: string, change: (text: string) => string): Fault {
  return plant(`a plant comes back ${name}`, (body) =>
    Object.fromEntries(Object.entries(body).map(([key, value]) => [key, change(toText(value))])),
  );
}

/** Plants that do not come back as they were sent. */
export const plantFaults: readonly Fault[] = [
  plant('the id is returned', (body, { id = 1n }) => ({ id, ...body })),
  plant('a missing tag comes back as null', (body) => ({ tag: null, ...body })),
  plant('a missing tag comes back empty', (body) => ({ tag: '', ...body })),
  plant('the tag is left out', ({ name = '' }) => ({ name })),
  plant('an empty tag is left out', ({ name = '', tag = '' }) => (tag === '' ? { name } : { name, tag })),
  plant('the name is left out', ({ tag }) => (tag === undefined ? {} : { tag })),
  plant('the name is called title', ({ name = '', ...rest }) => ({ title: name, ...rest })),
  plant('a time is added', (body) => ({ ...body, createdAt: '2024-02-29T12:00:00Z' })),
  plant('everything that was sent comes back', (_body, sent) => sent),
  plant('name and tag change places', ({ name = '', tag }) =>
    tag === undefined ? { name } : { name: tag, tag: name },
  ),
  plant('the reply is always the same', () => ({ name: 'Rose', tag: 'flower' })),
  plant('the reply is inside of data', (data) => ({ data })),
  plant('the reply is a list', (body) => [body]),
  plant('the reply is an empty object', () => ({})),
  plant('the reply is null', () => null),
  plant('a name that looks like a number comes back as one', (body) =>
    body['name'] === '1' ? { ...body, name: 1n } : body,
  ),
  text('trimmed', (value) => value.trim()),
  text('in lower case', (value) => value.toLowerCase()),
  text('with a capital', (value) => value.replace(/^[a-z]/, (sign) => sign.toUpperCase())),
  text('composed (NFC)', (value) => value.normalize('NFC')),
  text('decomposed (NFD)', (value) => value.normalize('NFD')),
  text('without astral signs', (value) => value.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd')),
  text('in ASCII', (value) => value.replace(/[^ -~]/g, '?')),
  text('escaped for HTML', (value) => value.replaceAll('<', '&lt;')),
  text('with other line breaks', (value) => value.replaceAll('\r\n', '\n')),
  text('without controls', (value) => value.replace(/[^\P{Cc}]/gu, '')),
  text('without a byte order mark', (value) => value.replaceAll('\ufeff', '')),
  text('of 255 signs at most', (value) => value.slice(0, 255)),
  text('with nothing for the text null', (value) => (value === 'null' ? '' : value)),
];
