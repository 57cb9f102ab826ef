import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkContract, type CheckOptions, type CheckResult } from '../src/check/check-contract';
import { CONTRACT_KIT } from './make-project';
import { useFolder } from '@contract-kit/test-support/use-folder';

const SOURCE = readFileSync('packages/test-support/plants/openapi.yaml', 'utf8');
const BROKEN = SOURCE.replace('            minimum: 0\n', '            maximum: 9\n').replace(
  '          required: [id]\n',
  '          required: [id]\n          maxProperties: 9\n',
);

const folder = useFolder();

/** A folder of released contracts. */
function release(files: Readonly<Record<string, string>>): string {
  const contracts = mkdtempSync(join(folder, 'contracts-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(contracts, name), text);
  return contracts;
}

function withVersion(version: string, source = SOURCE): string {
  return source.replace('version: 1.0.0', `version: ${version}`);
}

/** @param contracts the folder of those that are released */
async function check(
  source: string,
  options: CheckOptions = {},
  contracts = release({ '1.0.0.yaml': SOURCE }),
): Promise<CheckResult> {
  const file = join(folder, 'a.yaml');
  writeFileSync(file, source);
  const result = JSON.stringify(await checkContract(file, contracts, options));
  return JSON.parse(result.replaceAll(file, 'a.yaml').replaceAll(contracts, 'contracts')) as CheckResult;
}

async function findErrors(source: string, contracts?: string): Promise<readonly string[]> {
  const { errors, breaking, hasFailed } = await check(source, {}, contracts);
  return [...errors, ...(hasFailed ? breaking : [])];
}

test.each(['1.0.0', '1.0.1', '1.1.0', '1.1.0-rc.1', '2.0.0'])('the contract may become version %s', async (version) => {
  await expect(findErrors(withVersion(version))).resolves.toEqual([]);
});

test.each([
  ['0.9.9', 'the version 0.9.9 is older than the released contract contracts/1.0.0.yaml'],
  ['one', 'the version one is not a semantic version, such as 1.2.0'],
])('the contract may not become version %s', async (version, message) => {
  await expect(findErrors(withVersion(version))).resolves.toEqual([
    expect.stringMatching(`^a\\.yaml:\\d+:\\d+ ${message}$`),
  ]);
});

test('a change that breaks clients needs a new major version', async () => {
  const instead = 'write minimum: 0, or set the version to 2.0.0';
  const line = SOURCE.split('\n').indexOf('            minimum: 0') + 1;
  const hint = `(response-minimum)\nwas contracts/1.0.0.yaml:${String(line)}:13\n${instead}`;
  const expected = [
    expect.stringMatching(
      /^a\.yaml:\d+:\d+ POST \/plants: body: maxProperties none -> 9 .*\nwas .*\nremove maxProperties, or set the version to 2\.0\.0$/,
    ) as string,
    expect.stringContaining(` header retry-after: minimum 0 -> none ${hint}`) as string,
  ];
  await expect(findErrors(BROKEN)).resolves.toEqual(expected);
  await expect(findErrors(withVersion('1.9.0', BROKEN))).resolves.toEqual(expected);
  await expect(check(withVersion('2.0.0', BROKEN))).resolves.toMatchObject({
    hasFailed: false,
    breaking: [
      expect.stringMatching(/ \(request-maxProperties\)\nwas contracts\/1\.0\.0\.yaml:\d+:\d+\nallowed in 2\.0\.0$/),
      expect.stringContaining('minimum 0 -> none'),
    ],
  });
});

test('the message about a changed keyword has what to write instead', async () => {
  const short = SOURCE.replace(/( +)pattern: /, '$1maxLength: 900\n$1pattern: ');
  await expect(findErrors(short.replace('900', '90'), release({ '1.0.0.yaml': short }))).resolves.toEqual([
    expect.stringContaining('\nwrite maxLength: 900, or set the version to 2.0.0'),
  ]);
  const long = SOURCE.replace(/( +)pattern: /, `$1enum: [a, ${'b'.repeat(60)}]\n$1pattern: `);
  await expect(findErrors(long.replace('enum: [a, ', 'enum: ['), release({ '1.0.0.yaml': long }))).resolves.toEqual([
    expect.stringContaining('\nwrite enum as there, or set the version to 2.0.0'),
  ]);
  const union = SOURCE.replace(
    /type: string\n( +)description: Tag/,
    "oneOf: [{ type: integer }, { $ref: '#/Word' }]\n$1description: Tag",
  );
  const overlapping = `${union}Word: { type: [string, integer] }\n`;
  await expect(findErrors(overlapping, release({ '1.0.0.yaml': `${union}Word: { type: string }\n` }))).resolves.toEqual(
    [expect.stringContaining('\nundo the change in what oneOf refers to, or set the version to 2.0.0')],
  );
});

test('additionalProperties: false is reported at its line, by its name', async () => {
  const closed = SOURCE.replace(/( +)required: \[name\]\n/, '$&$1additionalProperties: false\n');
  const line = closed.split('\n').findIndex((text) => text.includes('additionalProperties: false')) + 1;
  const errors = await findErrors(closed);
  expect(errors).toHaveLength(2);
  for (const error of errors) {
    expect(error).toMatch(new RegExp(`^a\\.yaml:${String(line)}:7 .*\\(request-additionalProperties\\)\n`));
    expect(error).toContain('\nremove additionalProperties, or ');
  }
});

test('one change of a schema is one error, however many operations use the schema, and two changes are two', async () => {
  const json = (schema: string): string => `content: { application/json: { schema: ${schema} } }`;
  const [parcel, parcels] = [
    `{ $ref: '#/components/schemas/Parcel' }`,
    `{ type: array, items: { $ref: '#/components/schemas/Parcel' } }`,
  ];
  const create = (states: string, required: string): string => `openapi: 3.1.0
info: { title: Parcels, version: 1.0.0 }
security: []
paths:
  /parcels:
    get: { operationId: a, responses: { '200': { description: All., ${json(parcels)} } } }
    put: { operationId: b, responses: { '200': { description: One., ${json(parcel)} } } }
components:
  schemas:
    State: { type: string, enum: [${states}] }
    Parcel:
      type: object
      required: [${required}]
      properties: { old: { $ref: '#/components/schemas/State' }, now: { $ref: '#/components/schemas/State' } }
`;
  const released = release({ '1.0.0.yaml': create('kept, sent', 'old, now') });
  await expect(findErrors(create('kept, lost, sent', ''), released)).resolves.toEqual([
    expect.stringMatching(
      /^a\.yaml:10:28 GET \/parcels: response 200\/items\/old: enum .*\(response-enum\) \(2 times\)\n/,
    ),
    expect.stringMatching(/^a\.yaml:13:7 GET \/parcels: response 200\/items: old is now optional .*\(2 times\)\n/),
    expect.stringMatching(/^a\.yaml:13:7 GET \/parcels: response 200\/items: now is now optional .*\(2 times\)\n/),
  ]);
});

test('a version 0.y.z may change anything, if it is another one', async () => {
  const contracts = release({ '0.1.0.yaml': withVersion('0.1.0') });
  await expect(findErrors(withVersion('0.1.0', BROKEN), contracts)).resolves.toEqual([
    expect.stringContaining('set the version to 0.2.0'),
    expect.stringContaining('set the version to 0.2.0'),
  ]);
  await expect(check(withVersion('0.1.1', BROKEN), {}, contracts)).resolves.toMatchObject({
    errors: [],
    hasFailed: false,
    breaking: [expect.any(String), expect.any(String)],
  });
});

test('a change that may break clients is told, and is not an error', async () => {
  const { errors, mayBreak } = await check(SOURCE.replace("u0000]*$'", () => "u0000]+$'"));
  expect(errors).toEqual([]);
  const told = expect.stringContaining('\nwas contracts/1.0.0.yaml:') as string;
  expect(mayBreak).toEqual([told, told]);
});

test('a contract is compared with the newest released one', async () => {
  const contracts = release({
    '.DS_Store': '',
    '1.0.0.yaml': SOURCE,
    '1.10.0.yaml': withVersion('1.10.0', BROKEN),
    '1.9.0.yaml': withVersion('1.9.0'),
  });
  await expect(findErrors(withVersion('1.10.0', BROKEN), contracts)).resolves.toEqual([]);
  await expect(findErrors(withVersion('1.10.0'), contracts)).resolves.toHaveLength(1);
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  ['the folder is empty', {}, 'contains no released contract'],
  ['a file has another version than its name', { '1.0.1.yaml': SOURCE }, '1.0.1.yaml has info.version 1.0.0'],
  ['a file has no version', { '1.0.0.yaml': 'openapi: 3.1.0' }, '1.0.0.yaml has info.version undefined'],
  [
    'a file is named after a prerelease',
    { '1.0.0-rc.1.yaml': withVersion('1.0.0-rc.1') },
    '1.0.0-rc.1.yaml is not named like a released contract',
  ],
  [
    'a file is not a contract',
    { 'README.md': SOURCE },
    'README.md is not named like a released contract, such as 1.0.0.yaml',
  ],
  ['a file cannot be read', { '1.0.0.yaml': 'a: [' }, '1.0.0.yaml:1:5 '],
])('nothing is compared when %s', async (_, files, message) => {
  await expect(findErrors(SOURCE, release(files))).rejects.toThrow(message);
});

test('breaking changes, and in strict mode also advice, are reported together', async () => {
  const source = BROKEN.replace(/  license:\n.*\n.*\n/, '');
  const broken: unknown[] = [
    expect.stringContaining('maxProperties none -> 9'),
    expect.stringContaining('minimum 0 -> none'),
  ];
  const advice: unknown[] = [expect.stringMatching(/^a\.yaml:\d+:\d+ .*`license`/)];
  await expect(check(source)).resolves.toMatchObject({ breaking: broken, advice, errors: [] });
  await expect(check(source, { isStrict: true })).resolves.toMatchObject({
    ...{ breaking: broken, errors: expect.arrayContaining(advice) as string[], advice: [] },
  });
});

test('a contract with errors is not compared with a release', async () => {
  await expect(findErrors(SOURCE.replace('#/components/schemas/Plant', '#/components/schemas/Plan'))).resolves.toEqual([
    expect.stringMatching(/^a\.yaml:\d+:\d+ #\/components\/schemas\/Plan does not exist/),
  ]);
});

test('contract-kit check prints breaking changes, and fails if the version does not allow them', () => {
  const project = join(folder, 'project');
  mkdirSync(project);
  mkdirSync(join(project, 'contracts'));
  for (const name of ['openapi.yaml', 'contracts/1.0.0.yaml']) writeFileSync(join(project, name), SOURCE);
  function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
    return spawnSync(process.execPath, [...CONTRACT_KIT, 'check', ...args], { cwd: project, encoding: 'utf8' });
  }
  expect(run()).toMatchObject({
    status: 0,
    stdout: 'openapi.yaml: 0 errors, 0 breaking changes since contracts/1.0.0.yaml, 0 pieces of advice\n',
    stderr: '',
  });
  writeFileSync(join(project, 'openapi.yaml'), BROKEN);
  expect(run()).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(
      /^(openapi\.yaml:\d+:\d+: breaking: .*\n +\d+ \| .*\n +\| +\^\n {2}was .*\n.*set the version to 2\.0\.0\n){2}openapi\.yaml: 0 errors, 2 breaking changes since .*\n$/,
    ) as string,
    stderr: '',
  });
  expect(JSON.parse(run('--json').stdout)).toMatchObject({
    changes: [
      {
        rule: 'request-maxProperties',
        isCertain: true,
        file: 'openapi.yaml',
        released: { file: 'contracts/1.0.0.yaml' },
      },
      { rule: 'response-minimum' },
    ],
  });
  writeFileSync(join(project, 'openapi.yaml'), withVersion('2.0.0', BROKEN));
  const report = /^(openapi\.yaml:\d+:\d+: breaking: [^]*allowed in 2\.0\.0\n){2}openapi\.yaml: 0 errors, 2 breaking /;
  expect(run()).toMatchObject({ status: 0, stdout: expect.stringMatching(report) as string, stderr: '' });
});
