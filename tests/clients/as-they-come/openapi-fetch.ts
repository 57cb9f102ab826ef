import createClient from 'openapi-fetch';
import type { paths } from '../made/openapi-fetch/schema.js';
import { BASE, HEADERS, type Client } from './client.js';

const client = createClient<paths>({ baseUrl: BASE, headers: HEADERS });

export const openapiFetch: Client = {
  async create(body) {
    const { data, error } = await client.POST('/plants', { body });
    return data ? { status: 200, plant: data } : { status: 400, error };
  },
  async list() {
    const { data } = await client.GET('/plants');
    return data ?? [];
  },
};
