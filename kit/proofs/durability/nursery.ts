import { DatabaseSync } from 'node:sqlite';
import { query } from '@contract-kit/test-support/start-postgres';
import { startClients, TOKEN } from './load';
import type { Random } from './random';
import type { Subject } from './rounds';
import { startService } from './service';

const MAIN = 'examples/nursery/dist/main.js';
// So few that all clients want the same ones, and that some get none.
const PLANTS = 4;
const STOCK = 20;

/** A reservation that was sent. */
interface Order {
  readonly plant: string;
  readonly quantity: number;
  /** Whether it has to be there; undefined until its latest change is acknowledged. */
  isThere?: boolean | undefined;
}

/** The nursery, whose clients reserve plants and give them up again; each reservation is for a customer of its own. */
export function createNursery(random: Random): Subject {
  const plants: string[] = [];
  const orders = new Map<string, Order>();
  const reserved: { readonly order: Order; readonly path: string }[] = [];
  let acknowledged = 0;

  async function addPlant(url: string): Promise<number> {
    const reply = await send('POST', `${url}/plants`, { name: 'Lavender', light: 'sun', cents: 450, stock: STOCK });
    const { id } = (await reply.json()) as { id: string };
    if (reply.status === 201) {
      plants.push(id);
      acknowledged++;
    }
    return reply.status;
  }

  async function reserve(url: string): Promise<number> {
    const order: Order = { plant: random.pick(plants), quantity: random.integer(1, 3) };
    const customer = String(orders.size);
    orders.set(customer, order);
    const path = `/plants/${order.plant}/reservations`;
    const reply = await send('POST', url + path, { quantity: order.quantity, customer });
    const { id } = (await reply.json()) as { id: string };
    if (reply.status === 201) {
      order.isThere = true;
      acknowledged++;
      reserved.push({ order, path: `${path}/${id}` });
    }
    // Too few were left.
    if (reply.status === 409) order.isThere = false;
    return reply.status;
  }

  async function giveUp(url: string, { order, path }: (typeof reserved)[number]): Promise<number> {
    order.isThere = undefined;
    const { status } = await send('DELETE', url + path);
    if (status === 204) {
      order.isThere = false;
      acknowledged++;
    }
    // It was acknowledged, and is lost.
    if (status === 404) order.isThere = true;
    return status;
  }

  return {
    start: (database) => startService(database, MAIN),
    startLoad: (url) =>
      startClients(() => {
        if (plants.length < PLANTS) return addPlant(url);
        const next = random.integer(1, 2) === 1 ? reserved.shift() : undefined;
        return next ? giveUp(url, next) : reserve(url);
      }),
    async audit({ url }) {
      const rows = await readStock(url);
      const plantRows = Map.groupBy(rows, ({ id }) => id);
      const kept = rows.filter(({ customer }) => customer !== null);
      const customers = new Set(kept.map(({ customer }) => customer));
      const lost = [...orders].filter(([customer, { isThere }]) => isThere === !customers.has(customer));
      const changed = kept.filter(({ id, quantity, customer }) => {
        const order = orders.get(String(customer));
        return order && (order.plant !== id || order.quantity !== quantity);
      });
      return {
        acknowledged,
        lost: lost.length + plants.filter((id) => !plantRows.has(id)).length,
        half: changed.length + [...plantRows.values()].filter((reservations) => !isInBalance(reservations)).length,
        strange: kept.length - [...orders.keys()].filter((customer) => customers.has(customer)).length,
      };
    },
  };
}

/** Whether the plants that were there are in stock or in reservations. */
function isInBalance(rows: readonly StockRow[]): boolean {
  const sum = rows.reduce((total, { quantity }) => total + Number(quantity), 0);
  return rows.every(({ stock, reserved }) => reserved === sum && stock + sum === STOCK);
}

function send(method: string, url: string, body?: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${TOKEN}`, ...(body && { 'Content-Type': 'application/json' }) };
  return fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

/** A plant with one of its reservations, or with none. */
interface StockRow {
  readonly id: string;
  readonly stock: number;
  readonly reserved: number;
  readonly customer: string | null;
  readonly quantity: number | null;
}

const SELECT = `SELECT p.id, stock, reserved, customer, quantity FROM plants p LEFT JOIN reservations r ON r.plant = p.id`;

/** Reads in one statement, so that it sees one state. */
async function readStock(url: string): Promise<StockRow[]> {
  if (!url.startsWith('file:')) return (await query(url, SELECT)) as unknown as StockRow[];
  using database = new DatabaseSync(url.slice('file:'.length), { readOnly: true, timeout: 2_000 });
  return database.prepare(SELECT).all() as unknown as StockRow[];
}
