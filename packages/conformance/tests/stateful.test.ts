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
}

const SHELF = readFileSync('tests/fixtures/shelf.yaml', 'utf8');
const suite = createSuite(SHELF, { bodyLimit: 1024, marker: 'abc', level: 'strict' });

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
  await using server = await listenOnLoopback(createServer(app));
  const target = { base: server.base, secrets: {}, timeout: 60_000 };
  const results: CaseResult[] = [];
  for await (const result of runStateful(suite, target)) results.push(result);
  expect(results.length).toBeGreaterThan(10);
  const scenarios = results.filter(({ case: { class: name } }) => name === 'stateful');
  const texts = scenarios.flatMap(({ case: one, findings }) => findings.map(({ text }) => `${one.operation}: ${text}`));
  return [...new Set(texts)];
}

test('what is kept and shown as it was sent is right', async () => {
  await expect(
    failuresOf(
      (item) => item,
      (item) => item,
    ),
  ).resolves.toEqual([]);
});

test('what is lost, or kept or shown otherwise, is noticed', async () => {
  const lost = failuresOf(
    () => undefined,
    (item) => item,
  );
  await expect(lost).resolves.toEqual([
    'getItem: what was created cannot be read',
    'listItems: what was created is not in the list',
  ]);
  const cut = (item: Item): Item => ({ ...item, name: item.name.slice(0, 2) });
  const trimmed = [
    'getItem: name was "abc-1" and is read as "ab"',
    'getItem: name was "abc-2" and is read as "ab"',
    'getItem: name was "abc-3" and is read as "ab"',
    'listItems: name was "abc-1" and is read as "ab"',
    'listItems: name was "abc-2" and is read as "ab"',
    'listItems: name was "abc-3" and is read as "ab"',
    'getItem: name was "abc-7" and is read as "ab"',
    'listItems: name was "abc-7" and is read as "ab"',
  ];
  await expect(failuresOf(cut, (item) => item)).resolves.toEqual(trimmed);
  await expect(failuresOf((item) => item, cut)).resolves.toEqual(trimmed);
});
