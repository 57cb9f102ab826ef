import type { Handlers } from '../../generated/handlers';
import type { PlantStore } from '../store/plant-store';
import { createCreatePlant } from './create-plant';

/** The table of handlers. It does not compile when an operation of the contract is missing, or is one too many. */
export function createHandlers(store: PlantStore): Handlers {
  return {
    createPlant: createCreatePlant(store),
  };
}
