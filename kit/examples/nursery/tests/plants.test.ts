import type { PlantPage } from '../generated/schemas';
import { ENGINES, startDatabases, type Databases } from './databases';
import { expectProblem, LAVENDER, startNursery, type RunningNursery } from './start-nursery';

const UNKNOWN = '/plants/0198c2f4-7a51-7c3e-9d40-5b1f0a6e2c11';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };

let databases: Databases;

beforeAll(async () => {
  databases = await startDatabases();
});

afterAll(async () => {
  await databases[Symbol.asyncDispose]();
});

describe.each(ENGINES)('the catalogue on %s', (engine) => {
  let nursery: RunningNursery;

  beforeAll(async () => {
    nursery = await startNursery({ DATABASE_URL: databases.create(engine) });
  });

  afterAll(async () => {
    await nursery[Symbol.asyncDispose]();
  });

  test('a new plant is where Location says, with its first version', async () => {
    const reply = await nursery.send('POST', '/plants', { ...LAVENDER, id: 'of the client', added: 'never' });
    expect(reply.status).toBe(201);
    const { id, added } = (await reply.clone().json()) as { id: string; added: string };
    const location = new URL(String(reply.headers.get('Location')), reply.url);
    expect(location.pathname).toBe(`/v1/plants/${id}`);
    const read = await nursery.send('GET', location.href);
    expect(await read.json()).toEqual({ ...LAVENDER, id, added });
    expect(read.headers.get('ETag')).toBe(reply.headers.get('ETag'));
    expect(await (await nursery.send('GET', `/plants/${id.toUpperCase()}`)).json()).toEqual(await nursery.read(id));
  });

  test('the list is in the order of adding, a page at a time', async () => {
    const added: string[] = [];
    for (const name of ['Sage A', 'Sage B', 'Sage C']) added.push((await nursery.add({ ...LAVENDER, name })).id);
    const first = (await (await nursery.send('GET', '/plants?q=sage&limit=2')).json()) as PlantPage;
    expect(first.plants.map(({ name }) => name)).toEqual(['Sage A', 'Sage B']);
    const second = (await (
      await nursery.send('GET', `/plants?q=sage&limit=2&after=${String(first.next)}`)
    ).json()) as PlantPage;
    expect(second).toEqual({ plants: [await nursery.read(String(added[2]))] });
  });

  test('a client that comes back gets the plants that it has missed, as events', async () => {
    const [first, second] = [
      await nursery.add({ ...LAVENDER, name: 'Rue A' }),
      await nursery.add({ ...LAVENDER, name: 'Rue B' }),
    ];
    const headers = { 'Last-Event-ID': first.id };
    const { body } = await nursery.send('GET', '/arrivals', undefined, headers);
    const decoder = new TextDecoder();
    let text = '';
    for await (const part of body ?? []) {
      text += decoder.decode(part as Uint8Array, { stream: true });
      if (text.includes('data:')) break;
    }
    expect(text).toContain(`id: ${second.id}\ndata: ${JSON.stringify(second)}\n\n`);
  });

  test('the search finds names, botanical names and tags, whatever their case, and takes no sign for another', async () => {
    await nursery.add({
      ...LAVENDER,
      name: 'Blåbær 100%',
      botanicalName: 'Vaccinium Myrtillus',
      light: 'half shade',
      tags: ['Été'],
    });
    const search = async (query: string): Promise<string[]> => {
      const reply = await nursery.send('GET', `/plants?${query}`);
      return ((await reply.json()) as PlantPage).plants.map(({ name }) => name);
    };
    for (const text of ['BLÅBÆR', 'myrtillus', 'ÉTÉ', '100%']) {
      expect(await search(`q=${encodeURIComponent(text)}`)).toEqual(['Blåbær 100%']);
    }
    for (const text of ['10_%', '%25', '\\']) expect(await search(`q=${encodeURIComponent(text)}`)).toEqual([]);
    expect(await search('light=half+shade')).toEqual(['Blåbær 100%']);
    expect(await search('light=half+shade&available=false')).toEqual([]);
    expect(await search('light=half+shade&available=true&q=tillus')).toEqual(['Blåbær 100%']);
  });

  test('a plant is replaced only over the version that the client has seen', async () => {
    const { id, added } = await nursery.add(LAVENDER);
    const fern = { name: 'Lady fern', light: 'shade', cents: 790, stock: 0 };
    await expectProblem(await nursery.send('PUT', `/plants/${id}`, fern), 428);
    await expectProblem(await nursery.send('PUT', `/plants/${id}`, fern, { 'If-Match': '"2", W/"1"' }), 412);
    const reply = await nursery.send('PUT', `/plants/${id}`, fern, { 'If-Match': '"7", "1"' });
    expect(reply.status).toBe(200);
    expect(await reply.json()).toEqual({ ...fern, id, added });
    expect(reply.headers.get('ETag')).toBe('"2"');
    expect(await nursery.read(id)).toEqual({ ...fern, id, added });
    await expectProblem(await nursery.send('PUT', `/plants/${id}`, fern, { 'If-Match': '"1"' }), 412);
    await expectProblem(await nursery.send('PUT', UNKNOWN, fern, { 'If-Match': '*' }), 404);
  });

  test('an asterisk allows any version only as the whole of If-Match', async () => {
    const { id } = await nursery.add(LAVENDER);
    for (const tags of ['"7", *', '*, "7"', '*, *'])
      await expectProblem(await nursery.send('PUT', `/plants/${id}`, LAVENDER, { 'If-Match': tags }), 412);
    expect((await nursery.send('PUT', `/plants/${id}`, LAVENDER, { 'If-Match': ' * ' })).status).toBe(200);
  });

  test('of clients that replace the same version at once, one has success', async () => {
    const { id } = await nursery.add(LAVENDER);
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        nursery.send('PUT', `/plants/${id}`, { ...LAVENDER, stock: index }, { 'If-Match': '"1"' }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(15).fill(412)]);
  });

  test('a merge patch changes what it names, and null takes away', async () => {
    const { id, added } = await nursery.add({ ...LAVENDER, botanicalName: 'Lavandula' });
    const reply = await nursery.send('PATCH', `/plants/${id}`, { cents: 390, tags: null }, MERGE);
    expect(reply.status).toBe(200);
    const { name, light, stock } = LAVENDER;
    const changed = { id, name, botanicalName: 'Lavandula', light, cents: 390, stock, added };
    expect(await reply.json()).toEqual(changed);
    expect(await nursery.read(id)).toEqual(changed);
    const named = { ...MERGE, 'If-Match': '"1"' };
    await expectProblem(await nursery.send('PATCH', `/plants/${id}`, { cents: 1 }, named), 412);
    await expectProblem(await nursery.send('PATCH', `/plants/${id}`, { name: null }, MERGE), 400);
    await expectProblem(await nursery.send('PATCH', UNKNOWN, { cents: 1 }, MERGE), 404);
  });

  test('no change is lost when many change a plant at once', async () => {
    const { id } = await nursery.add({ ...LAVENDER, tags: [] });
    const reservations = Array.from({ length: 8 }, () =>
      nursery.send('POST', `/plants/${id}/reservations`, { quantity: 1 }),
    );
    const changed = await nursery.send('PATCH', `/plants/${id}`, { cents: 1 }, MERGE);
    expect((await Promise.all(reservations)).map(({ status }) => status)).toEqual(Array<number>(8).fill(201));
    expect(changed.status).toBe(200);
    expect(await nursery.read(id)).toMatchObject({ cents: 1, stock: LAVENDER.stock - 8 });
  });

  test('a plant is removed with its photo, but not while it is reserved', async () => {
    const { id } = await nursery.add(LAVENDER);
    expect(
      (await nursery.send('PUT', `/plants/${id}/photo`, new Uint8Array(9), { 'Content-Type': 'image/png' })).status,
    ).toBe(204);
    const reserved = await nursery.send('POST', `/plants/${id}/reservations`, { quantity: 1 });
    await expectProblem(await nursery.send('DELETE', `/plants/${id}`), 409);
    expect((await nursery.send('GET', `/plants/${id}/photo`)).status).toBe(200);
    const reservation = new URL(String(reserved.headers.get('Location')), reserved.url).href;
    expect((await nursery.send('DELETE', reservation)).status).toBe(204);
    expect((await nursery.send('DELETE', `/plants/${id}`)).status).toBe(204);
    for (const path of [`/plants/${id}`, `/plants/${id}/photo`, reservation])
      await expectProblem(await nursery.send('GET', path), 404);
    await expectProblem(await nursery.send('DELETE', `/plants/${id}`), 404);
  });
});
