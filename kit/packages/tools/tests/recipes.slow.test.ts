import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import express from 'express';
import { load } from 'js-yaml';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { run } from '@contract-kit/test-support/run-as-others';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { readPage } from '@contract-kit/test-support/walk-page';
import { makeTypedProject } from './make-project';

const folder = useFolder();
const blocks = readPage('docs/recipes.md');
const parts = blocks
  .filter(({ language }) => language === 'yaml')
  .map(({ text }) => load(text) as { components?: { schemas: object } });
const NOTE_PATHS = `
/notes/{id}:
  get:
    operationId: readNote
    parameters:
      - { name: id, in: path, required: true, schema: { type: integer, format: int64 } }
      - { name: If-None-Match, in: header, schema: { type: string } }
    responses:
      '200': { description: The note., headers: &etag { ETag: { required: true, schema: { type: string } } },
        content: { text/plain: { schema: { type: string } } } }
      '304': { description: Unchanged., headers: *etag }
      '404': { description: Unknown. }
`;
const contract = {
  ...{ openapi: '3.1.0', info: { title: 'Notes', version: '1.0.0' }, security: [] },
  paths: load(NOTE_PATHS),
  components: { schemas: Object.assign({}, ...parts.map(({ components }) => components?.schemas)) as object },
};
const NAMES = ['handlers/etag', 'webhook'];
const code = blocks.filter(({ language }) => language === 'ts').map(({ text }) => text);
const sources = NAMES.map((name, index) => [`src/${name}.ts`, String(code[index])] as const);

test('the code of the recipes compiles with the types of their contracts', async () => {
  mkdirSync(join(folder, 'src/handlers'), { recursive: true });
  const { mistakesOf } = await makeTypedProject(folder, JSON.stringify(contract), sources);
  expect(sources.map(([name]) => [name, mistakesOf(name)])).toEqual(sources.map(([name]) => [name, []]));
});

test('the recipe sends a webhook exactly, and fails unless its receiver takes it', async () => {
  const received: unknown[] = [];
  const app = express().use(express.text({ type: () => true }), ({ method, headers, body }, res) => {
    received.push([method, headers['content-type'], body]);
    res.sendStatus(received.length === 1 ? 204 : 500);
  });
  await using receiver = await listenOnLoopback(createServer(app));
  const script = `import { sendNoteAdded } from './src/webhook.ts';
await sendNoteAdded('${receiver.base.href}', { id: 9007199254740993n }, new AbortController().signal);`;
  const send = () => run(folder, process.execPath, '--input-type=module', '-e', script);
  expect(await send()).toMatchObject({ status: 0 });
  expect(received).toEqual([['POST', 'application/json', '{"id":9007199254740993}']]);
  const output = expect.stringContaining('the receiver replied 500') as string;
  expect(await send()).toMatchObject({ status: 1, output });
});
