// Tries each client, and prints as JSON what it saw.
import { heyApi } from './hey-api.js';
import { kubb, kubbWithoutType } from './kubb.js';
import { openapiFetch } from './openapi-fetch.js';
import { orval } from './orval.js';
import type { Client, Reply } from './client.js';

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
for (const [name, client] of Object.entries({ 'openapi-fetch': openapiFetch, 'hey-api': heyApi, orval, kubb })) {
  seen[name] = await tryClient(client, name);
}
seen['kubb without Content-Type'] = { fitting: await create(kubbWithoutType, 1, 'kubb') };
process.stdout.write(JSON.stringify(seen));
