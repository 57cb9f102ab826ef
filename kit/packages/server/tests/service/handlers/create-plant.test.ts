import { postPlant, startApp, type RunningApp } from '@contract-kit/test-support/start-app';

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

  test('200 without a tag when none was sent', async () => {
    await using app = await startApp();
    await postPlant(app.server, '{"id":2,"name":"Fern"}').expect(200, '{"name":"Fern"}');
    expect(app.rows()).toEqual([{ id: 2n, name: 'Fern', tag: null }]);
  });

  test('200 with properties that the contract does not list, which are neither kept nor returned', async () => {
    await using app = await startApp();
    const body = '{"id":5,"name":"Ivy","colour":"green","__proto__":{"tag":"x"},"constructor":1}';
    await postPlant(app.server, body).expect(200, '{"name":"Ivy"}');
    expect(app.rows()).toEqual([{ id: 5n, name: 'Ivy', tag: null }]);
  });

  test('the last of two equal names counts', async () => {
    await using app = await startApp();
    await postPlant(app.server, '{"id":9007199254740993,"id":6,"name":"a","name":"b"}').expect(200, '{"name":"b"}');
    expect(app.rows()).toEqual([{ id: 6n, name: 'b', tag: null }]);
  });

  test('text is kept as it was sent', async () => {
    await using app = await startApp();
    const texts = [
      '',
      '  spaces around  ',
      'composed \u00e9',
      'decomposed e\u0301',
      'beyond the basic plane \u{1f335}',
      'right to left and controls \u202e\u0001\u007f\u2028\ufeff',
      `SQL '); DROP TABLE plants; --`,
      'x'.repeat(1024 ** 2 - 100),
    ];
    for (const name of texts) {
      const reply = await postPlant(app.server, JSON.stringify({ id: 7, name })).expect(200);
      expect(JSON.parse(reply.text)).toEqual({ name });
    }
    expect(app.rows()).toEqual(texts.map((name) => ({ id: 7n, name, tag: null })));
  });

  test('an id is kept digit for digit', async () => {
    await using app = await startApp();
    const tokens = ['9223372036854775807', '-9223372036854775808', '9007199254740993', '-0', '1e3'];
    for (const token of tokens) await postPlant(app.server, `{"id":${token},"name":"a"}`).expect(200);
    expect(app.rows().map(({ id }) => id)).toEqual([2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 0n, 1000n]);
  });
});

describe('POST /plants keeps nothing of what it refuses', () => {
  let app: RunningApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app[Symbol.asyncDispose]());

  test.each([
    ['U+0000', '\\u0000', 40009],
    ['a high surrogate alone', '\\ud800', 40008],
    ['a low surrogate alone', 'a\\udfffb', 40008],
    ['surrogates in the wrong order', '\\udc00\\ud800', 40008],
  ])('400 for text that no database keeps: %s', async (_, escaped, error) => {
    for (const body of [`{"id":8,"name":"${escaped}"}`, `{"id":8,"name":"a","tag":"${escaped}"}`]) {
      const reply = await postPlant(app.server, body).expect(400);
      expect(reply.body).toMatchObject({ error });
    }
    expect(app.rows()).toEqual([]);
  });

  test('400 for an unpaired surrogate that is not stored either, in a name or a property', async () => {
    for (const member of ['"\\ud800":1', '"other":["\\udfff"]']) {
      const reply = await postPlant(app.server, `{"id":8,"name":"a",${member}}`).expect(400);
      const message = 'request/body must be Unicode text, without unpaired surrogates';
      expect(reply.body).toEqual({ error: 40008, message });
    }
    expect(app.rows()).toEqual([]);
  });

  test.each([
    ['no id', '{"name":"a"}'],
    ['no name', '{"id":1}'],
    ['id null', '{"id":null,"name":"a"}'],
    ['id a string', '{"id":"1","name":"a"}'],
    ['id a boolean', '{"id":true,"name":"a"}'],
    ['name null', '{"id":1,"name":null}'],
    ['name a number', '{"id":1,"name":2}'],
    ['tag null', '{"id":1,"name":"a","tag":null}'],
    ['tag a list', '{"id":1,"name":"a","tag":[]}'],
    ['null', 'null'],
    ['a list', '[{"id":1,"name":"a"}]'],
    ['a string', '"plant"'],
    ['a number', '1'],
    ['what a plant inherits', '{"__proto__":{"id":1,"name":"a"}}'],
  ])('400: %s', async (_, body) => {
    const reply = await postPlant(app.server, body).expect(400);
    expect(reply.body).toMatchObject({ error: 40009 });
    expect(app.rows()).toEqual([]);
  });
});
