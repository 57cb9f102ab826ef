import type { operations } from '../../generated/api';
import type { Plant, Reservation } from '../../generated/schemas';

/** A plant, and how often it has changed. */
export interface StoredPlant {
  readonly plant: Plant;
  readonly version: number;
}

/** Which plants are listed. */
export type Filter = Omit<NonNullable<operations['listPlants']['parameters']['query']>, 'limit'>;

/** A picture. */
export interface Photo {
  /** Its media type. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The catalogue, its photos, and what is reserved of it. What it says is done is on disk. */
export interface NurseryStore {
  /** Plants in the order in which they were added. */
  listPlants(filter: Filter, limit: number): Promise<Plant[]>;
  readPlant(id: string): Promise<StoredPlant | undefined>;
  /** @returns its version */
  addPlant(plant: Plant): Promise<number>;
  /**
   * Puts another plant in the place of one.
   *
   * @param change returns undefined to keep the plant as it is; it may be called again
   * @returns 'too many' if the stock would be too large once all reservations were given up
   */
  changePlant(
    id: string,
    change: (found: StoredPlant) => Plant | undefined,
  ): Promise<StoredPlant | 'kept' | 'too many' | 'unknown'>;
  removePlant(id: string): Promise<'removed' | 'reserved' | 'unknown'>;
  /** @returns whether there is such a plant */
  keepPhoto(plantId: string, photo: Photo): Promise<boolean>;
  readPhoto(plantId: string): Promise<Photo | undefined>;
  /**
   * Takes plants out of the stock, unless the answer to that throws, or the signal is aborted.
   *
   * @param answer gets the plant, with what is left of it; it may be called again
   */
  reserve<T>(
    reservation: Reservation,
    answer: (outcome: Plant | 'too few' | 'unknown') => T,
    signal: AbortSignal,
  ): Promise<T>;
  readReservation(plantId: string, id: string): Promise<Reservation | undefined>;
  /** Puts plants back into the stock. @returns whether there was such a reservation */
  giveUp(plantId: string, id: string): Promise<boolean>;
}
