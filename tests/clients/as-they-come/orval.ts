import { createPlant, listPlants } from '../made/orval/client.js';
import { HEADERS, type Client } from './client.js';

export const orval: Client = {
  async create(plant) {
    const { status, data } = await createPlant(plant, { headers: HEADERS });
    if (status === 200) return { status, plant: data };
    return { status: 400, error: data };
  },
  async list() {
    const { status, data } = await listPlants({ headers: HEADERS });
    return status === 200 ? data : [];
  },
};
