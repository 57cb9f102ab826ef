import type { PlantStore, StoredPlant } from '../../../../../src/store/plant-store';
import { writeJson, type JsonObject, type Wire } from '../../../src/wire/json';
import { atLevel, objectOf, ofStatus, type Fault } from './fault';

const ASTRAL = /[\u{10000}-\u{10ffff}]/gu;

/** Plants that are not kept as they were sent, though the reply is right: nobody can see that from outside. */
export const storeFaults: readonly Fault[] = [
  { name: 'a plant with a known id is refused', store: refusingKnownIds },
  ...atLevel('robust', [
    keeping('nothing is kept', () => undefined),
    keeping('a plant without a tag is not kept', (plant) => (plant.tag === undefined ? undefined : plant)),
    keeping('the tag is not kept', ({ id, name }) => ({ id, name })),
    keeping('an empty tag is not kept', ({ id, name, tag }) => ({ id, name, ...(tag && { tag }) })),
    keeping('a missing tag is kept as an empty one', ({ id, name, tag = '' }) => ({ id, name, tag })),
    keepingId('as a double', (id) => BigInt.asIntN(64, BigInt(Number(id)))),
    keepingId('in 32 bits', (id) => BigInt.asIntN(32, id)),
    keepingId('without its sign', (id) => (id < 0n ? -(id + 1n) : id)),
    keepingId('up to 2^53', (id) => (id > 2n ** 53n ? 2n ** 53n : id)),
    keepingName('trimmed', (name) => name.trim()),
    keepingName('in lower case', (name) => name.toLowerCase()),
    keepingName('composed (NFC)', (name) => name.normalize('NFC')),
    keepingName('up to 255 signs', (name) => name.slice(0, 255)),
    keepingName('without astral signs', (name) => name.replace(ASTRAL, '?')),
    keepingName('escaped', (name) => name.replaceAll("'", "''")),
    { name: 'a plant is kept after the reply', store: keepingLater },
    adding('a plant is kept twice, under another id too', async (plant, store) => {
      await store.add(plant);
      await store.add({ ...plant, id: BigInt.asIntN(64, plant.id + 7n) });
    }),
    { name: 'a request is kept before it is checked', ...keepingEverything() },
  ]),
];

function adding(name: string, add: (plant: StoredPlant, store: PlantStore) => Promise<void>): Fault {
  return { name, store: (store) => ({ ...store, add: (plant) => add(plant, store) }) };
}

function keeping(name: string, change: (plant: StoredPlant) => StoredPlant | undefined): Fault {
  return adding(name, async (plant, store) => {
    const changed = change(plant);
    if (changed) await store.add(changed);
  });
}

function keepingId(how: string, change: (id: bigint) => bigint): Fault {
  return keeping(`the id is kept ${how}`, ({ id, ...rest }) => ({ ...rest, id: change(id) }));
}

function keepingName(how: string, change: (name: string) => string): Fault {
  return keeping(`the name is kept ${how}`, ({ name, ...rest }) => ({ ...rest, name: change(name) }));
}

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

/** Plants that come back otherwise than the contract says, in more than the one thing that `reply-mutants.ts` alters. */
export const plantFaults: readonly Fault[] = [
  returning('a missing tag comes back as null', (body) => ({ tag: null, ...body })),
];

function returning(name: string, change: (plant: JsonObject, sent: JsonObject) => Wire): Fault {
  return ofStatus(name, [200], (reply, request) => {
    const changed = change(objectOf(reply.body), objectOf(request.body));
    return { ...reply, body: Buffer.from(writeJson(changed)) };
  });
}
