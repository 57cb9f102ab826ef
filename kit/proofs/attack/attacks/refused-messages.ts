import { startStandIn, type Attack } from '../target';

const SIZE = 900_000;
// What is kept of 500 messages of this size would be more than the heap.
const COUNT = 500;
const HEAP_MB = 200;
// Of code that was compiled meanwhile and of free pages of the heap: 15 to 36 MB were measured.
const MEMORY_MB = 60;
// What is freed goes back to the system at once. Otherwise the C library keeps up to 60 MB of it, by chance.
const ENV = { MALLOC_MMAP_THRESHOLD_: '32768' };
// Node reads at most 16 KB of target and headers, so that there have to be more queries.
const QUERY_SIZE = 15_000;
const QUERIES = 10_000;
const CONNECTIONS = 4;

/** `Item` refers to itself, so that it is not compiled into the schemas that refer to it. */
const CONTRACT = `openapi: 3.1.0
info: { title: Items, version: 1.0.0 }
security: []
paths:
  /bodies:
    post:
      operationId: takeBody
      requestBody:
        required: true
        content:
          application/json: { schema: { $ref: '#/components/schemas/Item' } }
          application/x-www-form-urlencoded: { schema: { $ref: '#/components/schemas/Item' } }
          multipart/form-data: { schema: { $ref: '#/components/schemas/Item' } }
      responses: { '204': { description: Taken. } }
  /queries:
    post:
      operationId: takeQuery
      parameters:
        - { name: item, in: query, content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } } }
      responses: { '204': { description: Taken. } }
  /replies:
    post:
      operationId: echoBody
      requestBody: { required: true, content: { application/json: { schema: { type: object } } } }
      responses:
        '200': { description: An item., content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } } }
  /garbage: { post: { operationId: collectGarbage, responses: { '204': { description: Collected. } } } }
components:
  schemas:
    Item:
      type: object
      required: [id]
      properties:
        id: { type: integer }
        text: { type: string }
        items: { type: array, items: { $ref: '#/components/schemas/Item' } }
`;

const text = 'x'.repeat(SIZE);
const item = JSON.stringify({ text });
const query = encodeURIComponent(JSON.stringify({ text: 'x'.repeat(QUERY_SIZE) }));
const parts = new FormData();
// The schema of a form is written out: what is referred to is an item, a part that is JSON.
parts.set('id', '1');
parts.set('items', item);
const json = { headers: { 'Content-Type': 'application/json' }, body: item };

const KINDS: readonly (readonly [name: string, path: string, request: RequestInit, status: number, count: number])[] = [
  ['JSON bodies', '/bodies', json, 400, COUNT],
  ['forms', '/bodies', { body: new URLSearchParams({ text }) }, 400, COUNT],
  ['multipart bodies', '/bodies', { body: parts }, 400, COUNT],
  ['queries', `/queries?item=${query}`, {}, 400, QUERIES],
  ['replies', '/replies', json, 500, COUNT],
];

/** Messages without the `id` that the contract requires, of which nothing may be kept. */
export const refusedMessages: readonly Attack[] = KINDS.map(([name, path, request, status, count]) => ({
  name: `${String(count)} refused ${name}`,
  async run() {
    const nodeArgs = [`--max-old-space-size=${String(HEAP_MB)}`, '--expose-gc'];
    using target = await startStandIn(CONTRACT, nodeArgs, ENV);
    const send = async (to: string, init: RequestInit = {}): Promise<number> => {
      const reply = await fetch(target.url + to, { method: 'POST', ...init });
      await reply.arrayBuffer();
      return reply.status;
    };
    const collect = async (): Promise<number> => {
      await send('/garbage');
      return target.memory();
    };
    await send(path, request);
    const before = await collect();
    let sent = 0;
    let refused = 0;
    const sendMany = async (): Promise<void> => {
      // 503: it is overloaded, as a busy machine makes it.
      while (sent++ < count) if ([status, 503].includes(await send(path, request))) refused++;
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, sendMany));
    return [
      { what: 'not refused', value: count - refused, atMost: 0, unit: name },
      { what: 'memory', value: (await collect()) - before, atMost: MEMORY_MB, unit: 'MB' },
    ];
  },
}));
