// The client that hey-api made, with exact int64s in both directions.
import { fromJson, toJson } from './exact-json.js';
import { client } from './hey-api/client.gen.js';
import { createPlant, listPlants, type NewPlant } from './hey-api/index.js';

client.setConfig({ baseUrl: 'http://127.0.0.1:3000', auth: process.env.TOKEN, bodySerializer: toJson });

const { data, error } = await createPlant({ body: { id: 9007199254740995n, name: 'Rose' } });
console.log(data ? data.name : error.message);

const list = await listPlants({ parseAs: 'text', throwOnError: true });
const plants = fromJson(String(list.data)) as NewPlant[];
console.log(plants.map(({ id }) => id));
