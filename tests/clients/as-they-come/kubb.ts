import { createPlant, listPlants } from '../made/kubb/index.js';
import { BASE, HEADERS, type Client } from './client.js';

function createClient(headers: Record<string, string>): Client {
  const options = { baseURL: BASE, headers };
  return {
    async create(plant) {
      const { status, data } = await createPlant(plant, options);
      // Its type is that of a reply of 200, whatever the status.
      return status === 200 ? { status, plant: data } : { status: 400, error: data as never };
    },
    async list() {
      const { data } = await listPlants(options);
      return data;
    },
  };
}

export const kubb = createClient({ ...HEADERS, 'Content-Type': 'application/json' });
export const kubbWithoutType = createClient(HEADERS);
