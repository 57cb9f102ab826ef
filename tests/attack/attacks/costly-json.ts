import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, Figure } from '../attack';
import { PLANT, startTarget, TOKEN } from '../target';

const LIMIT = 4 * 1024 ** 2;
const WRAPPER = '{"id":9007199254740993,"name":"x","z":[]}';

const KINDS: Readonly<Record<string, () => string>> = {
  numbers: () => wrap(repeat(() => '1.5,')),
  brackets: () => wrap('['.repeat(LIMIT / 2 - WRAPPER.length) + ']'.repeat(LIMIT / 2 - WRAPPER.length) + ','),
  'distinct keys': () => PLANT.replace('}', `${repeat((index) => `,"k${index.toString(36)}":1`)}}`),
};

/** One body of the largest size, of what takes JSON.parse the longest. With one token. */
export const costlyJson: readonly Attack[] = Object.entries(KINDS).map(([kind, toText]) => ({
  name: `a body of ${kind} at the largest BODY_LIMIT`,
  run: () => sendBody(toText()),
}));

async function sendBody(body: string): Promise<readonly Figure[]> {
  // As in a container of 512 MB.
  using target = await startTarget({ BODY_LIMIT: `${String(LIMIT)}b` }, ['--max-old-space-size=256']);
  await target.postPlant();
  const [memory, cpu] = [target.memory(), target.cpu()];
  const posted = fetch(`${target.url}/plants`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json', Connection: 'close' },
    body,
  }).then(
    ({ status }) => status === 200,
    () => false,
  );
  const waits: number[] = [];
  let isAnswered: boolean | undefined;
  // Which of them comes while the body is read is not known.
  while (isAnswered === undefined) {
    waits.push(await target.postPlant());
    isAnswered = await Promise.race([posted, sleep(0, undefined)]);
  }
  return [
    { what: 'not answered', value: isAnswered ? 0 : 1, atMost: 0, unit: 'bodies' },
    { what: 'longest of other requests', value: Math.max(...waits), atMost: 2, unit: 's' },
    { what: 'processor', value: target.cpu() - cpu, atMost: 2, unit: 's' },
    { what: 'memory', value: target.peakMemory() - memory, atMost: 300, unit: 'MB' },
    { what: 'process ended', value: target.process.child.exitCode === null ? 0 : 1, atMost: 0, unit: 'times' },
  ];
}

function wrap(items: string): string {
  return WRAPPER.replace('[]', `[${items}1]`);
}

function repeat(toText: (index: number) => string): string {
  const parts: string[] = [];
  for (let size = 0, index = 0; size < LIMIT - 2 * WRAPPER.length; index++) {
    const part = toText(index);
    parts.push(part);
    size += part.length;
  }
  return parts.join('');
}
