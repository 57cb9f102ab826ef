// Sends each plant in a SQLite file to a service, such as one with PostgreSQL: URL=... TOKEN=... node copy-plants.mjs FILE
// It says how to go on when it stops. If it is killed, go on with AFTER=row and the row of its last line.
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';

// As text, because a JavaScript number cannot hold every id. json_patch leaves out tags that are null.
const BODY = `json_patch('{}', json_object('id', id, 'name', name, 'tag', tag))`;
// The service commits rows together that arrive together.
const REQUESTS_AT_ONCE = 100;
const MAX_WAIT_S = 300;

const [, , file] = process.argv;
const { URL: url, TOKEN: token, AFTER: after = '0' } = process.env;
const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };

async function send(body) {
  // The reply has the plant without its id.
  const { id: _id, ...plant } = JSON.parse(body);
  for (let waited = 0; ;) {
    const reply = await fetch(`${url}/plants`, { method: 'POST', headers, body });
    const text = await reply.text();
    if (reply.status === 200 && text === JSON.stringify(plant)) return;
    const seconds = Number(reply.headers.get('Retry-After')) || 1;
    waited += seconds;
    if (![429, 503].includes(reply.status) || waited > MAX_WAIT_S)
      throw new Error(`the service answered ${reply.status} ${text}`);
    await setTimeout(seconds * 1000);
  }
}

if (!/^\d+$/.test(after)) {
  console.error(`AFTER=${after} is not the number of a row`);
  process.exit(1);
}
let row = Number(after);
try {
  const database = new DatabaseSync(file, { readOnly: true });
  const { total } = database.prepare('SELECT count(*) AS total FROM plants WHERE rowid > ?').get(row);
  const next = database.prepare(
    `SELECT rowid AS number, ${BODY} AS body FROM plants WHERE rowid > ? ORDER BY rowid LIMIT ${REQUESTS_AT_ONCE}`,
  );
  if (total === 0) console.log(`No plant is left to copy after row ${row}`);
  const { isTTY } = process.stdout;
  const start = performance.now();
  let reported = start;
  for (let copied = 0; copied < total;) {
    const rows = next.all(row);
    await Promise.all(rows.map(({ body }) => send(body)));
    row = rows.at(-1).number;
    copied += rows.length;
    const now = performance.now();
    if (!isTTY && now < reported + 5_000 && copied < total) continue;
    reported = now;
    const secondsLeft = Math.ceil(((now - start) / 1000 / copied) * (total - copied));
    const progress = `${copied} of ${total} plants, up to row ${row}, ${secondsLeft} s left`;
    process.stdout.write(isTTY ? `\r${progress}\x1b[K${copied < total ? '' : '\n'}` : `${progress}\n`);
  }
} catch ({ message, cause }) {
  const reason = `${message} ${cause?.code ?? ''}`.trim();
  console.error(`${process.stdout.isTTY ? '\n' : ''}Not every plant was copied: ${reason}\nTo go on, add AFTER=${row}`);
  // Other requests may still be waiting.
  process.exit(1);
}
