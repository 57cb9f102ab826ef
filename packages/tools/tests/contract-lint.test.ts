import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lintContract } from '../src/lint/lint-contract';
import { analyseContract } from '../src/lint/analyse-contract';
import { bundleContract } from '../src/bundle/bundle-contract';
import { parseYaml } from '../../contract/src/1-parse/parse-yaml';
import { patch } from '../../../tests/support/load-text';
import { useFolder } from '../../../tests/support/use-folder';
import { makeLargeContract } from '../../../tests/fixtures/contracts/make-large-contract';

type Changes = Readonly<Record<string, unknown>>;

const POST = '/paths/~1plants/post';
const REQUEST = `${POST}/requestBody/content/application~1json`;
const OWN = '/components/schemas/NewPlant/allOf/1/properties';
const RETRY_AFTER = '/components/responses/ServiceUnavailable/headers/Retry-After';

// A released contract, which stays as it is.
const openapi = parseYaml(readFileSync('contracts/1.0.0.yaml', 'utf8'), 'openapi.yaml');

// JSON is YAML.
function toYaml(changes: Changes): string {
  return JSON.stringify(patch(openapi, changes), undefined, 2);
}

async function lint(changes: Changes): Promise<string[]> {
  const findings = await lintContract(bundleContract(toYaml(changes), 'openapi.yaml'));
  return findings.map(({ message }) => message);
}

test('the released contract breaks no rule', async () => {
  await expect(lint({})).resolves.toEqual([]);
});

test.each<[string, Changes, string]>([
  ['an operation without an id', { [`${POST}/operationId`]: undefined }, 'should contain `operationId`'],
  ['an operation without a decision on security', { '/security': undefined }, 'should have security defined'],
  ['an operation without 400', { [`${POST}/responses/400`]: undefined }, 'Each operation documents 400.'],
  [
    'an operation with inherited security and no 401',
    { [`${POST}/responses/401`]: undefined },
    'Each operation documents 401, unless it says "security: []" itself.',
  ],
  [
    'an operation with security of its own and no 401',
    { [`${POST}/security`]: [{ bearerAuth: [] }], '/security': [], [`${POST}/responses/401`]: undefined },
    'Each operation documents 401, unless it says "security: []" itself.',
  ],
  [
    'an operation without any 5xx',
    { [`${POST}/responses/500`]: undefined, [`${POST}/responses/503`]: undefined },
    'Each operation documents a 5xx.',
  ],
  [
    'an example of a request body',
    { [`${REQUEST}/examples/tagged/value`]: { id: 'a', name: 'Rose' } },
    '`id` property type must be integer',
  ],
  [
    'an example of a reply with a name that is misspelt',
    { [`${POST}/responses/200/content/application~1json/examples/tagged/value`]: { name: 'Rose', tagg: 'flower' } },
    'must NOT have unevaluated properties `tagg`',
  ],
  [
    'an example that is all there is',
    { [`${REQUEST}/examples`]: undefined, [`${REQUEST}/example`]: { id: 1 } },
    "must have required property 'name'",
  ],
  [
    'an example by reference',
    { '/components/examples': { a: { value: {} } }, [`${REQUEST}/examples/a`]: { $ref: '#/components/examples/a' } },
    "must have required property 'id'",
  ],
  [
    'an example in components/responses',
    { '/components/responses/BadRequest/content/application~1json/examples/invalidBody/value': { error: 1 } },
    "must have required property 'message'",
  ],
  [
    'an example of a parameter',
    { [`${POST}/parameters`]: [{ name: 'a', in: 'query', schema: { type: 'integer' }, example: 'b' }] },
    'type must be integer',
  ],
  ['an example of a header', { [`${RETRY_AFTER}/schema/example`]: -1 }, 'must be >= 0'],
  [
    'an example of a header where it is not checked',
    { [`${RETRY_AFTER}/example`]: -1 },
    'A header has its example in its schema, where it is checked.',
  ],
  ['an example of a schema', { '/components/schemas/Plant/example': {} }, "must have required property 'name'"],
  ['an example of a property', { '/components/schemas/Plant/properties/name/example': 1 }, 'type must be string'],
  [
    'an example that has not the pattern',
    { '/components/schemas/Plant/properties/name/example': '\0' },
    'must match pattern',
  ],
  [
    'an example that has not the format',
    { [`${OWN}/at`]: { type: 'string', format: 'date-time', example: 'today' } },
    'must match format "date-time"',
  ],
  [
    'an example of an int32 that is out of range',
    { [`${OWN}/small`]: { type: 'integer', format: 'int32', example: 2147483648 } },
    'must match format "int32"',
  ],
  ['an example that is null', { '/components/schemas/Plant/properties/name/example': null }, 'type must be string'],
])('one line for %s', async (_, changes, message) => {
  await expect(lint(changes)).resolves.toContainEqual(expect.stringContaining(message));
});

describe('Redocly', () => {
  const folder = useFolder();
  const file = join(folder, 'openapi.yaml');
  const SOURCE = `openapi: 3.2.0
$self: https://a.example/api
info: { title: A, version: 1.0.0 }
security: [{ '#/components/securitySchemes/S': [] }]
paths: { /a: { get: { parameters: [{ $ref: 'api#/components/parameters/P' }], responses: { '200': { summary: Any. } } } } }
components:
  mediaTypes: { M: { schema: {}, encoding: { a: { prefixEncoding: [], itemEncoding: {} }, b: { encoding: {} } } } }
  parameters: { P: { name: p, in: cookie, style: cookie, schema: {} } }
  securitySchemes:
    S: { type: oauth2, flows: { deviceAuthorization: { deviceAuthorizationUrl: 'https://a', tokenUrl: 'https://a', scopes: { a: A } } } }
`;

  const PLAIN = 'openapi: 3.1.0\ninfo: { title: A, version: 1.0.0 }\npaths: {}\n';

  async function lintText(source: string): Promise<string[]> {
    const findings = await lintContract(bundleContract(source, file));
    return findings.map(({ message }) => message);
  }

  test('prevents nothing in OpenAPI 3.2 that it does not know', () => {
    expect(analyseContract(SOURCE, file).errors).toEqual([]);
  });

  test('reports an error that a rule throws', async () => {
    const plugin = "module.exports = () => ({ id: 'a', rules: { oas3: { b() { throw new Error('It broke.'); } } } });";
    writeFileSync(join(folder, 'plugin.cjs'), plugin);
    writeFileSync(join(folder, 'redocly.yaml'), 'plugins: [plugin.cjs]\nrules: { a/b: warn }');
    await expect(lintText(PLAIN)).resolves.toEqual(['It broke. (redocly)']);
  });

  test('leaves out what it is told to ignore', async () => {
    writeFileSync(join(folder, 'redocly.yaml'), 'rules: { info-license: warn }');
    await expect(lintText(PLAIN)).resolves.toEqual(['Info object should contain `license` field. (info-license)']);
    writeFileSync(join(folder, '.redocly.lint-ignore.yaml'), "openapi.yaml: { info-license: ['#/info'] }\n");
    await expect(lintText(PLAIN)).resolves.toEqual([]);
  });
});

test('a public operation needs no 401', async () => {
  const messages = await lint({ [`${POST}/security`]: [], [`${POST}/responses/401`]: undefined });
  expect(messages.filter((message) => message.includes('401'))).toEqual([]);
});

const FOLDER = 'tests/fixtures/contracts';
const large = [1, 100, 500].map((count) => [`${String(count)} operations`, makeLargeContract(count), count] as const);
const written = [
  ['library.yaml', 18],
  ['everything.yaml', 24],
  ['corners.yaml', 14],
  ['schemas.yaml', 3],
  ['features.yaml', 4],
] as const;
const contracts = [
  ...written.map(([file, count]) => [file, readFileSync(`${FOLDER}/${file}`, 'utf8'), count] as const),
  ...large,
];

test.each(contracts)('%s: without a mistake, with so many operations', (file, source, count) => {
  expect(analyseContract(source, `${FOLDER}/${file}`).errors).toEqual([]);
  expect(source.match(/\boperationId\b/g)).toHaveLength(count);
});
