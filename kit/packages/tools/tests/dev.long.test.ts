import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { fetchPatiently } from '@contract-kit/test-support/start-process';
import { until } from '@contract-kit/test-support/until';
import { startDev } from './start-dev';

const HANDLER = 'src/handlers/create-plant.ts';
const TABLE = 'src/handlers/index.ts';
// That of the copied project.
const CONTRACT = readFileSync('packages/test-support/plants/openapi.yaml', 'utf8');
const LIST = `    get:
      operationId: listPlants
      summary: List plants
      responses:
        '204': { description: There are some. }
        '400': { $ref: '#/components/responses/BadRequest' }
        '401': { $ref: '#/components/responses/Unauthorized' }
        '500': { $ref: '#/components/responses/InternalServerError' }
        '503': { $ref: '#/components/responses/ServiceUnavailable' }
`;

async function ask(url: string, method: 'GET' | 'POST'): Promise<string> {
  const headers = { Authorization: 'Bearer a-token-for-the-tests', 'Content-Type': 'application/json' };
  const body = method === 'POST' ? '{"id":1,"name":"Rose"}' : null;
  return (await fetchPatiently(`${url}/plants`, { method, headers, body })).text();
}

test('dev serves saved changes, and after an error the previous server keeps running', async () => {
  await using dev = await startDev();
  const url = await dev.url();
  await expect(ask(url, 'POST')).resolves.toBe('{"name":"Rose"}');
  const table = readFileSync(join(dev.folder, TABLE), 'utf8');

  dev.save(HANDLER, (text) => text.replace('reply(200, plant)', 'reply(201, plant)'));
  await dev.waitFor(
    /^src\/handlers\/create-plant\.ts:\d+:\d+: error: (Argument of type '201' is not assignable)[^]*\^[^]*\ndev: the previous server keeps running\n/m,
  );
  await expect(ask(url, 'POST')).resolves.toBe('{"name":"Rose"}');

  dev.save(HANDLER, (text) => text.replace('reply(201, plant)', `reply(200, { ...plant, tag: 'new' })`));
  await expect(dev.waitFor(/^dev: (mended); restarted in \d+\.\d s$/m)).resolves.toBe('mended');
  await dev.waitFor(/"msg":"(stopped)"/);
  await expect(ask(url, 'POST')).resolves.toBe('{"name":"Rose","tag":"new"}');

  dev.save('openapi.yaml', (text) => text.replace('operationId: createPlant', 'operationId: addPlant'));
  await dev.waitFor(
    /wrote [^]* in generated\/\n[^]*wrote src\/handlers\/add-plant\.ts[^]*(createPlant)[^]*the previous server keeps running\n/,
  );

  dev.save('openapi.yaml', (text) => `${text}\n  - [`);
  await dev.waitFor(
    /^openapi\.yaml:(\d+):\d+: error: [^\n]*\n[^\n]*\n +\| +\^\ndev: the previous server keeps running\n/m,
  );

  // Saved as some editors do, in place.
  writeFileSync(join(dev.folder, 'openapi.yaml'), CONTRACT.replace('pattern:', "pattern: '['\n          x-pattern:"));
  await dev.waitFor(/(add-plant\.ts):\d+:\d+: error: [^]*the previous server keeps running\n/);
  renameSync(join(dev.folder, 'src/handlers/add-plant.ts'), join(dev.folder, 'saved'));
  await dev.waitFor(/(Invalid regular expression)[^]*\ndev: the previous server keeps running\n/);
  await expect(ask(url, 'POST')).resolves.toBe('{"name":"Rose","tag":"new"}');

  writeFileSync(join(dev.folder, TABLE), table);
  dev.save('openapi.yaml', () => CONTRACT);
  await dev.swapped();
  await expect(ask(url, 'POST')).resolves.toBe('{"name":"Rose","tag":"new"}');

  dev.save('src/notes.txt', () => 'a file that is no code');
  await dev.swapped();
});

test('a new operation gets a handler and is served, and a missing import is resolved when it appears', async () => {
  await using dev = await startDev();
  const url = await dev.url();

  dev.save('openapi.yaml', (text) => text.replace('  /plants:\n', `  /plants:\n${LIST}`));
  await dev.waitFor(
    /dev: wrote src\/handlers\/(list-plants\.ts), [^]*\ndev: added listPlants to src\/handlers\/index\.ts\n/,
  );
  await dev.swapped();
  // A sample of its 204.
  await expect(ask(url, 'GET')).resolves.toBe('');
  await expect(fetch(`${url}/openapi.yaml`).then((reply) => reply.text())).resolves.toContain('listPlants');

  const list = `import type { Handler } from '../../generated/handlers';
import { NAME } from './names/name';
export const listPlants: Handler<'listPlants'> = (_, reply) => { console.log(NAME); return reply(204); };
`;
  dev.save('src/handlers/list-plants.ts', () => list);
  await dev.waitFor(/^src\/handlers\/list-plants\.ts:2:\d+: error: Cannot find module '(.*)'[^]*keeps running\n/m);
  dev.save('src/handlers/names/name.ts', () => `export const NAME = 'a name';\n`);
  await dev.swapped();
  await expect(ask(url, 'GET')).resolves.toBe('');
  await dev.waitFor(/(a name)\n/);
});

test('changes saved during a run are not lost, and a server that exited starts again after the next save', async () => {
  await using dev = await startDev();
  const url = await dev.url();
  const handler = readFileSync(join(dev.folder, HANDLER), 'utf8');
  for (const [index, pause] of [150, 400, 30, 700].entries()) {
    const text = handler.replace(/reply\(200, .*\);/, `reply(200, { ...plant, name: '${String(index)}' });`);
    writeFileSync(join(dev.folder, HANDLER), text);
    await new Promise((resume) => setTimeout(resume, pause));
  }
  let name = '';
  while (name !== '{"name":"3"}') {
    await dev.swapped();
    name = await ask(url, 'POST');
  }
  expect(name).toBe('{"name":"3"}');

  // A save may be seen in two parts, each with a server of its own; the last one ends when it is asked.
  dev.save(HANDLER, (text) =>
    text.replace(/reply\(200, .*\);/, `reply(200, plant.name === '' ? plant : process.exit(3));`),
  );
  await dev.swapped();
  await until(async () => {
    await ask(url, 'POST').catch(() => undefined);
    return dev.rest().includes('exited with 3');
  });
  await dev.waitFor(/dev: the server exited with (3); save a file to start it again\n/);
  dev.save(HANDLER, (text) => text);
  await dev.waitFor(/dev: started in (\d)/);
});

// Prettier loads it when the first handler is written: after the contract was read, and before the code is compiled.
const SAVES_AGAIN = `require('node:fs').renameSync('next.yaml', 'openapi.yaml');\nmodule.exports = {};\n`;

// Fits the second contract only.
const STATUS = `import type { operations } from '../generated/api';
export const STATUS: keyof operations['listPlants']['responses'] = 202;
`;

test('a contract that is saved while types are generated from the previous one is served', async () => {
  const prepare = (folder: string): void => {
    writeFileSync(join(folder, 'src/handlers/.prettierrc.cjs'), SAVES_AGAIN);
  };
  await using dev = await startDev({ prepare });
  const url = await dev.url();
  const first = CONTRACT.replace('  /plants:\n', `  /plants:\n${LIST}`);
  const next = first.replace("'204': { description: There are some. }", "'202': { description: There will be some. }");
  writeFileSync(join(dev.folder, 'next.yaml'), next);
  dev.save('src/status.ts', () => STATUS);
  await dev.waitFor(/(listPlants)[^]*the previous server keeps running\n/);
  dev.save('openapi.yaml', () => first);
  await dev.swapped();
  await expect(fetch(`${url}/openapi.yaml`).then((reply) => reply.text())).resolves.toBe(next);
});

// What clients see while another server takes the place of the one that runs.

const SWAPS = 4;

/** The status and the body of a reply. */
function post(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: 'Bearer a-token-for-the-tests', 'Content-Type': 'application/json' };
    const sent = request(`${url}/plants`, { method: 'POST', agent, headers }, (reply) => {
      let text = String(reply.statusCode);
      reply.setEncoding('utf8').on('data', (more: string) => (text += ` ${more}`));
      reply.on('error', reject).on('end', () => {
        // A server on a busy machine may say so.
        resolve(reply.statusCode === 503 ? post(url, agent) : text);
      });
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // RFC 9112 section 9.3.1: a connection that was idle may be closed just as it is used again.
      if (sent.reusedSocket && error.code === 'ECONNRESET') resolve(post(url, agent));
      else reject(error);
    });
    sent.end('{"id":1,"name":"Rose"}');
  });
}

test('clients get responses at all times, on new connections and on kept ones', async () => {
  await using dev = await startDev();
  const url = await dev.url();
  const counts = new Map<string, number>();
  let isOver = false;
  async function ask(agent: Agent): Promise<void> {
    while (!isOver) {
      const outcome = await post(url, agent).catch(String);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    }
    agent.destroy();
  }
  const clients = [false, true, false, true].map((keepAlive) => ask(new Agent({ keepAlive, maxSockets: 1 })));
  const expected = ['200 {"name":"Rose"}'];
  for (let swap = 0; swap < SWAPS; swap++) {
    const reply = `{"name":"${String(swap)}"}`;
    expected.push(`200 ${reply}`);
    dev.save(HANDLER, (text) => text.replace(/reply\(200, .*\)/, `reply(200, ${reply})`));
    await dev.swapped();
    await until(() => counts.has(`200 ${reply}`));
  }
  isOver = true;
  await Promise.all(clients);
  expect([...counts.keys()].sort()).toEqual(expected.sort());
});

const WAITING = `import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Handler } from '../../generated/handlers';

export const createPlant: Handler<'createPlant'> = async (_, reply) => {
  writeFileSync('begun', '');
  while (!existsSync('go')) await setTimeout(5);
  return reply(200, { name: 'old' });
};
`;

test('a request in flight gets its response from the old server while the new one serves', async () => {
  await using dev = await startDev();
  const url = await dev.url();
  const agent = new Agent();
  dev.save(HANDLER, () => WAITING);
  await dev.swapped();
  const slow = post(url, agent);
  await until(() => existsSync(join(dev.folder, 'begun')));
  dev.save(HANDLER, () => WAITING.replace(/ {2}while.*\n/, '').replace('old', 'new'));
  await dev.waitFor(/dev: restarted in (\d)/);
  await dev.waitFor(/"msg":"(stopping)"/);
  await expect(post(url, agent)).resolves.toBe('200 {"name":"new"}');
  writeFileSync(join(dev.folder, 'go'), '');
  await expect(slow).resolves.toBe('200 {"name":"old"}');
  await dev.waitFor(/"msg":"(stopped)"/);
});
