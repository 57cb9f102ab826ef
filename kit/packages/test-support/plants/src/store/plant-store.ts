// Opens the store of plants.
import { openStore, type Store, type StoreLocation, type StoreObserver } from '@contract-kit/store';
import { plantSchema, type StoredPlant } from './plant-schema';

export type { StoredPlant };

/** A store of plants. */
export interface PlantStore extends Omit<Store<unknown>, 'add'> {
  /**
   * Stores a plant. It is on disk when the promise is fulfilled. Adding the same plant again changes nothing.
   *
   * @throws StoreUnavailable when it cannot be stored now; the caller may try again
   */
  add(plant: StoredPlant): Promise<void>;
}

/** @throws StoreUnavailable, with a message of one line, when the store cannot be used */
export async function openPlantStore(location: StoreLocation, observer?: StoreObserver): Promise<PlantStore> {
  const store = await openStore(location, plantSchema, observer);
  return { ...store, add: store.add.plants };
}
