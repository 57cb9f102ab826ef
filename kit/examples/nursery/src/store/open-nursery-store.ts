import { openStore, type Store, type StoreLocation, type StoreObserver } from '@contract-kit/store';
import type { NurseryStore } from './nursery-store';
import {
  addReservation,
  findPhoto,
  findPlant,
  findReservation,
  keepPhoto,
  listPlants,
  removePhoto,
  removePlant,
  removeReservation,
  replacePlant,
  takePlants,
  toPlant,
  toReservation,
} from './queries';
import { FIRST_VERSION, MAX_STOCK, schema } from './schema';

/** A store with the functions for operators. */
export type OpenNurseryStore = NurseryStore & Pick<Store<unknown>, 'check' | 'close'>;

/**
 * Opens the tables of the nursery, on SQLite or PostgreSQL.
 *
 * @throws StoreUnavailable, with a message of one line, when the store cannot be used
 */
export async function openNurseryStore(location: StoreLocation, observer?: StoreObserver): Promise<OpenNurseryStore> {
  const store = await openStore(location, schema, observer);

  return {
    check: () => store.check(),
    close: () => store.close(),

    async readPlant(id) {
      const [found] = await store.read(findPlant(toId(id)));
      return found && toPlant(found);
    },

    async readReservation(plantId, id) {
      const [found] = await store.read(findReservation(toId(plantId), toId(id)));
      return found && toReservation(found);
    },

    async listPlants({ after, ...filter }, limit) {
      const found = await store.read(
        listPlants({ ...filter, ...(after !== undefined && { after: toId(after) }) }, limit),
      );
      return found.map((row) => toPlant(row).plant);
    },

    async addPlant(plant) {
      await store.add.plants(plant);
      return FIRST_VERSION;
    },

    changePlant: (id, change) =>
      store.transaction(async (tx) => {
        const [found] = await tx.read(findPlant(toId(id)));
        if (!found) return 'unknown';
        const next = change(toPlant(found));
        if (!next) return 'kept';
        if (BigInt(next.stock) + found.reserved > MAX_STOCK) return 'too many';
        const [changed = found] = await tx.write(replacePlant(next));
        return toPlant(changed);
      }),

    removePlant: (id) =>
      store.transaction(async (tx) => {
        const [found] = await tx.read(findPlant(toId(id)));
        if (!found) return 'unknown';
        if (found.reserved > 0n) return 'reserved';
        await tx.write(removePhoto(found.id));
        await tx.write(removePlant(found.id));
        return 'removed';
      }),

    keepPhoto: (plantId, photo) =>
      store.transaction(async (tx) => {
        const [found] = await tx.read(findPlant(toId(plantId)));
        if (found) await tx.write(keepPhoto(found.id, photo));
        return found !== undefined;
      }),

    async readPhoto(plantId) {
      const [photo] = await store.read(findPhoto(toId(plantId)));
      return photo;
    },

    reserve: (reservation, answer, signal) =>
      store.transaction(
        async (tx) => {
          const plant = toId(reservation.plant);
          const [taken] = await tx.write(takePlants(plant, reservation.quantity));
          if (!taken) return answer((await tx.read(findPlant(plant))).length > 0 ? 'too few' : 'unknown');
          await tx.write(addReservation({ ...reservation, plant }));
          return answer(toPlant(taken).plant);
        },
        { signal },
      ),

    giveUp: (plantId, id) =>
      store.transaction(async (tx) => {
        const [removed] = await tx.write(removeReservation(toId(plantId), toId(id)));
        if (removed) await tx.write(takePlants(toId(plantId), -removed.quantity));
        return removed !== undefined;
      }),
  };
}

/** A UUID is the same in capital letters, and with `urn:uuid:` before it (RFC 9562 section 4). */
function toId(text: string): string {
  return text.toLowerCase().replace(/^urn:uuid:/, '');
}
