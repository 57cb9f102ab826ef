// The client that kubb made, with exact int64s in both directions.
import { fromJson, toJson } from './exact-json.js';
import type { Client } from './kubb/.kubb/fetch.js';
import { createPlant, listPlants, type Error as Failure } from './kubb/index.js';

const client: Client = async <Data>({ method = 'GET', url = '', data }: Parameters<Client>[0]) => {
  const response = await fetch(`http://127.0.0.1:3000${url}`, {
    method,
    headers: { Authorization: `Bearer ${process.env.TOKEN}`, 'Content-Type': 'application/json' },
    ...(data !== undefined && { body: toJson(data) }),
  });
  const reply = fromJson(await response.text());
  if (!response.ok) throw new Error((reply as Failure).message);
  return { data: reply as Data, status: response.status, statusText: response.statusText, headers: response.headers };
};

const { name } = await createPlant({ id: 9007199254740999n, name: 'Rose' }, { client });
console.log(name);

const plants = await listPlants({ client });
console.log(plants.map(({ id }) => id));
