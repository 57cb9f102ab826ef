import { randomBytes } from 'node:crypto';
import { ENGINES, startDatabases, type Databases } from './databases';
import { expectProblem, LAVENDER, startNursery, type RunningNursery } from './start-nursery';

let databases: Databases;

beforeAll(async () => {
  databases = await startDatabases();
});

afterAll(async () => {
  await databases[Symbol.asyncDispose]();
});

describe.each(ENGINES)('photos on %s', (engine) => {
  let nursery: RunningNursery;
  let path: string;

  beforeAll(async () => {
    nursery = await startNursery({ DATABASE_URL: databases.create(engine) });
    path = `/plants/${(await nursery.add(LAVENDER)).id}/photo`;
  });

  afterAll(async () => {
    await nursery[Symbol.asyncDispose]();
  });

  async function expectPhoto(type: string, bytes: Uint8Array): Promise<void> {
    const reply = await nursery.send('GET', path);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('Content-Type')).toBe(type);
    expect(reply.headers.get('Content-Security-Policy')).toBe('sandbox');
    expect(Buffer.compare(await reply.bytes(), bytes)).toBe(0);
  }

  test('a picture comes back byte for byte, from a form and alone', async () => {
    const form = new FormData();
    const first = randomBytes(900_000);
    form.append('photo', new File([first], '../lavender.jpg', { type: 'image/jpeg' }));
    expect((await nursery.send('PUT', path, form)).status).toBe(204);
    await expectPhoto('image/jpeg', first);
    // Every byte, the ends of lines included.
    const second = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256);
    expect((await nursery.send('PUT', path, second, { 'Content-Type': 'image/avif' })).status).toBe(204);
    await expectPhoto('image/avif', second);
  });

  test('what is no picture, is too large or belongs to no plant is refused', async () => {
    const before = await (await nursery.send('GET', path)).bytes();
    const form = new FormData();
    form.append('photo', new File(['<p>'], 'page.html', { type: 'text/html' }));
    await expectProblem(await nursery.send('PUT', path, form), 400);
    await expectProblem(await nursery.send('PUT', path, Buffer.from('x'), { 'Content-Type': 'text/html' }), 415);
    await expectProblem(
      await nursery.send('PUT', path, new Uint8Array(1024 ** 2 + 1), { 'Content-Type': 'image/png' }),
      413,
    );
    const unknown = '/plants/0198c2f4-7a51-7c3e-9d40-5b1f0a6e2c11/photo';
    await expectProblem(await nursery.send('PUT', unknown, Buffer.from('x'), { 'Content-Type': 'image/png' }), 404);
    await expectProblem(await nursery.send('GET', unknown), 404);
    expect(await (await nursery.send('GET', path)).bytes()).toEqual(before);
  });
});
