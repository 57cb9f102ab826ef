import type { Attack, Figure } from '../attack';
import { startStandIn } from '../target';

const LIMIT = 1024 ** 2;

// A filter tree with and without a discriminator, and lists of different items.
const CONTRACT = `openapi: 3.1.0
info: { title: Costly, version: 1.0.0 }
security: []
paths:
  /tagged: { post: { operationId: takeTagged, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Tagged' } } } }, responses: &replies { '204': { description: Taken. } } } }
  /untagged: { post: { operationId: takeUntagged, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Untagged' } } } }, responses: *replies } }
  /objects: { post: { operationId: takeObjects, requestBody: { content: { application/json: { schema: { type: array, uniqueItems: true, items: { type: object } } } } }, responses: *replies } }
  /lists: { post: { operationId: takeLists, requestBody: { content: { application/json: { schema: { type: array, uniqueItems: true, items: { type: array } } } } }, responses: *replies } }
  /names: { post: { operationId: takeNames, requestBody: { content: { application/json: { schema: { type: array, uniqueItems: true, items: { $ref: '#/components/schemas/Name' } } } } }, responses: *replies } }
  /any: { post: { operationId: takeAny, requestBody: { content: { application/json: { schema: { type: array, uniqueItems: true, items: true } } } }, responses: *replies } }
  /nests: { post: { operationId: takeNests, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Nest' } } } }, responses: *replies } }
components:
  schemas:
    Nest: { type: object, properties: { nests: { type: array, uniqueItems: true, items: { $ref: '#/components/schemas/Nest' } } } }
    Name: { type: string }
    Tagged: { oneOf: [{ $ref: '#/components/schemas/And' }, { $ref: '#/components/schemas/Or' }, { $ref: '#/components/schemas/Leaf' }], discriminator: { propertyName: op } }
    And: { type: object, required: [op, args], properties: { op: { type: string }, args: { type: array, items: { $ref: '#/components/schemas/Tagged' } } } }
    Or: { type: object, required: [op, args], properties: { op: { type: string }, args: { type: array, items: { $ref: '#/components/schemas/Tagged' } } } }
    Leaf: { type: object, required: [op, is], properties: { op: { type: string }, is: { type: string } } }
    Untagged: { anyOf: [{ $ref: '#/components/schemas/All' }, { $ref: '#/components/schemas/Any' }, { type: object, required: [is], properties: { is: { type: string } } }] }
    All: { type: object, required: [args], properties: { args: { type: array, items: { $ref: '#/components/schemas/Untagged' } } } }
    Any: { type: object, required: [args], properties: { args: { type: array, items: { $ref: '#/components/schemas/Untagged' } } } }
`;

/** Bodies that cost a validator more than their size deserves; each is sent several times. */
export const costlySchemas: readonly Attack[] = [
  toAttack('filter trees of depth 22 with tags', '/tagged', {
    bodies: [tree(22, '"x"'), tree(22, '5')],
    times: 5,
    cpu: 0.05,
  }),
  toAttack('filter trees of depth 100 with tags', '/tagged', {
    bodies: [tree(100, '"x"'), tree(100, '5')],
    times: 5,
    cpu: 0.05,
  }),
  toAttack('filter trees without tags', '/untagged', { bodies: [tree(20, '5'), tree(100, '5')], times: 5, cpu: 0.05 }),
  toAttack('1 MB of different objects in uniqueItems', '/objects', {
    bodies: [list((n) => `{"n":${n}}`)],
    times: 2,
    cpu: 0.5,
  }),
  toAttack('1 MB of different lists in uniqueItems', '/lists', { bodies: [list((n) => `[${n}]`)], times: 2, cpu: 0.5 }),
  toAttack('1 MB of different names in uniqueItems', '/names', { bodies: [list((n) => `"${n}"`)], times: 2, cpu: 0.5 }),
  toAttack('1 MB of any values in uniqueItems', '/any', { bodies: [list((n) => n), deep()], times: 2, cpu: 0.5 }),
  toAttack('1 MB below uniqueItems in uniqueItems, 1000 times', '/nests', {
    bodies: [nest()],
    times: 2,
    cpu: 0.5,
  }),
];

function toAttack(
  name: string,
  path: string,
  { bodies, times, cpu }: { bodies: readonly string[]; times: number; cpu: number },
): Attack {
  return {
    name,
    run: async () => {
      using target = await startStandIn(CONTRACT);
      const figures: Figure[] = [];
      for (const [index, body] of bodies.entries()) {
        const before = target.cpu();
        for (let sent = 0; sent < times; sent++)
          if (!(await isAnswered(`${target.url}${path}`, body)))
            return [{ what: 'not answered in 20 s', value: 1, atMost: 0, unit: 'bodies' }];
        figures.push({
          what: `processor for body ${String(index + 1)}`,
          value: ((target.cpu() - before) / times) * 1000,
          atMost: cpu * 1000,
          unit: 'ms',
        });
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
