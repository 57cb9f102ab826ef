import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { readModel } from '../src/contract/model';
import { findJourneys } from '../src/stateful/journeys';
import { runJourney } from '../src/stateful/run-journey';
import { createSuite } from '../src/suite';

interface Item {
  readonly key: string;
  readonly name: string;
}

const SHELF = readFileSync('tests/fixtures/shelf.yaml', 'utf8');
const suite = createSuite(SHELF, { bodyLimit: 1024, mark: 'abc', level: 'strict' });

/** What goes wrong on the way through a server that keeps items as `keep` has it, and shows them as `show` has it. */
async function failuresOf(keep: (item: Item) => Item | undefined, show: (item: Item) => Item): Promise<string[]> {
  const items = new Map<string, Item>();
  const app = express().disable('x-powered-by').disable('etag').use(express.json());
  app.set('json spaces', 0);
  app.use((_req, res, next) => {
    // Express adds a charset by itself.
    res.json = (body) => res.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
    next();
  });
  app.post('/items', (req, res) => {
    const item = req.body as Item;
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
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  const target = { base, secrets: {}, timeout: 5_000 };
  const tools = { oracle: suite.oracleFor({}), values: suite.values, target };
  const results = await Promise.all(findJourneys(suite.model).map((journey) => runJourney(tools, journey)));
  server.close();
  return results.flat().flatMap(({ case: one, findings }) => findings.map(({ text }) => `${one.operation}: ${text}`));
}

test('a create, and what reads what it created, are found', () => {
  const [journey, ...others] = findJourneys(suite.model);
  expect(others).toEqual([]);
  expect(journey).toMatchObject({
    create: { id: 'createItem' },
    read: { operation: { id: 'getItem' }, property: 'key' },
    list: { id: 'listItems' },
  });
});

test('a list that can be asked for a part is not one of all', () => {
  const pages = SHELF.replace(
    '      operationId: listItems\n',
    '      operationId: listItems\n      parameters: [{ name: limit, in: query, schema: { type: integer } }]\n',
  );
  const [journey] = findJourneys(readModel(pages));
  expect(journey).toMatchObject({ read: { operation: { id: 'getItem' } } });
  expect(journey).not.toHaveProperty('list');
});

test('what is kept and shown as it was sent is right', async () => {
  await expect(
    failuresOf(
      (item) => item,
      (item) => item,
    ),
  ).resolves.toEqual([]);
});

test('what is lost, or kept or shown otherwise, is noticed', async () => {
  await expect(
    failuresOf(
      () => undefined,
      (item) => item,
    ),
  ).resolves.toEqual(['getItem: what was created cannot be read', 'listItems: what was created is not in the list']);
  const trimmed = ['getItem: name was abc and is read as ab', 'listItems: what was created is not in the list'];
  const cut = (item: Item): Item => ({ ...item, name: item.name.slice(0, 2) });
  await expect(failuresOf(cut, (item) => item)).resolves.toEqual(trimmed);
  await expect(failuresOf((item) => item, cut)).resolves.toEqual(trimmed);
});
