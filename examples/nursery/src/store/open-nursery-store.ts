import { openStore, StoreUnavailable, type Store, type StoreLocation, type StoreObserver } from '@contract-kit/store';
import type { NurseryStore } from './nursery-store';
import { FIRST_VERSION, schema } from './schema';
import {
  findPlant,
  listPlants,
  removePlant,
  replacePlant,
  returnPlants,
  takePlants,
  addReservation,
  findReservation,
  removeReservation,
  findPhoto,
  keepPhoto,
  removePhoto,
} from './statements';

// How often a plant may change while one change of it is made.
const TRIES = 20;

/** A store with the functions for operators. */
export type OpenNurseryStore = NurseryStore & Pick<Store<unknown>, 'check' | 'countWaiting' | 'close'>;

/**
 * Opens the tables of the nursery, on SQLite or PostgreSQL.
 *
 * @throws StoreUnavailable, with a message of one line, when the store cannot be used
 */
export async function openNurseryStore(location: StoreLocation, observer?: StoreObserver): Promise<OpenNurseryStore> {
  const store = await openStore(location, schema, observer);

  async function readPlant(id: string): ReturnType<NurseryStore['readPlant']> {
    const [found] = await store.read(findPlant(toId(id)));
    return found;
  }

  async function readReservation(plantId: string, id: string): ReturnType<NurseryStore['readReservation']> {
    const [found] = await store.read(findReservation(toId(plantId), toId(id)));
    return found;
  }

  return {
    check: () => store.check(),
    countWaiting: () => store.countWaiting(),
    close: () => store.close(),
    readPlant,
    readReservation,

    async listPlants({ after, ...filter }, limit) {
      const found = await store.read(
        listPlants({ ...filter, ...(after !== undefined && { after: toId(after) }) }, limit),
      );
      return found.map(({ plant }) => plant);
    },

    async addPlant(plant) {
      await store.add.plants(plant);
      return FIRST_VERSION;
    },

    async changePlant(id, change) {
      for (let tries = 0; tries < TRIES; tries++) {
        const found = await readPlant(id);
        if (!found) return 'unknown';
        const next = change(found);
        if (!next) return 'kept';
        const [changed] = await store.write(replacePlant(next, found.version));
        if (changed) return changed;
      }
      throw new StoreUnavailable(`the plant changed ${String(TRIES)} times in the meantime`);
    },

    async removePlant(id) {
      const [removed] = await store.write(removePhoto(toId(id)), removePlant(toId(id)));
      if (removed) return 'removed';
      return (await readPlant(id)) ? 'reserved' : 'unknown';
    },

    async keepPhoto(plantId, photo) {
      const kept = await store.write(keepPhoto(toId(plantId), photo));
      return kept.length > 0;
    },

    async readPhoto(plantId) {
      const [photo] = await store.read(findPhoto(toId(plantId)));
      return photo;
    },

    async reserve(reservation) {
      const plant = toId(reservation.plant);
      // A statement that changes nothing undoes the other one.
      const [taken] = await store.write(
        addReservation({ ...reservation, plant }),
        takePlants(plant, reservation.quantity),
      );
      if (taken) return taken.plant;
      return (await readPlant(plant)) ? 'too few' : 'unknown';
    },

    async giveUp(plantId, id) {
      const found = await readReservation(plantId, id);
      if (!found) return false;
      const returned = await store.write(removeReservation(found.id), returnPlants(found.plant, found.quantity));
      return returned.length > 0;
    },
  };
}

/** A UUID is the same in capital letters, and with `urn:uuid:` before it (RFC 9562 section 4). */
function toId(text: string): string {
  return text.toLowerCase().replace(/^urn:uuid:/, '');
}
