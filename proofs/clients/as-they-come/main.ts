// Tries each client, with the types that its maker gives it, and prints as JSON what it saw. The proof copies this folder to
// where the clients are made.
import createFetchClient from 'openapi-fetch';
import { client as heyApiClient } from '../made/hey-api/client.gen.js';
import * as heyApi from '../made/hey-api/index.js';
import * as kubb from '../made/kubb/index.js';
import type { paths } from '../made/openapi-fetch/schema.js';
import * as orval from '../made/orval/client.js';

interface Plant {
  name: string;
  tag?: string;
}

interface NewPlant extends Plant {
  id: number;
}

type Reply = { status: 200; plant: Plant } | { status: 400; error: { error: number; message: string } };

interface Client {
  create(plant: NewPlant): Promise<Reply>;
  list(): Promise<NewPlant[]>;
}

const baseUrl = String(process.env['BASE']);
const headers = { Authorization: `Bearer ${String(process.env['TOKEN'])}` };
const fetchClient = createFetchClient<paths>({ baseUrl, headers });
heyApiClient.setConfig({ baseUrl, headers });

const clients: Readonly<Record<string, Client>> = {
  'openapi-fetch': {
    async create(body) {
      const { data, error } = await fetchClient.POST('/plants', { body });
      return data ? { status: 200, plant: data } : { status: 400, error };
    },
    async list() {
      const { data } = await fetchClient.GET('/plants');
      return data ?? [];
    },
  },
  'hey-api': {
    async create(body) {
      const { data, error } = await heyApi.createPlant({ body });
      return data ? { status: 200, plant: data } : { status: 400, error };
    },
    async list() {
      const { data } = await heyApi.listPlants({ throwOnError: true });
      return data;
    },
  },
  orval: {
    async create(plant) {
      const { status, data } = await orval.createPlant(plant, { headers });
      return status === 200 ? { status, plant: data } : { status: 400, error: data };
    },
    async list() {
      const { status, data } = await orval.listPlants({ headers });
      return status === 200 ? data : [];
    },
  },
  kubb: createKubbClient({ ...headers, 'Content-Type': 'application/json' }),
};

function createKubbClient(kubbHeaders: Record<string, string>): Client {
  const options = { baseURL: baseUrl, headers: kubbHeaders };
  return {
    async create(plant) {
      const { status, data } = await kubb.createPlant(plant, options);
      // Its type is that of a reply of 200, whatever the status.
      return status === 200 ? { status, plant: data } : { status: 400, error: data as never };
    },
    async list() {
      const { data } = await kubb.listPlants(options);
      return data;
    },
  };
}

/** @returns the reply, or the error that was thrown */
function create(client: Client, id: number, name: string): Promise<Reply | string> {
  return client.create({ id, name }).catch(String);
}

async function tryClient(client: Client, name: string): Promise<object> {
  const plants = await client.list();
  return {
    fitting: await create(client, 1, name),
    wrong: await create(client, 0.5, name),
    large: await create(client, Number('9007199254740993'), name),
    largest: await create(client, Number('9223372036854775807'), name),
    bigint: await create(client, 9007199254740995n as unknown as number, name),
    read: plants.find((plant) => plant.name === 'Exact')?.id,
  };
}

const seen: Record<string, object> = {};
for (const [name, client] of Object.entries(clients)) seen[name] = await tryClient(client, name);
seen['kubb without Content-Type'] = { fitting: await create(createKubbClient(headers), 1, 'kubb') };
process.stdout.write(JSON.stringify(seen));
