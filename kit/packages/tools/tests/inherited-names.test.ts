import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INHERITED_NAMES } from '@contract-kit/contract';
import { bundleContract } from '../src/bundle/bundle-contract';
import { checkContract } from '../src/check/check-contract';
import { generate } from '../src/generate/generate';
import { makeNamedContract } from '@contract-kit/test-support/make-named-contract';
import { useFolder } from '@contract-kit/test-support/use-folder';

const folder = useFolder();
const file = join(folder, 'openapi.yaml');

interface Changeable {
  readonly components: {
    readonly schemas: Record<string, { readonly required: string[] }>;
    readonly examples: Record<string, { value: unknown }>;
  };
}

/** The contract with a required property that is missing, and a wrong example. */
function toWrong(name: string): string {
  const document = JSON.parse(makeNamedContract(name)) as Changeable;
  const { schemas, examples } = document.components;
  schemas[name]?.required.push('missing');
  Object.assign(examples[name] ?? {}, { value: { [name]: 1, missing: 1 } });
  return JSON.stringify(document, null, 2);
}

async function make(name: string): Promise<readonly unknown[]> {
  const { 'api.d.ts': api, 'schemas.d.ts': schemas } = await generate(makeNamedContract(name), file);
  // A type cannot have the name of a keyword.
  return [api, schemas].map((text) => text?.replaceAll('constructor$', 'constructor'));
}

async function check(source: string, contracts = 'contracts'): Promise<unknown> {
  writeFileSync(file, source);
  return checkContract(file, join(folder, contracts), { isStrict: false });
}

/** What a newer version breaks: it takes shorter strings, and one value less. */
async function compare(name: string): Promise<unknown> {
  const contract = makeNamedContract(name);
  mkdirSync(join(folder, 'released'), { recursive: true });
  writeFileSync(join(folder, 'released/1.0.0.yaml'), contract);
  const newer = contract.replace('"version": "1.0.0"', '"version": "2.0.0"').replace(/,\s*"other"/, '');
  return check(newer.replaceAll('"maxLength": 40', '"maxLength": 30'), 'released');
}

function bundle(name: string): string {
  const { components, ...document } = JSON.parse(makeNamedContract(name)) as { components: Record<string, unknown> };
  const { securitySchemes, ...parts } = components;
  writeFileSync(join(folder, 'parts.yaml'), JSON.stringify(parts).replaceAll('"#/components/', '"#/'));
  const text = JSON.stringify({ ...document, components: { securitySchemes } });
  return bundleContract(text.replaceAll('"#/components/', '"parts.yaml#/'), file).source;
}

const NAMES = INHERITED_NAMES.filter((name) => name !== '__proto__');

describe.each(NAMES)('%s, which every object inherits, is a name of a contract like any other', (name) => {
  // As long: the places in messages are then the same.
  const other = 'o'.repeat(name.length);
  const rename = (made: unknown): unknown => JSON.parse(JSON.stringify(made).replaceAll(other, name));

  test(`the types of ${name} are those of any other name`, async () => {
    expect(await make(name)).toEqual(rename(await make(other)));
  });

  test(`check finds what a newer version breaks at the name ${name}`, async () => {
    const broken = (await compare(other)) as { breaking: unknown[] };
    expect(broken.breaking.length).toBeGreaterThan(2);
    // The names of headers are in lower case there.
    const text = JSON.stringify(await compare(name)).replaceAll(`header ${name.toLowerCase()}`, `header ${name}`);
    expect((JSON.parse(text) as typeof broken).breaking).toEqual(rename(broken.breaking));
  });

  test(`one document is made of several files with the name ${name}`, () => {
    expect(bundle(name)).toBe(rename(bundle(other)));
  });
});

test('names that look like a marked one keep their spelling', async () => {
  const names = ['valueOf_q', 'valueOf_qq', 'hasOwnProperty_qqq', '_q'];
  const { 'schemas.d.ts': schemas } = await generate(makeNamedContract('hasOwnProperty', 'valueOf', ...names), file);
  for (const name of names) expect(schemas).toContain(`    ${name}: string;\n`);
});

// Redocly calls hasOwnProperty of what it lints, so that it can say nothing of this name.
const LINTED = NAMES.filter((name) => name !== 'hasOwnProperty');

test.each(LINTED)(
  'check finds nothing in a right contract with the name %s, and what is wrong in another',
  async (name) => {
    expect(await check(makeNamedContract(name))).toMatchObject({ errors: [], advice: [], notes: [] });
    const wrong = await check(toWrong('o'.repeat(name.length)));
    expect(JSON.stringify(wrong)).toContain("Required property 'missing' is not defined.");
    expect(await check(toWrong(name))).toEqual(
      JSON.parse(JSON.stringify(wrong).replaceAll('o'.repeat(name.length), name)),
    );
  },
);

const PLAIN = makeNamedContract('plain');

test.each([
  ['a property', PLAIN.replace('"properties": {', '"properties": { "__proto__": {},')],
  [
    'a pattern of properties',
    PLAIN.replace('"properties": {', '"patternProperties": { "__proto__": {} }, "properties": {'),
  ],
  ['a required property', PLAIN.replace('"required": [', '"required": [ "__proto__",')],
  ['a parameter', PLAIN.replace('"name": "plain",\n            "in": "query"', '"name": "__proto__", "in": "query"')],
  ['a header', PLAIN.replace('"headers": {', '"headers": { "__proto__": {"schema":{}},')],
  ['every name', makeNamedContract('__proto__')],
])('__proto__ as %s is refused with its place', async (_, source) => {
  await expect(generate(source, file)).rejects.toThrow(/openapi\.yaml:\d+:\d+ the name __proto__ cannot be checked/);
});
