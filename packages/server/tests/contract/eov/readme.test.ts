import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { toMessageDocument } from '../../../src/validate/eov/eov';
import { loadText } from '../../../../../tests/support/load-text';

const FOLDER = 'packages/server/src/validate/eov';
const README = readFileSync(join(FOLDER, 'README.md'), 'utf8');

test('the README of this folder has at most 45 lines', () => {
  expect(README.split('\n').length).toBeLessThanOrEqual(45);
});

test('the document that it links is what is made of the contract that it links', () => {
  const [contract = '', shown = ''] = [...README.matchAll(/\]\((\S+\.yaml)\)/g)].map(([, file]) =>
    readFileSync(join(FOLDER, String(file)), 'utf8'),
  );
  const { document, operations } = loadText(contract);
  const requests = operations.flatMap(({ messageWithoutBody, body }) => [
    ...(messageWithoutBody ? [messageWithoutBody] : []),
    ...(body?.media.values() ?? []),
  ]);
  const replies = operations.flatMap((one) => [...one.replies.values()].map(({ defaultMessage }) => defaultMessage));
  expect(load(shown)).toEqual(toMessageDocument(document, [...requests, ...replies]).document);
});

test('each item of its list is a test of what EOV does, and the other way round', () => {
  const items = [...README.matchAll(/^- (.*?):\s+`([\w./-]+\.ts)`$/gm)].map(([, name, file]) => [name, file]);
  const tests = readFileSync('packages/server/tests/contract/eov/behaviour.slow.test.ts', 'utf8');
  const titles = [...tests.matchAll(/^ {2}test\('(.*)', async/gm)].map(([, title]) => title);
  expect(items.map(([name]) => name).sort()).toEqual(titles.sort());
  expect(items.filter(([, file]) => !existsSync(join(FOLDER, String(file))))).toEqual([]);
});
