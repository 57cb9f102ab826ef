import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import express from 'express';
import { listenOnLoopback } from '../../../tests/support/listen-on-loopback';
import type { CaseResult } from '../src';
import { runStateful } from '../src/stateful/run-stateful';
import { createSuite } from '../src/suite';

interface Item {
  readonly key: string;
  readonly name: string;
  readonly note?: string;
}

type Change = (item: Item) => Item;

const itself: Change = (item) => item;

// The client chooses the key, also of what it replaces.
const SHELF = readFileSync('tests/fixtures/shelf.yaml', 'utf8')
  .replace('security: []', 'security: [{ token: [] }]')
  .replace('components:', '$&\n  securitySchemes: { token: { type: http, scheme: bearer } }')
  .replace("        '201'", "        '400': { description: Wrong. }\n$&")
  .replace('name: { type: string }', '$&, note: { type: string }')
  .replace(
    '    get:\n      operationId: getItem',
    `    put:
      operationId: putItem
      parameters: [{ name: itemKey, in: path, required: true, schema: { type: string } }]
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } } }
      responses: { '200': { description: Replaced. }, '404': { description: None. }, '409': { description: Another. } }
$&`,
  );
const suite = createSuite(SHELF, { bodyLimit: 1024, marker: 'abc', level: 'strict' });

/** What goes wrong with a server that keeps items as `keep` has it, shows them as `show` has it, and replaces by `merge`. */
async function failuresOf({
  keep = itself,
  show = itself,
  merge = (_old, item) => item,
  openMethod,
}: {
  readonly keep?: (item: Item) => Item | undefined;
  readonly show?: Change;
  readonly merge?: (old: Item, item: Item) => Item;
  /** The method that needs no credentials, by mistake. */
  readonly openMethod?: string;
}): Promise<string[]> {
  const items = new Map<string, Item>();
  const app = express().disable('x-powered-by').disable('etag').use(express.json());
  app.set('json spaces', 0);
  app.use((_req, res, next) => {
    // Express adds a charset by itself.
    res.json = (body) => res.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
    next();
  });
  app.use(({ method, headers }, res, next) => {
    if (headers.authorization === 'Bearer right' || method === openMethod) next();
    else res.status(401).end();
  });
  const isItem = ({ key, name, note = '' }: Item): boolean =>
    [key, name, note].every((text) => typeof text === 'string');
  app.post('/items', ({ body }, res) => {
    const item = body as Item;
    if (!isItem(item)) return void res.status(400).end();
    const kept = keep(item);
    if (kept) items.set(item.key, kept);
    res.status(201).json(item);
  });
  app.get('/items', (_req, res) => res.json([...items.values()].map(show)));
  app.get('/items/:key', (req, res) => {
    const item = items.get(req.params.key);
    if (item) res.json(show(item));
    else res.status(404).end();
  });
  app.put('/items/:key', ({ params, body }, res) => {
    const [old, { key, name, note }] = [items.get(params.key), body as Item];
    const isRight = isItem(body as Item);
    if (old && isRight && key === params.key)
      items.set(key, merge(old, { key, name, ...(note !== undefined && { note }) }));
    res.status(!isRight ? 400 : !old ? 404 : key === params.key ? 200 : 409).end();
  });
  await using server = await listenOnLoopback(createServer(app));
  const target = { base: server.base, secrets: { token: 'right' }, timeout: 60_000 };
  const results: CaseResult[] = [];
  for await (const result of runStateful(suite, target)) results.push(result);
  expect(results.length).toBeGreaterThan(10);
  const texts = results.flatMap(({ case: { operation, class: name }, findings }) =>
    findings
      .filter(({ check }) => name === 'stateful' || check === 'unauthorized-accepted')
      .map(({ text }) => `${operation}: ${text.replace(/(?<=resource )\S+ (?!is not the)/, '')}`),
  );
  return [...new Set(texts)];
}

test('what is kept and shown as it was sent is right, also behind a key that its client chose', async () => {
  await expect(failuresOf({})).resolves.toEqual([]);
});

test('an operation that asks nobody for credentials is noticed, though its ids cannot be guessed', async () => {
  await expect(failuresOf({ openMethod: 'PUT' })).resolves.toEqual(['putItem: the status is 200, but should be 401']);
});

test('what is lost, or kept, shown or replaced otherwise, is noticed', async () => {
  await expect(failuresOf({ keep: () => undefined })).resolves.toEqual([
    'getItem: the created resource cannot be read',
    'listItems: the created resource is not in the list',
    'putItem: the created resource is not found when it is changed',
  ]);
  const cut = (item: Item): Item => ({ ...item, name: item.name.slice(0, 2) });
  const trimmed = [
    'getItem: name was sent as "abc-1", but reads as "ab"',
    'listItems: name was sent as "abc-1", but reads as "ab"',
  ];
  await expect(failuresOf({ keep: cut })).resolves.toEqual(expect.arrayContaining(trimmed));
  await expect(failuresOf({ show: cut })).resolves.toEqual(expect.arrayContaining(trimmed));
  await expect(failuresOf({ merge: (old, item) => ({ ...old, ...item }) })).resolves.toEqual([
    'getItem: note has its old value, although the PUT left it out',
    'getItem: note was sent as nothing, but reads as "abc-1"',
    'listItems: note was sent as nothing, but reads as "abc-1"',
  ]);
});
