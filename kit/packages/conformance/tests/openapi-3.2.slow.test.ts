import { createSuite, type Case, type Suite } from '../src';
import { readOptions } from '../src/cli/options';
import { readModel } from '../src/contract/model';
import { judge } from '../src/oracle/judge';
import { canRoundTrip } from '../src/contract/serialization';
import { findUnended, readItems, type Framing } from '../src/wire/sequence';
import { contractOf } from './contract-of';
import { READINGS } from './serve-readings';

const OK = "responses: { '204': { description: Done. } }";

function suiteOf(item: string, options = {}): Suite {
  return createSuite(contractOf(item, { version: '3.2.0', ...options }), { marker: 'mark', level: 'robust' });
}

function skippedIn(suite: Suite): string[] {
  return suite.skipped().map(({ reason, places }) => `${reason} at ${String(places[0])}`);
}

function bodiesOf({ cases }: Suite, expectation: Case['expect'], kind: string): string[] {
  return cases
    .filter((one) => one.expect === expectation && one.class === kind && !one.request.changeHead)
    .map(({ request }) => String(request.body));
}

test.each([
  ['3.2.0', `{ get: { ${OK} }, query: { ${OK} }, additionalOperations: { PURGE: { ${OK} }, copy: { ${OK} } } }`],
  ['3.1.0', `{ get: { ${OK} }, x-oai-additionalOperations: { QUERY: { ${OK} }, PURGE: { ${OK} }, copy: { ${OK} } } }`],
  ['3.0.4', `{ get: { ${OK} }, x-oai-additionalOperations: { QUERY: { ${OK} }, PURGE: { ${OK} }, copy: { ${OK} } } }`],
])('in OpenAPI %s, QUERY and additional methods are sent as they are spelled', (version, paths) => {
  const { cases } = suiteOf(paths, { version });
  const accepted = cases.filter((one) => one.class === 'positive' && one.expect === 'accepted');
  expect(new Set(accepted.map(({ request }) => request.method))).toEqual(new Set(['GET', 'QUERY', 'PURGE', 'copy']));
  const refused = cases.filter((one) => one.expect === 'unknown method');
  expect(refused.map(({ request }) => request.method)).not.toContain('QUERY');
});

test.each([
  [
    'a method of a field',
    `{ additionalOperations: { POST: { ${OK} } } }`,
    'additional operations with the method POST',
  ],
  ['CONNECT', `{ additionalOperations: { CONNECT: { ${OK} } } }`, 'additional operations with the method CONNECT'],
  [
    'what is not a token',
    `{ additionalOperations: { 'a b': { ${OK} } } }`,
    'additional operations with the method a b',
  ],
  [
    'XML in a querystring',
    `{ get: { parameters: [{ name: q, in: querystring, required: true, content: { application/xml: {} } }], ${OK} } }`,
    'parameters in querystring with the media type application/xml',
  ],
  [
    'a querystring of two media types',
    `{ get: { parameters: [{ name: q, in: querystring, content: { application/json: {}, text/plain: {} } }], ${OK} } }`,
    'parameters in querystring without exactly one media type',
  ],
  [
    'a query parameter beside a querystring',
    `{ get: { parameters: [{ name: q, in: querystring, content: { application/json: {} } }, { name: b, in: query, schema: {} }], ${OK} } }`,
    'parameters in query beside one in querystring',
  ],
  [
    'the parts of a multipart/mixed',
    `{ post: { requestBody: { content: { multipart/mixed: { itemSchema: {} } } }, ${OK} } }`,
    'bodies of type multipart/mixed',
  ],
  [
    'responses in XML',
    `{ get: { responses: { '200': { description: X., content: { application/xml: { schema: { type: object } } } } } } }`,
    'bodies of responses of type application/xml',
  ],
  [
    'a form in a response',
    `{ get: { responses: { '200': { description: X., content: { multipart/form-data: { schema: { type: object, properties: { b: {} } } } } } } } }`,
    'bodies of responses of type multipart/form-data',
  ],
])('%s is listed as not tried', (_what, paths, reason) => {
  expect(skippedIn(suiteOf(paths))).toContainEqual(expect.stringContaining(reason));
});

test('an operation that cannot be tried leaves its neighbours, and the reason names its place', () => {
  const suite = suiteOf(`{ get: { ${OK} }, additionalOperations: { CONNECT: { ${OK} }, PURGE: { ${OK} } } }`);
  expect(suite.model.operations.map(({ id }) => id)).toEqual(['GET /a', 'PURGE /a']);
  expect(skippedIn(suite)).toEqual([
    'additional operations with the method CONNECT at #/paths/~1a/additionalOperations/CONNECT',
  ]);
});

const PETS = `
components:
  securitySchemes: { key: { type: apiKey, in: header, name: K }, '#/b': { type: apiKey, in: header, name: B } }
  schemas:
    Pet:
      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Other' }]
      discriminator: { propertyName: kind, defaultMapping: Other }
    Cat: { type: object, required: [kind, lives], properties: { kind: { type: string }, lives: { type: integer } } }
    Other: { type: object, required: [note], properties: { kind: { type: string }, note: { type: string } } }
`;
const PET_BODY = `requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }`;

test('without the tag, or with one that names no schema, the defaultMapping applies', () => {
  const suite = suiteOf(`{ post: { ${PET_BODY}, ${OK} } }`, { more: PETS });
  expect(skippedIn(suite)).toEqual([]);
  const accepted = bodiesOf(suite, 'accepted', 'positive');
  expect(accepted).toEqual(
    expect.arrayContaining(['{"kind":"Cat","lives":1}', '{"note":"mark"}', '{"kind":"mark","note":"mark"}']),
  );
  const refused = bodiesOf(suite, 'refused', 'negative');
  expect(refused).toEqual(expect.arrayContaining(['{"kind":"mark"}', '{"kind":"Cat","lives":true}']));
  expect(accepted).not.toContainEqual('{"kind":"Cat","note":"mark"}');
});

test('a security requirement by URI means the scheme there, unless a scheme has that name', () => {
  const security = "security: [{ '#/components/securitySchemes/key': [] }, { '#/b': [] }]";
  const [operation] = suiteOf(`{ get: { ${security}, ${OK} } }`, { more: PETS }).model.operations;
  expect(operation?.securityRequirements.flat()).toMatchObject([
    { name: 'key', parameter: 'K' },
    { name: '#/b', parameter: 'B' },
  ]);
});

test('references by $self, and examples by dataValue and serializedValue, are read', () => {
  const { operations } = readModel(READINGS);
  const watch = operations.find(({ id }) => id === 'watch')?.replies.get('200');
  expect(watch?.contents.map(({ kind, framing }) => [kind, framing])).toEqual([
    ['sequence', 'jsonl'],
    ['sequence', 'json-seq'],
    ['sequence', 'events'],
  ]);
  const shown = (type: string, examples: string): string =>
    `{ post: { requestBody: { content: { ${type}: { schema: {}, examples: { one: ${examples} } } } }, ${OK} } }`;
  const json = suiteOf(shown('application/json', "{ dataValue: { b: 9007199254740993 }, serializedValue: '{}' }"));
  expect(bodiesOf(json, 'accepted', 'positive')).toContain('{"b":9007199254740993}');
  const xml = suiteOf(shown('application/xml', "{ dataValue: { b: 1 }, serializedValue: '<b>1</b>' }"));
  expect(bodiesOf(xml, 'accepted', 'positive')).toContain('<b>1</b>');
});

test('the data of an event with the format of an integer is one', () => {
  const event = '{ type: object, required: [data], properties: { data: { type: string, format: int64 } } }';
  const body = `requestBody: { required: true, content: { text/event-stream: { itemSchema: ${event} } } }`;
  const accepted = bodiesOf(suiteOf(`{ post: { ${body}, ${OK} } }`), 'accepted', 'positive');
  expect(accepted).toContain('data: 9223372036854775807\n\n');
  expect(accepted.filter((text) => !/^(?:: .*|unknown: 1|event: none|\ufeff?data: ?-?\d+|:)?$/m.test(text))).toEqual(
    [],
  );
});

test('contentSchema binds the data of events, and nothing else', () => {
  const data = '{ type: string, contentMediaType: application/json, contentSchema: { type: integer } }';
  const schema = `{ type: object, required: [data], properties: { data: ${data} } }`;
  const post = (content: string): Suite =>
    suiteOf(`{ post: { requestBody: { required: true, content: ${content} }, ${OK} } }`);
  expect(bodiesOf(post(`{ text/event-stream: { x-oai-itemSchema: ${schema} } }`), 'refused', 'negative')).toContain(
    'data: "text"\n\n',
  );
  const list = post(`{ text/event-stream: { schema: { type: array, maxItems: 2, items: ${schema} } } }`);
  expect(bodiesOf(list, 'refused', 'negative')).toEqual(
    expect.arrayContaining(['data: {\n\n', 'data: 1\n\ndata: 1\n\ndata: 1\n\n']),
  );
  expect(bodiesOf(post(`{ application/json: { schema: ${schema} } }`), 'accepted', 'positive')).toContain(
    '{"data":"mark"}',
  );
});

test('a text in a querystring is percent-encoded', () => {
  const parameter = '{ name: q, in: querystring, content: { text/plain: { schema: { type: string, maxLength: 3 } } } }';
  const { cases } = suiteOf(`{ get: { parameters: [${parameter}], ${OK} } }`);
  const sent = cases.filter(({ label }) => label.startsWith('querystring q'));
  expect(sent.map(({ request }) => request.target)).toEqual(expect.arrayContaining(['/a', '/a?aaaa', '/a?%C3%A9']));
});

test.each<[Framing, string, unknown[]]>([
  ['jsonl', '1\n2', [{ value: 1n }]],
  ['json-seq', '\x1e1\n\x1e{"a":', [{ value: 1n }]],
  ['json-seq', '\x1e1\n\x1e2\n', [{ value: 1n }, { value: 2n }]],
  ['events', 'data: 1\n\ndata: 2\n', [{ value: { data: '1' } }]],
])('of a sequence that the suite left, %s %j, what may be half an item is not read', (framing, text, items) => {
  expect(readItems(framing, Buffer.from(text), false)).toEqual(items);
});

test.each<[Framing, string, boolean, string | undefined]>([
  ['ndjson', '1\n2', true, 'no line feed follows the last item'],
  ['ndjson', '1\n2', false, undefined],
  ['jsonl', '1\n2', true, undefined],
  ['json-seq', '\x1e{}\n\x1e{}', false, undefined],
  ['events', 'data: 1\r\n\r\nretry: 1\r\n', true, undefined],
])('of %s %j (read to its end: %s), what has no end is told: %s', (framing, text, isWhole, unended) => {
  expect(findUnended(framing, Buffer.from(text), isWhole)).toBe(unended);
});

test.each<[unknown, boolean]>([
  [[{ data: 'a\nb' }], true],
  [[{ data: 'a\rb' }], false],
  [[{ event: '', data: '' }], false],
  [[{ event: 'a\nb', data: '' }], false],
  [[{ data: 1n }], false],
  [[{ event: 'a' }], false],
  [[], false],
])('an event stream can express %j: %s', (items, can) => {
  expect(canRoundTrip('events', items as Parameters<typeof canRoundTrip>[1])).toBe(can);
});

/** What is said of the body of a reply with two to three integers. */
function judgeBody(body: string, isClosedEarly: boolean): string[] {
  const schema = '{ type: array, minItems: 2, maxItems: 3 }';
  const content = `application/jsonl: { schema: ${schema}, itemSchema: { type: integer } }`;
  const suite = suiteOf(`{ get: { responses: { '200': { description: X., content: { ${content} } } } } }`);
  const [one] = suite.cases.filter(({ class: name }) => name === 'positive');
  const reply = {
    status: 200,
    headers: [['content-type', 'application/jsonl']] as const,
    body: Buffer.from(body),
    ...(isClosedEarly && { isClosedEarly: true as const }),
  };
  return one ? judge({ ...suite.oracleFor({}), level: 'contract' }, one, reply).map(({ text }) => text) : ['no case'];
}

test.each([
  ['1\n2\n', false, []],
  ['1\n', false, ['the value has fewer items than 2 (minItems)']],
  ['1\n', true, []],
  ['1\n2\n"a"\n{}\n', false, ['the value has more items than 3 (maxItems)', 'item 3 is not of type integer (type)']],
  ['1\n\n2\n', false, ['item 2 is a blank line']],
])(
  'each item of the reply %j is judged, and the list if it was read to its end (closed early: %s)',
  (body, isClosedEarly, texts) => {
    expect(judgeBody(body, isClosedEarly).toSorted()).toEqual([...texts].toSorted());
  },
);

test('of an event that no member of a union matches, the place within the closest one is named', () => {
  const member = (event: string, data: string): string =>
    `{ properties: { event: { const: ${event} }, data: ${data} } }`;
  const json = '{ contentMediaType: application/json, contentSchema: { properties: { bed: { type: integer } } } }';
  const event = `{ required: [event, data], oneOf: [${member('reading', json)}, ${member('end', "{ const: '' }")}] }`;
  const reply = `{ description: X., content: { text/event-stream: { itemSchema: ${event} } } }`;
  const suite = suiteOf(`{ get: { responses: { '200': ${reply} } } }`);
  const [one] = suite.cases.filter(({ class: name }) => name === 'positive');
  const body = Buffer.from('event: end\ndata\n\nevent: reading\ndata: {"bed":"a"}\n\n');
  const headers = [['content-type', 'text/event-stream']] as const;
  const findings = one ? judge({ ...suite.oracleFor({}), level: 'contract' }, one, { status: 200, headers, body }) : [];
  expect(findings.map(({ text }) => text)).toEqual([
    'event 2 matches 0 union members (oneOf)',
    'event 2, /data/bed is not of type integer (type)',
  ]);
});

test('without --destructive, PUT, PATCH, DELETE and additional methods are sent with invalid requests only', () => {
  const options = readOptions(['--url', 'http://127.0.0.1']);
  const methods = ['query', 'put', 'patch', 'delete'].map((method) => `${method}: { ${OK} }`).join();
  const { operations } = suiteOf(`{ ${methods}, additionalOperations: { PURGE: { ${OK} } } }`).model;
  const areWanted = (expectation: Case['expect']): unknown[] =>
    operations.map((operation) => options?.isWanted({ operation, class: 'positive', expect: expectation }));
  expect(operations.map(({ method }) => method).toSorted()).toEqual(['DELETE', 'PATCH', 'PURGE', 'PUT', 'QUERY']);
  expect(areWanted('accepted')).toEqual(operations.map(({ method }) => method === 'QUERY'));
  expect(areWanted('refused')).toEqual(operations.map(() => true));
});
