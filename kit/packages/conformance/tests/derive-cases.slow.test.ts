import { globSync, readFileSync } from 'node:fs';
import { CLASSES, titleOf, type CaseClass } from '../src/generators/case';
import { resolvePointer } from '../src/contract/pointer';
import { propertiesOf } from '../src/contract/schema';
import { createSuite, type Case, type Suite, type SuiteOptions } from '../src';

// A released contract, which stays as it is: how many cases there are depends on it.
const CONTRACT = readFileSync('packages/test-support/plants/openapi.yaml', 'utf8');

function suiteOf(contract: string): Suite {
  return createSuite(contract, { marker: 'text', level: 'robust' });
}

function titlesOf(contract: string): string[] {
  return suiteOf(contract).cases.map(titleOf);
}

// What these have does not depend on the contract; fewer are cases that somebody lost.
const AT_LEAST: Partial<Record<CaseClass, number>> = {
  malformed: 20,
  'media-type': 20,
  auth: 14,
  method: 9,
  path: 14,
  parameter: 2,
  fault: 3,
};

test.each(CLASSES)('each operation has its cases of the class %s', (name) => {
  const { model, cases } = suiteOf(CONTRACT);
  for (const { id } of model.operations) {
    const own = cases.filter((one) => one.operation === id && one.class === name);
    expect(own.length).toBeGreaterThanOrEqual(AT_LEAST[name] ?? 1);
  }
});

test('each case comes from a rule of the contract, and has a title of its own', () => {
  const { model, cases } = suiteOf(CONTRACT);
  for (const { pointer } of cases) expect(() => resolvePointer(model.contract.root, pointer)).not.toThrow();
  expect(new Set(cases.map(titleOf)).size).toBe(cases.length);
});

test('the same contract has the same cases', () => {
  expect(titlesOf(CONTRACT)).toEqual(titlesOf(CONTRACT));
});

test.each([
  ['a limit', 'example: Rose', 'maxLength: 20\n          example: Rose', 'Plant/properties/name maxLength+1 in ASCII'],
  [
    'an operation',
    '\ncomponents:\n',
    `\n  /pots:\n    get:\n      operationId: listPots\n      responses: { '200': { description: All. } }\ncomponents:\n`,
    'listPots positive #/paths/~1pots/get no body',
  ],
  [
    'a query parameter',
    '      requestBody:',
    '      parameters: [{ name: size, in: query, schema: { type: integer, maximum: 9 } }]\n      requestBody:',
    'query size, maximum+1',
  ],
  [
    'a path parameter',
    '\ncomponents:\n',
    `\n  /pots/{pot}:\n    parameters: [{ name: pot, in: path, required: true, schema: { type: integer, format: int64 } }]\n    get:\n      operationId: getPot\n      responses: { '200': { description: One. } }\ncomponents:\n`,
    'path pot, int64 maximum+1',
  ],
])('%s more in the contract brings its own cases', (_what, from, to, title) => {
  expect(CONTRACT).toContain(from);
  const changed = CONTRACT.replace(from, () => to);
  const before = new Set(titlesOf(CONTRACT));
  const added = titlesOf(changed).filter((one) => !before.has(one));
  expect(added.join('\n')).toContain(title);
});

test('the suite knows no operation, path or field of the contract', () => {
  const { model } = suiteOf(CONTRACT);
  const fields = model.operations.flatMap(({ body, replies }) =>
    [body, ...replies.values()].flatMap((one) =>
      (one?.contents ?? []).flatMap(({ schema }) => [...propertiesOf(schema).keys()]),
    ),
  );
  const names = model.operations.flatMap(({ id, path }) => [id, path]);
  const forbidden = new Set([
    ...names.map((name) => name.replace(/^\//, '')),
    // OpenAPI itself has names, Node errors, and the command an option for a tag.
    ...fields.filter((field) => !['name', 'error', 'tag'].includes(field)).map((field) => `'${field}'`),
  ]);
  const files = globSync(['packages/conformance/src/**/*.ts', 'packages/conformance/tests/start-stand-ins.ts']);
  const found = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return [...forbidden].filter((name) => text.includes(name)).map((name) => `${file}: ${name}`);
  });
  expect(files.length).toBeGreaterThan(30);
  expect(found).toEqual([]);
});

const BRANCHES = Array.from({ length: 22 }, (_unused, index) => `Node${String(index)}`);
const toReference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const NODE = toReference('Node');

function makeObject(name: string, property: object, more: object = {}): object {
  return { type: 'object', required: [name], properties: { [name]: property, ...more }, additionalProperties: false };
}

function makeBranches(make: (name: string) => object): Record<string, object> {
  return Object.fromEntries(BRANCHES.map((name) => [name, make(name)]));
}

test.each([
  ['nodes with two children', makeBranches((kind) => makeObject('kind', { const: kind }, { left: NODE, right: NODE }))],
  [
    'filters of filters',
    {
      And: makeObject('and', { type: 'array', items: NODE, minItems: 1 }),
      Or: makeObject('or', { type: 'array', items: NODE, minItems: 1 }),
      Not: makeObject('not', NODE),
      ...makeBranches((name) => makeObject(name, { type: 'string', pattern: '^[a-z]{1,20}$' })),
    },
  ],
])(
  'an operation of %s is tried, though its schemas lead back to themselves',
  (_, branches) => {
    const responses = { 200: { description: 'x' }, 400: { description: 'x' } };
    const requestBody = { required: true, content: { 'application/json': { schema: NODE } } };
    const schemas = { Node: { oneOf: Object.keys(branches).map(toReference) }, ...branches };
    const paths = {
      '/nodes': { post: { operationId: 'make', requestBody, responses }, get: { operationId: 'list', responses } },
    };
    const contract = { openapi: '3.1.0', info: { title: 'x', version: '1' }, paths, components: { schemas } };
    const suite = createSuite(JSON.stringify(contract), { marker: 'x' });
    expect([...new Set(suite.cases.map(({ operation }) => operation))]).toEqual(['list', 'make']);
    expect(suite.skipped()).toEqual([]);
  },
  60_000,
);

const LEVELS = Array.from({ length: 20 }, (_unused, index) => toReference(`Level${String(index)}`));
const LAST = { type: 'object', properties: { p: { type: 'string' } } };

function makeLevels(make: (next: object) => object): object {
  const levels = LEVELS.map((_level, index) => [`Level${String(index)}`, make(LEVELS[index + 1] ?? LAST)]);
  return { Root: toReference('Level0'), ...(Object.fromEntries(levels) as object) };
}

function makeFilters(count: number): object {
  const [filter, condition] = ['Root', 'Condition'].map(toReference);
  const names = Array.from({ length: count }, (_unused, index) => `p${String(index)}`);
  const some = { anyOf: [condition, { type: 'array', items: condition }] };
  const Root = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, some])) };
  return {
    Root,
    Condition: { anyOf: [filter, makeObject('nested', makeObject('filter', { anyOf: [filter] })), LAST] },
  };
}

test.each([
  ['all of another one twice', makeLevels((next) => ({ allOf: [next, next] }))],
  ['two properties of another one', makeLevels((next) => ({ type: 'object', properties: { a: next, b: next } }))],
  ['thirty properties that lead back to it', makeFilters(30)],
])('a schema with %s, at each level, has cases', (_what, schemas) => {
  const requestBody = { required: true, content: { 'application/json': { schema: toReference('Root') } } };
  const paths = { '/roots': { post: { requestBody, responses: { 200: { description: 'x' } } } } };
  const contract = { openapi: '3.1.0', info: { title: 'x', version: '1' }, paths, components: { schemas } };
  const suite = createSuite(JSON.stringify(contract), { marker: 'x' });
  expect(suite.skipped()).toEqual([]);
  expect(suite.cases.filter((one) => one.class === 'positive').length).toBeGreaterThan(30);
});

/** A contract of resources, each with five operations and a schema that refers to the next one, in a ring. */
function createRing(count: number): string {
  const json = (name: string): object => ({
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  });
  const indexes = Array.from({ length: count }, (_unused, index) => index);
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } };
  const responses = { 200: { description: 'Done.' }, 400: { description: 'Refused.' } };
  const properties = (index: number): object => ({
    name: { type: 'string', maxLength: 40 },
    amount: { type: 'integer', minimum: 0, maximum: 100 },
    colours: { type: 'array', items: { type: 'string', enum: ['red', 'blue'] } },
    at: { type: 'string', format: 'date-time' },
    child: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { $ref: `#/components/schemas/T${String((index + 1) % count)}` } },
    },
  });
  const paths = indexes.flatMap((index) => {
    const requestBody = { required: true, ...json(`T${String(index)}`) };
    return [
      [`/t${String(index)}`, { get: { responses }, post: { requestBody, responses } }],
      [
        `/t${String(index)}/{id}`,
        { parameters: [id], get: { responses }, put: { requestBody, responses }, delete: { responses } },
      ],
    ];
  });
  const schemas = indexes.map((index) => [
    `T${String(index)}`,
    { type: 'object', required: ['name'], properties: properties(index) },
  ]);
  const components = { schemas: Object.fromEntries(schemas) as object };
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'x', version: '1' },
    paths: Object.fromEntries(paths) as object,
    components,
  });
}

function derive(count: number, options: Partial<SuiteOptions> = {}): Suite {
  return createSuite(createRing(count), { marker: 'mark', ...options });
}

const ruleOf = ({ operation, class: name, pointer, keyword, expect: wanted }: Case): string =>
  [operation, name, pointer, keyword, wanted].join(' ');
const shallowRulesOf = ({ cases }: Suite): Set<string> =>
  new Set(cases.filter(({ depth = 0 }) => depth <= 1).map(ruleOf));

test('what the budget leaves out is counted by rule, and comes after a case for each rule of each operation', () => {
  const whole = derive(2, { maxCases: 1e6 });
  const maxCases = shallowRulesOf(whole).size + 100;
  const some = derive(2, { maxCases });
  expect(some.cases).toHaveLength(maxCases);
  expect(shallowRulesOf(some)).toEqual(shallowRulesOf(whole));
  expect([whole.leftOut.size, whole.tooDeep, some.tooDeep > 0]).toEqual([0, 0, true]);
  expect(some.leftOut.get('negative type')).toBeGreaterThan(10);
});

test('the budget is for the cases that are wanted, and where it is small, each operation has some', () => {
  const isWanted: SuiteOptions['isWanted'] = ({ class: name }) => name === 'negative';
  const { cases, unwanted } = derive(2, { maxCases: 50, isWanted });
  expect([cases.length, new Set(cases.map((one) => one.class)), unwanted > 100]).toEqual([
    50,
    new Set(['negative']),
    true,
  ]);
  expect(new Set(derive(2, { maxCases: 20 }).cases.map(({ operation }) => operation)).size).toBe(10);
});

test('100 operations whose schemas are a ring of 20 have 5,000 cases', () => {
  const { cases, leftOut } = derive(20, { level: 'robust' });
  expect(cases).toHaveLength(5_000);
  expect(new Set(cases.map(({ operation }) => operation)).size).toBe(100);
  expect([...leftOut.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(5_000);
}, 60_000);
