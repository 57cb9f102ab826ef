import { existsSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { until } from '../../../tests/support/until';
import { startDev } from './start-dev';

// What clients see while `npm run dev` puts another server in the place of the one that runs.

const HANDLER = 'src/handlers/create-plant.ts';
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

test('clients have replies all the time, on new connections and on kept ones', async () => {
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

test('a request under way has its reply from the server that began it, while the next one serves', async () => {
  await using dev = await startDev();
  const url = await dev.url();
  const agent = new Agent();
  dev.save(HANDLER, () => WAITING);
  await dev.swapped();
  const slow = post(url, agent);
  await until(() => existsSync(join(dev.folder, 'begun')));
  dev.save(HANDLER, () => WAITING.replace(/ {2}while.*\n/, '').replace('old', 'new'));
  await dev.waitFor(/dev: swapped in (\d)/);
  await dev.waitFor(/"msg":"(stopping)"/);
  await expect(post(url, agent)).resolves.toBe('200 {"name":"new"}');
  writeFileSync(join(dev.folder, 'go'), '');
  await expect(slow).resolves.toBe('200 {"name":"old"}');
  await dev.waitFor(/"msg":"(stopped)"/);
});
