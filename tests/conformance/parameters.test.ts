import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import { middleware } from 'express-openapi-validator';
import type { Case } from './case';
import { runCase } from './run-case';
import { createSuite } from './suite';

const FILE = 'tests/fixtures/parameters.yaml';

// What that reader lets through, or refuses, as it comes. Numbers are whatever Number() makes one of.
const LENIENT = /, written "(?:\+1|01|1\.|0x1|0b1|Infinity|\s*1\s*|1\\n)"$/;
const HOLES = [
  'one that is not declared, behind 1,100 ampersands',
  'query limit, far beyond, 1e400',
  'query deep, left out',
  'header X-Depth, far beyond, 1e400',
  'cookie flavour, maxLength+1 of ASCII',
  'cookie flavour, maxLength+1 of astral signs',
  'cookie flavour, given twice',
  'one that is not declared, behind 1,100 ampersands',
];

// Of the styles that express-openapi-validator reads as its documentation has it; the kit has to read all of them.
test('another reader of the contract tells right parameters from wrong ones, but for known holes', async () => {
  const app = express();
  app.use(middleware({ apiSpec: FILE, validateSecurity: { handlers: { token: () => true } } }));
  app.use((_req, res) => res.json(['a']));
  const refuse: ErrorRequestHandler = ({ status, message }: { status: number; message: string }, _req, res, next) => {
    if (res.headersSent) next();
    else res.status(status).json({ message });
  };
  app.use(refuse);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const suite = createSuite(readFileSync(FILE, 'utf8'), { bodyLimit: 1024, mark: 'abc' });
  const base = new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  const target = { base, secrets: { token: 'any' }, timeout: 5_000 };
  const cases = suite.cases.filter((one) => one.class === 'parameter');
  const wrong: Case[] = [];
  for (const one of cases) {
    const { replies } = await runCase(suite.oracleFor(target.secrets), target, one);
    const isAccepted = replies.every(({ status }) => status < 400);
    if (isAccepted !== (one.expect === 'accepted')) wrong.push(one);
  }
  server.closeAllConnections();
  server.close();

  expect(wrong.map(({ label }) => label).filter((label) => !LENIENT.test(label))).toEqual(HOLES);
  expect(cases.length).toBeGreaterThan(60);
});
