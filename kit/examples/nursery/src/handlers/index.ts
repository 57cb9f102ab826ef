import type { Handlers } from '../../generated/handlers';
import type { Plant } from '../../generated/schemas';
import type { NurseryStore } from '../store/nursery-store';
import { addPlant } from './add-plant';
import { changePlant } from './change-plant';
import { followArrivals } from './follow-arrivals';
import { giveUpReservation } from './give-up-reservation';
import { listPlants } from './list-plants';
import { readPhoto } from './read-photo';
import { readPlant } from './read-plant';
import { readReservation } from './read-reservation';
import { removePlant } from './remove-plant';
import { replacePlant } from './replace-plant';
import { reservePlants } from './reserve-plants';
import { uploadPhoto } from './upload-photo';

/** The handlers. This does not compile unless it lists exactly the operations of the contract. */
export function createHandlers(store: NurseryStore, onSoldOut: (plant: Plant) => void): Handlers {
  return {
    listPlants: listPlants(store),
    addPlant: addPlant(store),
    followArrivals: followArrivals(store),
    readPlant: readPlant(store),
    replacePlant: replacePlant(store),
    changePlant: changePlant(store),
    removePlant: removePlant(store),
    uploadPhoto: uploadPhoto(store),
    readPhoto: readPhoto(store),
    reservePlants: reservePlants(store, onSoldOut),
    readReservation: readReservation(store),
    giveUpReservation: giveUpReservation(store),
  };
}
