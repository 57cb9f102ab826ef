import { readFileSync } from 'node:fs';
import { titleOf, type Expectation } from '../src/generators/case';
import { createSuite, type Suite, type SuiteOptions } from '../src/suite';
import { parseFixtures } from '../src/values/fixtures';

const KEYWORDS = readFileSync('packages/test-support/fixtures/keywords.yaml', 'utf8');

function suiteOf(contract: string, options: Partial<SuiteOptions> = {}): Suite {
  return createSuite(contract, { marker: 'text', level: 'robust', ...options });
}

/** What is not tried, each with where it stands first. */
function skippedIn(suite: Suite): string[] {
  return suite.skipped().map(({ reason, places }) => `${reason} at ${String(places[0])}`);
}

function titlesOf({ cases }: Suite, expectation: Expectation): string[] {
  return cases.filter((one) => one.expect === expectation).map(titleOf);
}

function bodiesOf({ cases }: Suite, name: string): string[] {
  const wanted = cases.filter((one) => one.expect === 'accepted' && one.class === name);
  return wanted.map(({ request }) => String(request.body));
}

/** A contract of one operation whose body has an optional and a required property. */
function contractOf(odd: string, required = 'name'): string {
  return `openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /things:
    post:
      operationId: createThing
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [${required}]
              properties:
                name: { type: string, maxLength: 20 }
                odd: ${odd}
      responses: { '200': { description: There. } }
`;
}

const ODD = '#/paths/~1things/post/requestBody/content/application~1json/schema/properties/odd';

test.each([
  ...[
    'packages/test-support/plants/openapi.yaml',
    'packages/test-support/fixtures/keywords.yaml',
    'packages/test-support/fixtures/dialect.yaml',
  ],
  ...['packages/test-support/fixtures/notes.yaml', 'packages/test-support/fixtures/lending.yaml'],
])('everything in %s is tried', (file) => {
  expect(skippedIn(suiteOf(readFileSync(file, 'utf8')))).toEqual([]);
});

describe.each([
  ['a format', '{ type: string, format: colour }', 'the format colour'],
  ['a keyword', '{ type: object, $dynamicRef: "#a" }', 'the keyword $dynamicRef'],
  [
    'a pattern that is not valid',
    "{ type: string, pattern: '(' , minLength: 90, maxLength: 90, format: colour }",
    'the format colour',
  ],
  [
    'a pattern with a lookahead',
    "{ type: string, pattern: '^(?=.*[0-9])(?=.*[a-z]{30}).*[#]{3}$' }",
    'strings whose rules no string that was tried satisfies',
  ],
  ['a contradiction', '{ type: integer, minimum: 3, maximum: 2 }', 'numeric limits between which no number was found'],
  ...['required: [[a]]', 'properties: ', 'pattern: 1', 'enum: {}', 'maximum: x', 'multipleOf: 0', 'type: str'].map(
    (keyword) => [`a mistake, ${keyword}`, `{ ${keyword} }`, `a malformed ${keyword.replace(/:.*/, '')}`],
  ),
  ['a reference that leads nowhere', "{ $ref: '#/components/schemas/Gone' }", 'references to values that do not exist'],
  [
    'a reference to another file',
    "{ $ref: 'other.yaml#/Colour' }",
    'references to other files (contract-kit bundle joins them into one)',
  ],
])('%s', (_what, odd, reason) => {
  test('is left out where it is optional, and said', () => {
    const suite = suiteOf(contractOf(odd));
    expect(skippedIn(suite)).toContainEqual(expect.stringContaining(reason));
    expect(bodiesOf(suite, 'positive').length).toBeGreaterThan(5);
    for (const body of bodiesOf(suite, 'positive')) expect(body).not.toContain('"odd"');
  });

  test('leaves nothing to be called right where it is required, and all that is wrong', () => {
    const suite = suiteOf(contractOf(odd, 'odd'));
    expect(skippedIn(suite)).toContainEqual(expect.stringContaining(reason));
    expect(titlesOf(suite, 'accepted')).toEqual([]);
    expect(suite.cases.filter(({ expect: wanted }) => wanted !== 'accepted').length).toBeGreaterThan(50);
  });
});

test('a mistake in the contract is said before what nobody can guess, as is a path whose parameter has no declaration', () => {
  const contract = contractOf('{ type: string, format: colour }').replace('/things:', '/things/{id}:');
  expect(skippedIn(suiteOf(contract))).toEqual([
    'undeclared parameters in the path /things/{id} at #/paths/~1things~1{id}/post',
    expect.stringContaining('the format colour'),
  ]);
});

test('an example, a default and a value from the file stand for what nobody can guess', () => {
  const shown = suiteOf(contractOf('{ type: string, format: colour, example: red }', 'odd'));
  expect(bodiesOf(shown, 'positive')).toContain('{"name":"text","odd":"red"}');
  const fixtures = parseFixtures('formats: { colour: { right: [green], wrong: [loud] } }');
  const suite = suiteOf(contractOf('{ type: string, format: colour }', 'odd'), { fixtures });
  expect(bodiesOf(suite, 'positive')).toContain('{"name":"text","odd":"green"}');
  const wrong = suite.cases.filter(({ pointer, class: name }) => name === 'negative' && pointer === ODD);
  expect(wrong.map(({ request }) => String(request.body))).toContain('{"name":"text","odd":"loud"}');
  expect(skippedIn(suite)).toEqual([]);
  const places = parseFixtures(`places: { '${ODD}': [blue] }`);
  expect(
    bodiesOf(suiteOf(contractOf('{ type: string, format: colour }', 'odd'), { fixtures: places }), 'positive'),
  ).toContain('{"name":"text","odd":"blue"}');
});

test.each([ODD, ODD.replace(/\/schema.*/, '')])(
  'a value from the file, for %s, is what all other cases send',
  (place) => {
    const value = place === ODD ? 'blue' : '{ name: text, odd: blue }';
    const fixtures = parseFixtures(`places: { '${place}': [${value}] }`);
    const { cases } = suiteOf(contractOf('{ type: string }'), { fixtures });
    const bodies = cases.filter(({ class: name }) => name === 'path').map(({ request }) => String(request.body));
    expect(new Set(bodies)).toEqual(new Set(['{"name":"text","odd":"blue"}']));
  },
);

test('a schema with properties but without a type stands for objects, wherever its own values are not tried', () => {
  const { cases } = suiteOf(contractOf('{ properties: { b: { type: boolean } } }').replace('type: object', 'title: A'));
  const bodies = cases.filter(({ class: name }) => name === 'path').map(({ request }) => String(request.body));
  expect(new Set(bodies)).toEqual(new Set(['{"name":"text","odd":{"b":true}}']));
});

test('an example that its schema refuses makes no case, and the report says so', () => {
  const suite = suiteOf(
    contractOf('{ type: integer }').replace('schema:', 'example: { odd: red }\n            schema:'),
  );
  expect(skippedIn(suite)).toEqual([
    'examples that do not fit their schema at #/paths/~1things/post/requestBody/content/application~1json/example',
  ]);
});

test('a body of a media type that nobody here writes is what the contract or the file shows', () => {
  const contract = contractOf('{ type: string }').replace('application/json:', 'text/csv:');
  const suite = suiteOf(contract);
  expect(skippedIn(suite)).toEqual(['bodies of type text/csv at #/paths/~1things/post/requestBody/content/text~1csv']);
  expect(bodiesOf(suite, 'positive')).toEqual([]);
  const fixtures = parseFixtures('mediaTypes: { text/csv: ["a;b\\n"] }');
  const tried = suiteOf(contract, { fixtures });
  expect(skippedIn(tried)).toEqual([]);
  expect(bodiesOf(tried, 'positive')).toEqual(['a;b\n']);
});

const AT_KEY = 'at #/components/securitySchemes/key';

test.each([
  ['{ key: [] }', 'key: { type: http, scheme: digest }', `security schemes of type http digest ${AT_KEY}`],
  ['{ key: [] }', 'key: { type: mutualTLS }', `security schemes of type mutualTLS ${AT_KEY}`],
  [
    '{ basic: [], bearer: [] }',
    'basic: { type: http, scheme: basic }, bearer: { type: http, scheme: bearer }',
    'two security schemes that both need the header',
  ],
])('the security requirement %s with %s leaves nothing to be called right', (security, schemes, reason) => {
  const suite = suiteOf(
    `${contractOf('{ type: string }')}security: [${security}]\ncomponents: { securitySchemes: { ${schemes} } }\n`,
  );
  expect(skippedIn(suite)).toContainEqual(expect.stringContaining(reason));
  expect(titlesOf(suite, 'accepted')).toEqual([]);
  expect(suite.cases.filter(({ expect: wanted }) => wanted === 'no credentials').length).toBeGreaterThan(0);
});

test('what is readOnly is not sent, and not missed where it is required', () => {
  const suite = suiteOf(contractOf('{ type: string, readOnly: true }', 'name, odd'));
  expect(skippedIn(suite)).toEqual([]);
  expect(bodiesOf(suite, 'positive')).toContain('{"name":"text"}');
  expect(suite.cases.filter(({ request }) => String(request.body).includes('"odd"'))).toEqual([]);
});

test('a pattern that takes for ever is not waited for', () => {
  const suite = suiteOf(contractOf("{ type: string, pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' }"));
  expect(skippedIn(suite)).toContainEqual(expect.stringContaining('patterns that take too long to match'));
});

test('operations without an operationId, with the same one, and of a path that is a reference have cases', () => {
  const contract = `openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /a: { get: { responses: { '200': { description: A. } } } }
  /b: { $ref: '#/components/pathItems/B' }
components:
  pathItems: { B: { get: { responses: { '200': { description: B. } } } } }
`;
  expect(new Set(suiteOf(contract).cases.map(({ operation }) => operation)).size).toBe(2);
});

test.each([
  ['the file must be an object', '[]'],
  ['unknown kind of fixture what', 'what: {}'],
  ['formats: colour: the only keys are right and wrong, not good', 'formats: { colour: { good: [red] } }'],
  ['patterns: a must be a list', 'patterns: { a: b }'],
  ['mediaTypes: text/csv must have only strings', 'mediaTypes: { text/csv: [1] }'],
])('parseFixtures throws: %s', (message, text) => {
  expect(() => parseFixtures(text)).toThrow(message);
});

test('a contract in another version of OpenAPI is an error', () => {
  expect(() => suiteOf(KEYWORDS.replace('openapi: 3.1.0', 'openapi: 2.0.0'))).toThrow('OpenAPI "2.0.0"');
});

test.each([
  ['{ title: Photo }', true],
  ['{ type: string, format: binary, description: Any. }', true],
  ['{ type: string, contentEncoding: base64 }', false],
  ['{ type: string, contentMediaType: image/png }', false],
])('any bytes are sent as a body of the schema %s: %s', (schema, areSent) => {
  const json = /application\/json:[^]*odd: .*/;
  const suite = suiteOf(contractOf('{}').replace(json, `application/octet-stream: { schema: ${schema} }`));
  expect(titlesOf(suite, 'accepted').length > 0).toBe(areSent);
});
