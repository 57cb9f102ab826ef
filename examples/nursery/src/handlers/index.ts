import type { Handlers } from '../../generated/handlers';
import type { Plant } from '../../generated/schemas';
import type { NurseryStore } from '../store/nursery-store';
import { createAddPlant } from './add-plant';
import { createChangePlant } from './change-plant';
import { createGiveUpReservation } from './give-up-reservation';
import { createListPlants } from './list-plants';
import { createReadPhoto } from './read-photo';
import { createReadPlant } from './read-plant';
import { createReadReservation } from './read-reservation';
import { createRemovePlant } from './remove-plant';
import { createReplacePlant } from './replace-plant';
import { createReservePlants } from './reserve-plants';
import { createUploadPhoto } from './upload-photo';

/** The table of handlers. It does not compile when an operation of the contract is missing, or is one too many. */
export function createHandlers(store: NurseryStore, onSoldOut: (plant: Plant) => void): Handlers {
  return {
    listPlants: createListPlants(store),
    addPlant: createAddPlant(store),
    readPlant: createReadPlant(store),
    replacePlant: createReplacePlant(store),
    changePlant: createChangePlant(store),
    removePlant: createRemovePlant(store),
    uploadPhoto: createUploadPhoto(store),
    readPhoto: createReadPhoto(store),
    reservePlants: createReservePlants(store, onSoldOut),
    readReservation: createReadReservation(store),
    giveUpReservation: createGiveUpReservation(store),
  };
}
