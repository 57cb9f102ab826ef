import { postPlant, startApp } from '@contract-kit/test-support/start-app';

describe('POST /plants', () => {
  test('200 with exactly the plant, and the plant is kept', async () => {
    await using app = await startApp();
    const reply = await postPlant(app.server, '{"id":1,"name":"Rose","tag":"flower"}').expect(200);
    expect(reply.text).toBe('{"name":"Rose","tag":"flower"}');
    expect(reply.headers['content-type']).toBe('application/json');
    expect(Object.keys(reply.headers).sort()).toEqual([
      'connection',
      'content-length',
      'content-type',
      'date',
      'x-content-type-options',
      'x-request-id',
    ]);
    expect(app.rows()).toEqual([{ id: 1n, name: 'Rose', tag: 'flower' }]);
  });

  test('200 for the same plant again, and for another one with its id; nothing is overwritten', async () => {
    await using app = await startApp();
    for (const name of ['Rose', 'Rose', 'Fern']) await postPlant(app.server, `{"id":1,"name":"${name}"}`).expect(200);
    expect(app.rows().map(({ name }) => name)).toEqual(['Rose', 'Fern']);
  });
});
