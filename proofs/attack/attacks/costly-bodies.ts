import { setTimeout as sleep } from 'node:timers/promises';
import { PLANT, post, startStandIn, startTarget, type Attack, type Figure } from '../target';

const LARGEST = 4 * 1024 ** 2;
const WRAPPER = '{"id":9007199254740993,"name":"x","z":[]}';

const TEXTS: Readonly<Record<string, () => string>> = {
  numbers: () => wrap(fill(() => '1.5,')),
  brackets: () => wrap('['.repeat(LARGEST / 2 - WRAPPER.length) + ']'.repeat(LARGEST / 2 - WRAPPER.length) + ','),
  'distinct keys': () => PLANT.replace('}', `${fill((index) => `,"k${index.toString(36)}":1`)}}`),
};

/** One body of the largest size, of what takes JSON.parse the longest. With one token. */
const jsonAttacks: readonly Attack[] = Object.entries(TEXTS).map(([kind, toText]) => ({
  name: `a body of ${kind} at the largest BODY_LIMIT`,
  run: () => sendBody(toText()),
}));

async function sendBody(body: string): Promise<readonly Figure[]> {
  // As in a container of 512 MB.
  using target = await startTarget({ BODY_LIMIT: `${String(LARGEST)}b` }, ['--max-old-space-size=256']);
  await target.postPlant();
  const [memory, cpu] = [target.memory(), target.cpu()];
  const posted = post(target.url, { Connection: 'close' }, body).then(
    (status) => status === 200,
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

function fill(toText: (index: number) => string): string {
  const parts: string[] = [];
  for (let size = 0, index = 0; size < LARGEST - 2 * WRAPPER.length; index++) {
    const part = toText(index);
    parts.push(part);
    size += part.length;
  }
  return parts.join('');
}

const LIMIT = 1024 ** 2;

// A filter tree with and without a discriminator, and lists of different items.
const SCHEMAS = `openapi: 3.1.0
info: { title: Costly, version: 1.0.0 }
security: []
paths:
  /tagged: { post: { operationId: takeTagged, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Tagged' } } } }, responses: &replies { '204': { description: Taken. } } } }
  /untagged: { post: { operationId: takeUntagged, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Untagged' } } } }, responses: *replies } }
  /any: { post: { operationId: takeAny, requestBody: { content: { application/json: { schema: { type: array, uniqueItems: true, items: true } } } }, responses: *replies } }
  /nests: { post: { operationId: takeNests, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Nest' } } } }, responses: *replies } }
components:
  schemas:
    Nest: { type: object, properties: { nests: { type: array, uniqueItems: true, items: { $ref: '#/components/schemas/Nest' } } } }
    Tagged: { oneOf: [{ $ref: '#/components/schemas/And' }, { $ref: '#/components/schemas/Or' }, { $ref: '#/components/schemas/Leaf' }], discriminator: { propertyName: op } }
    And: { type: object, required: [op, args], properties: { op: { type: string }, args: { type: array, items: { $ref: '#/components/schemas/Tagged' } } } }
    Or: { type: object, required: [op, args], properties: { op: { type: string }, args: { type: array, items: { $ref: '#/components/schemas/Tagged' } } } }
    Leaf: { type: object, required: [op, is], properties: { op: { type: string }, is: { type: string } } }
    Untagged: { anyOf: [{ $ref: '#/components/schemas/All' }, { $ref: '#/components/schemas/Any' }, { type: object, required: [is], properties: { is: { type: string } } }] }
    All: { type: object, required: [args], properties: { args: { type: array, items: { $ref: '#/components/schemas/Untagged' } } } }
    Any: { type: object, required: [args], properties: { args: { type: array, items: { $ref: '#/components/schemas/Untagged' } } } }
`;

// How often a body is sent, and how long the processor may take for it.
const FEW = { times: 5, milliseconds: 50 };
const MANY = { times: 2, milliseconds: 500 };

/** Bodies that cost a validator more than their size deserves; each is sent several times. */
const schemaAttacks: readonly Attack[] = [
  toAttack('filter trees of depth 22 with tags', '/tagged', [tree(22, '"x"'), tree(22, '5')], FEW),
  toAttack('filter trees of depth 100 with tags', '/tagged', [tree(100, '"x"'), tree(100, '5')], FEW),
  toAttack('filter trees without tags', '/untagged', [tree(20, '5'), tree(100, '5')], FEW),
  toAttack('1 MB of any values in uniqueItems', '/any', [list((n) => n), deep()], MANY),
  toAttack('1 MB below uniqueItems in uniqueItems, 1000 times', '/nests', [nest()], MANY),
];

function toAttack(name: string, path: string, bodies: readonly string[], { times, milliseconds }: typeof FEW): Attack {
  return {
    name,
    run: async () => {
      using target = await startStandIn(SCHEMAS);
      const figures: Figure[] = [];
      for (const [index, body] of bodies.entries()) {
        const before = target.cpu();
        for (let sent = 0; sent < times; sent++)
          if (!(await isAnswered(`${target.url}${path}`, body)))
            return [{ what: 'not answered in 20 s', value: 1, atMost: 0, unit: 'bodies' }];
        const value = ((target.cpu() - before) / times) * 1000;
        figures.push({ what: `processor for body ${String(index + 1)}`, value, atMost: milliseconds, unit: 'ms' });
      }
      return [...figures, { what: 'memory', value: target.peakMemory(), atMost: 400, unit: 'MB' }];
    },
  };
}

async function isAnswered(url: string, body: string): Promise<boolean> {
  const headers = { 'Content-Type': 'application/json', Connection: 'close' };
  return fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(20_000) }).then(
    ({ status }) => [204, 400].includes(status),
    () => false,
  );
}

function tree(depth: number, leaf: string): string {
  return '{"op":"And","args":['.repeat(depth) + `{"op":"Leaf","is":${leaf}}` + ']}'.repeat(depth);
}

function list(toItem: (number: string) => string): string {
  const items: string[] = [];
  for (let size = 0; size < LIMIT - 50; size += (items.at(-1) ?? '').length + 1)
    items.push(toItem(String(items.length)));
  return `[${items.join()}]`;
}

// Two equal texts in the depth of two lists, which comparing has to reach.
function deep(): string {
  const item = '['.repeat(1000) + `"${'a'.repeat(LIMIT / 2 - 2100)}"` + ']'.repeat(1000);
  return `[${item},${item}]`;
}

function nest(): string {
  return '{"nests":['.repeat(1000) + `{"a":"${'a'.repeat(LIMIT - 20_000)}"}` + ',{}]}'.repeat(1000);
}

export const costlyBodies: readonly Attack[] = [...jsonAttacks, ...schemaAttacks];
