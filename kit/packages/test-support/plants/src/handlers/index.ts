import type { Handlers } from '../../generated/handlers';
import type { PlantStore } from '../store/plant-store';
import { createPlant } from './create-plant';

/** The table of handlers. It compiles only if it has exactly the operations of the contract. */
export function createHandlers(store: PlantStore): Handlers {
  return {
    createPlant: createPlant(store),
  };
}
