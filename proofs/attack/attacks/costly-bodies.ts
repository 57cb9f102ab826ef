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

const FORM_SIZE = 950_000;
const PARTS = 900;
const FORMS = `openapi: 3.0.3
info: { title: Forms, version: 1.0.0 }
security: []
paths:
  /forms:
    post:
      operationId: takeForm
      requestBody:
        required: true
        content: { multipart/form-data: { schema: { type: object, properties: { a: { type: string } } } } }
      responses:
        '204': { description: Taken. }
        '400': { description: Not a form. }
        '500': { description: Failed. }
        '503': { description: Try again later. }
`;

// What is as long as a form may be here, and what takes a reader of parts the longest.
const PARTS_OF: Readonly<Record<string, () => string>> = {
  'texts with U+FFFD behind a long one': () =>
    toPart('x'.repeat(FORM_SIZE - PARTS * 60)) + repeat(PARTS, () => toPart('x\ufffd')),
  'texts of a charset': () =>
    repeat(PARTS, () => toPart('x'.repeat(900), '\r\nContent-Type: text/plain; charset=gb18030')),
  'headers of parts': () => repeat(55, () => toPart('', '\r\na:'.repeat(4_000))),
  'what is nearly a boundary': () => toPart('\r\n--'.repeat(FORM_SIZE / 4)),
};

/** Forms of almost 1 MB, one of each kind. Without a token. */
const multipartAttack: Attack = {
  name: 'a multipart/form-data of 1 MB, whatever is in it',
  run: async () => {
    using target = await startStandIn(FORMS);
    // What runs for the first time is compiled.
    for (let index = 0; index < 50; index++) await sendForm(target.url, toPart('x'));
    const figures: Figure[] = [];
    for (const [what, toBody] of Object.entries(PARTS_OF)) {
      const body = toBody();
      const cpu = target.cpu();
      const status = await sendForm(target.url, body);
      figures.push(
        { what, value: target.cpu() - cpu, atMost: 0.3, unit: 's' },
        { what: 'answered with 5xx', value: status < 500 ? 0 : 1, atMost: 0, unit: 'forms' },
      );
    }
    return figures;
  },
};

function toPart(text: string, headers = ''): string {
  return `--b\r\nContent-Disposition: form-data; name="x"${headers}\r\n\r\n${text}\r\n`;
}

function repeat(count: number, toText: () => string): string {
  return Array.from({ length: count }, toText).join('');
}

async function sendForm(url: string, parts: string): Promise<number> {
  const { status } = await fetch(`${url}/forms`, {
    method: 'POST',
    headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    body: `${parts}--b--`,
  });
  return status;
}

const LIMIT = 1024 ** 2;

// A filter tree with and without a discriminator, and lists of different items.
const SCHEMAS = `openapi: 3.1.0
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

// How often a body is sent, and how long the processor may take for it.
const FEW = { times: 5, milliseconds: 50 };
const MANY = { times: 2, milliseconds: 500 };

/** Bodies that cost a validator more than their size deserves; each is sent several times. */
const schemaAttacks: readonly Attack[] = [
  toAttack('filter trees of depth 22 with tags', '/tagged', [tree(22, '"x"'), tree(22, '5')], FEW),
  toAttack('filter trees of depth 100 with tags', '/tagged', [tree(100, '"x"'), tree(100, '5')], FEW),
  toAttack('filter trees without tags', '/untagged', [tree(20, '5'), tree(100, '5')], FEW),
  toAttack('1 MB of different objects in uniqueItems', '/objects', [list((n) => `{"n":${n}}`)], MANY),
  toAttack('1 MB of different lists in uniqueItems', '/lists', [list((n) => `[${n}]`)], MANY),
  toAttack('1 MB of different names in uniqueItems', '/names', [list((n) => `"${n}"`)], MANY),
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

export const costlyBodies: readonly Attack[] = [...jsonAttacks, ...schemaAttacks, multipartAttack];
