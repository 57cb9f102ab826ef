import { randomUUIDv7 } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { parseLocation } from '@contract-kit/store';
import { openNurseryStore } from '../src/store/open-nursery-store';
import { ENGINES, startDatabases, type Databases } from './databases';
import { expectProblem, LAVENDER, SECRETS, startNursery, type RunningNursery } from './start-nursery';

const CLIENTS = 64;
const STOCK = 100;

let databases: Databases;
let office: Server;
/** What the office was told. */
let told: unknown[];
/** How many of the next events the office has no time for. */
let busy: number;

async function hear(request: IncomingMessage): Promise<number> {
  const event = await json(request);
  if (busy-- > 0) return 503;
  told.push(event);
  office.emit('told');
  return 204;
}

beforeAll(async () => {
  databases = await startDatabases();
  office = createServer((request, response) => {
    void hear(request).then((status) => response.writeHead(status).end());
  }).listen(0, '127.0.0.1');
  await once(office, 'listening');
});

afterAll(async () => {
  office.closeAllConnections();
  office.close();
  await databases[Symbol.asyncDispose]();
});

describe.each(ENGINES)('reservations on %s', (engine) => {
  let nursery: RunningNursery;

  beforeAll(async () => {
    const { port } = office.address() as AddressInfo;
    const url = `http://127.0.0.1:${String(port)}/`;
    nursery = await startNursery({ DATABASE_URL: databases.create(engine), SOLD_OUT_URL: url });
  });

  afterAll(async () => {
    await nursery[Symbol.asyncDispose]();
  });

  beforeEach(() => {
    told = [];
    busy = 0;
  });

  test('64 clients that want more than there is get all of it, and not one more', async () => {
    const { id, name } = await nursery.add({ ...LAVENDER, stock: STOCK });
    const telling = once(office, 'told');
    async function buy(client: number): Promise<number> {
      let bought = 0;
      // Each buys one, two or three at a time, until there are too few.
      for (let quantity = 1 + (client % 3); quantity > 0;) {
        const { status } = await nursery.send('POST', `/plants/${id}/reservations`, { quantity });
        expect([201, 409]).toContain(status);
        if (status === 201) bought += quantity;
        else quantity--;
      }
      return bought;
    }
    const bought = await Promise.all(Array.from({ length: CLIENTS }, (_, client) => buy(client)));
    expect(bought.reduce((sum, one) => sum + one)).toBe(STOCK);
    expect(await nursery.read(id)).toMatchObject({ stock: 0 });
    await telling;
    expect(told).toEqual([{ plant: id, name, at: expect.any(String) as string }]);
  });

  test('a till reserves, reads and gives up; what is given up is in stock again, once', async () => {
    const { id } = await nursery.add({ ...LAVENDER, stock: 5 });
    const till = { Authorization: '', 'X-Till-Key': SECRETS.till };
    const order = { quantity: 3, customer: 'Ms Hollis' };
    const made = await nursery.send('POST', `/plants/${id}/reservations`, order, till);
    expect(made.status).toBe(201);
    const { href } = new URL(String(made.headers.get('Location')), made.url);
    const read = await nursery.send('GET', href, undefined, till);
    expect(await read.json()).toEqual(await made.json());
    await expectProblem(await nursery.send('POST', `/plants/${id}/reservations`, order, till), 409);
    const replies = await Promise.all(Array.from({ length: 8 }, () => nursery.send('DELETE', href, undefined, till)));
    expect(replies.map(({ status }) => status).sort()).toEqual([204, ...Array<number>(7).fill(404)]);
    expect(await nursery.read(id)).toMatchObject({ stock: 5 });
    await expectProblem(await nursery.send('GET', href, undefined, till), 404);
  });

  test('neither nobody nor a wrong till may reserve, and there is nothing of a plant that is not there', async () => {
    const { id } = await nursery.add(LAVENDER);
    const path = `/plants/${id}/reservations`;
    await expectProblem(await nursery.send('POST', path, { quantity: 1 }, { Authorization: '' }), 401);
    await expectProblem(
      await nursery.send('POST', path, { quantity: 1 }, { Authorization: '', 'X-Till-Key': 'stolen' }),
      401,
    );
    expect(await nursery.read(id)).toMatchObject({ stock: LAVENDER.stock });
    const unknown = '/plants/0198c2f4-7a51-7c3e-9d40-5b1f0a6e2c11/reservations';
    await expectProblem(await nursery.send('POST', unknown, { quantity: 1 }), 404);
    await expectProblem(await nursery.send('GET', `${unknown}/${id}`), 404);
  });

  test('a change of the stock leaves room for what is reserved, so that the stock never exceeds its maximum', async () => {
    const { id } = await nursery.add({ ...LAVENDER, stock: 10 });
    const made = await nursery.send('POST', `/plants/${id}/reservations`, { quantity: 10 });
    const { href } = new URL(String(made.headers.get('Location')), made.url);
    const change = (stock: number): Promise<Response> =>
      nursery.send('PATCH', `/plants/${id}`, { stock }, { 'Content-Type': 'application/merge-patch+json' });
    const replace = (stock: number): Promise<Response> =>
      nursery.send('PUT', `/plants/${id}`, { ...LAVENDER, stock }, { 'If-Match': '*' });
    await expectProblem(await change(999_991), 409);
    await expectProblem(await replace(1_000_000), 409);
    expect(await nursery.read(id)).toMatchObject({ stock: 0 });
    expect((await replace(1)).status).toBe(200);
    expect((await change(999_990)).status).toBe(200);
    expect((await nursery.send('DELETE', href)).status).toBe(204);
    expect(await nursery.read(id)).toMatchObject({ stock: 1_000_000 });
  });

  test('nothing is reserved when its reply is not as the contract declares it, or its client is gone', async () => {
    const plant = { ...LAVENDER, tags: [...LAVENDER.tags], id: randomUUIDv7(), added: '2026-01-01T00:00:00Z' };
    const store = await openNurseryStore(parseLocation(databases.create(engine)));
    await store.addPlant(plant);
    const reservation = { id: randomUUIDv7(), plant: plant.id, quantity: 1, made: plant.added };
    const undeclared = (): never => {
      throw new Error('not declared');
    };
    const { signal } = new AbortController();
    await expect(store.reserve(reservation, undeclared, signal)).rejects.toThrow('not declared');
    await expect(store.reserve(reservation, String, AbortSignal.abort())).rejects.toThrow('aborted');
    expect(await store.readPlant(plant.id)).toEqual({ plant, version: 1 });
    expect(await store.readReservation(plant.id, reservation.id)).toBeUndefined();
    await store.close();
  });

  test('the office is told again when it had no time', async () => {
    const { id } = await nursery.add({ ...LAVENDER, stock: 1 });
    busy = 2;
    const telling = once(office, 'told');
    expect((await nursery.send('POST', `/plants/${id}/reservations`, { quantity: 1 })).status).toBe(201);
    await telling;
    expect(told).toMatchObject([{ plant: id }]);
  });
});
