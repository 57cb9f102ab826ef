import type { Handlers } from '../../generated/handlers';
import type { ServiceStore } from '../store';
import { createPlant } from './create-plant';

/** The handlers. This does not compile unless it lists exactly the operations of the contract. */
export function createHandlers(store: ServiceStore): Handlers {
  return {
    createPlant: createPlant(store),
  };
}
