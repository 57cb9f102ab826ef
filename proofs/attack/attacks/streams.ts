import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { secondsSince, startStandIn, type Attack, type Figure, type Target } from '../target';

const ITEMS = 2_000_000;
const JSON_DATA =
  'properties: { data: { type: string, contentMediaType: application/json, contentSchema: { type: integer } } }';
const STREAMS = `openapi: 3.2.0
info: { title: Streams, version: 1.0.0 }
security: []
paths:
  /lines: { get: { operationId: countLines, responses: { '200': { description: Lines., content: { application/jsonl: { itemSchema: { type: integer } } } } } } }
  /events: { get: { operationId: dispatchEvents, responses: { '200': { description: Events., content: { text/event-stream: { itemSchema: { type: object, ${JSON_DATA} } } } } } } }
`;
/** How many line feeds an item has. */
const LINES = { lines: 1, events: 2 };

async function open({ url }: Target, path: string): Promise<IncomingMessage> {
  const [reply] = (await once(get(`${url}/${path}`, { agent: false }), 'response')) as [IncomingMessage];
  return reply;
}

/** Reads on to the end, or to so many lines, and counts them. */
async function countLines(reply: IncomingMessage, atMost = Infinity): Promise<number> {
  let lines = 0;
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    for (const byte of chunk) if (byte === 0x0a) lines++;
    if (lines >= atMost) break;
  }
  return lines;
}

/** Waits until the service is idle, since it makes no more items. Returns the seconds. */
async function untilIdle(target: Target): Promise<number> {
  const start = performance.now();
  for (let before = -1; target.cpu() - before > 0.05 && secondsSince(start) < 60;) {
    before = target.cpu();
    await sleep(1_000);
  }
  return secondsSince(start);
}

const unread = (path: keyof typeof LINES): Attack => ({
  name: `two million items in ${path} to a client that does not read`,
  async run() {
    using target = await startStandIn(STREAMS, [], { ITEMS: String(ITEMS) });
    // What runs for the first time is compiled.
    await countLines(await open(target, path), ITEMS / 10);
    const before = target.memory();
    const reply = await open(target, path);
    const stopped: Figure = { what: 'stopped after', value: await untilIdle(target), atMost: 30, unit: 's' };
    const lost = ITEMS - (await countLines(reply)) / LINES[path];
    return [
      stopped,
      { what: 'memory', value: target.peakMemory() - before, atMost: 20, unit: 'MB' },
      { what: 'lost when it read on', value: lost, atMost: 0, unit: 'items' },
    ];
  },
});

export const streams: readonly Attack[] = [unread('lines'), unread('events')];
