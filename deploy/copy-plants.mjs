// Sends each plant in a SQLite file to a service, such as one with PostgreSQL: URL=... TOKEN=... node copy-plants.mjs FILE
import { DatabaseSync } from 'node:sqlite';

const [, , file] = process.argv;
const { URL: url, TOKEN: token } = process.env;
const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
// As text, because a JavaScript number cannot hold every id. json_patch leaves out tags that are null.
const bodies = `SELECT json_patch('{}', json_object('id', id, 'name', name, 'tag', tag)) AS body FROM plants`;
try {
  for (const { body } of new DatabaseSync(file).prepare(bodies).iterate()) {
    const reply = await fetch(`${url}/plants`, { method: 'POST', headers, body });
    if (!reply.ok) throw new Error(`the service answered ${reply.status} ${await reply.text()}`);
  }
} catch ({ message, cause }) {
  console.error(`Not every plant was copied: ${message} ${cause?.code ?? ''}`.trim());
  process.exitCode = 1;
}
