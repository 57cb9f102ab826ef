import { client } from '../made/hey-api/client.gen.js';
import { createPlant, listPlants } from '../made/hey-api/index.js';
import { BASE, HEADERS, type Client } from './client.js';

client.setConfig({ baseUrl: BASE, headers: HEADERS });

export const heyApi: Client = {
  async create(body) {
    const { data, error } = await createPlant({ body });
    return data ? { status: 200, plant: data } : { status: 400, error };
  },
  async list() {
    const { data } = await listPlants({ throwOnError: true });
    return data;
  },
};
