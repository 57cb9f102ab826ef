import { readFileSync } from 'node:fs';
import { startEov } from '../../../tests/support/start-eov';
import { WRITTEN_LENIENTLY } from './agreement/eov-differences';
import { runCase, createSuite, type Case } from '@contract-kit/conformance';
import { findContent } from '../src/contract/serialization';

const FILE = 'tests/fixtures/parameters.yaml';

// What that reader lets through, or refuses, as it comes.
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
  await using eov = await startEov(
    { apiSpec: FILE, validateSecurity: { handlers: { token: () => true } } },
    (_req, res) => void res.json(['a']),
  );

  const suite = createSuite(readFileSync(FILE, 'utf8'), { bodyLimit: 1024, marker: 'abc', level: 'strict' });
  const target = { base: eov.base, secrets: { token: 'any' }, timeout: 60_000 };
  const cases = suite.cases.filter((one) => one.class === 'parameter');
  const wrong: Case[] = [];
  for (const one of cases) {
    const { replies } = await runCase(suite.oracleFor(target.secrets), target, one);
    // The validator compiles the contract before its first reply, which takes seconds on a busy machine.
    expect(replies).not.toEqual([]);
    const isAccepted = replies.every(({ status }) => status < 400);
    if (isAccepted !== (one.expect === 'accepted')) wrong.push(one);
  }

  expect(wrong.map(({ label }) => label).filter((label) => !WRITTEN_LENIENTLY.test(label))).toEqual(HOLES);
  expect(cases.length).toBeGreaterThan(60);
});

const CONTRACT = `openapi: 3.0.3
info: { title: Notes, version: 1.0.0 }
paths:
  /notes:
    post:
      operationId: keepNote
      requestBody:
        content:
          application/vnd.note+json; version=1: { schema: { type: object, properties: { a: { type: string } } } }
          application/vnd.note+json; version=2: { schema: { type: array, items: { type: string } } }
      responses: { '204': { description: Kept. } }
`;

const { model, cases } = createSuite(CONTRACT, { bodyLimit: 1024, marker: 'mark', level: 'strict' });
const contents = model.operations.flatMap(({ body }) => body?.contents ?? []);

test.each([
  ['application/vnd.note+json; version=2', 1],
  ['Application/Vnd.Note+JSON;charset=utf-8;VERSION=2', 1],
  ['application/vnd.note+json; version=1', 0],
])('%s is the one with the most parameters', (type, index) => {
  expect(findContent(contents, type)).toBe(contents[index]);
});

test('a media type is sent with the parameters that the contract has', () => {
  const right = cases.filter(({ expect: wanted, request }) => wanted === 'accepted' && request.body !== undefined);
  const types = right.flatMap(({ request }) => request.headers.filter(([name]) => name === 'Content-Type'));
  expect(new Set(types.map(([, value]) => value))).toEqual(new Set(contents.map(({ mediaType }) => mediaType)));
});
