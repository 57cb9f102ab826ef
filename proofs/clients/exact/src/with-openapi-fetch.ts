// The client openapi-fetch, with exact int64s in both directions.
import createClient from 'openapi-fetch';
import { fromJson, toJson } from './exact-json.js';
import type { components, paths } from './schema.js';

const client = createClient<paths>({
  baseUrl: 'http://127.0.0.1:3000',
  headers: { Authorization: `Bearer ${process.env.TOKEN}` },
  bodySerializer: toJson,
});

const { data, error } = await client.POST('/plants', { body: { id: 9007199254740993n, name: 'Rose' } });
console.log(data ? data.name : error.message);

// The client leaves the text to fromJson, which returns what the contract says.
const list = await client.GET('/plants', { parseAs: 'text' });
const plants = fromJson(list.data ?? '[]') as components['schemas']['NewPlant'][];
console.log(plants.map(({ id }) => id));
