import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

test('npm run dev follows src/ and openapi.yaml, and keeps the last good server', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dev-'));
  for (const name of ['openapi.yaml', 'generated', 'scripts', 'src', 'tsconfig.json', 'package.json']) {
    cpSync(name, join(folder, name), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const dev = spawn(process.execPath, [resolve('node_modules/ts-node/dist/bin.js'), 'scripts/dev.ts'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: '0', API_TOKENS: 'one' },
  });
  let output = '';
  for (const stream of [dev.stdout, dev.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  async function waitFor(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(output);
      if (found) {
        output = output.slice(found.index + found[0].length);
        return String(found[1]);
      }
      if (dev.exitCode !== null) throw new Error(`it ended: ${output}`);
      await new Promise((resume) => setTimeout(resume, 10));
    }
  }
  async function create(url: string): Promise<string> {
    const headers = { Authorization: 'Bearer one', 'Content-Type': 'application/json' };
    const reply = await fetch(`${url}/plants`, { method: 'POST', headers, body: '{"id":1,"name":"Rose"}' });
    return reply.text();
  }
  function edit(name: string, change: (text: string) => string): void {
    writeFileSync(join(folder, name), change(readFileSync(join(folder, name), 'utf8')));
  }
  const listening = /"url":"([^"]+)".*"msg":"listening"/;
  const handler = 'src/handlers/create-plant.ts';

  try {
    const first = await waitFor(listening);
    await expect(create(first)).resolves.toBe('{"name":"Rose"}');

    edit(handler, (text) => text.replace('reply(200, plant)', 'reply(201, plant)'));
    await waitFor(/(Argument of type '201' is not assignable)[^]*the last good server goes on/);
    await expect(create(first)).resolves.toBe('{"name":"Rose"}');

    edit(handler, (text) => text.replace('reply(201, plant)', `reply(200, { ...plant, tag: 'new' })`));
    await expect(create(await waitFor(listening))).resolves.toBe('{"name":"Rose","tag":"new"}');

    edit('openapi.yaml', (text) => text.replace('operationId: createPlant', 'operationId: addPlant'));
    await waitFor(/wrote generated[^]*(createPlant)[^]*the last good server goes on/);

    edit('openapi.yaml', (text) => `${text}\n  - [`);
    await waitFor(/dev: openapi\.yaml:(\d+):\d+ [^\n]*\ndev: the last good server goes on/);

    // Saved as many editors do, with another file in its place.
    const saved = join(folder, 'saved');
    writeFileSync(
      saved,
      readFileSync('openapi.yaml', 'utf8').replace('pattern:', "pattern: '['\n          x-pattern:"),
    );
    renameSync(saved, join(folder, 'openapi.yaml'));
    await waitFor(/(Invalid regular expression)[^]*it would not start\ndev: the last good server goes on/);

    edit('openapi.yaml', () =>
      readFileSync('openapi.yaml', 'utf8').replace('operationId', 'x-note: 1\n      operationId'),
    );
    await expect(create(await waitFor(listening))).resolves.toBe('{"name":"Rose","tag":"new"}');
  } finally {
    dev.kill('SIGTERM');
    await once(dev, 'close');
    rmSync(folder, { recursive: true });
  }
});
