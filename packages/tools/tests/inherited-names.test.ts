import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkContract } from '../src/check/check-contract';
import { generate } from '../src/generate/generate';
import { useFolder } from '../../../tests/support/use-folder';

const folder = useFolder();
const file = join(folder, 'openapi.yaml');

/** A contract with a name wherever one may be, a required property that is missing, and a wrong example. */
function toContract(name: string): string {
  return `openapi: 3.1.0
info: { title: ${name}, version: 1.0.0, license: { name: MIT } }
servers: [{ url: https://example.org }]
security: [{ ${name}: [] }]
tags: [{ name: ${name}, description: The ${name} of all objects. }]
paths:
  /${name}/{${name}}:
    post:
      operationId: ${name}
      summary: ${name}
      tags: [${name}]
      parameters:
        - { name: ${name}, in: path, required: true, schema: { type: string } }
        - { name: ${name}, in: query, schema: { $ref: '#/components/schemas/${name}' } }
        - { name: ${name}, in: header, schema: { type: string } }
        - { name: ${name}, in: cookie, schema: { type: string } }
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Holder' } } } }
      responses:
        '200':
          description: ${name}
          headers: { ${name}: { schema: { type: string } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Chosen' }, example: { ${name}: 1 } } }
        4XX: { $ref: '#/components/responses/${name}' }
components:
  securitySchemes: { ${name}: { type: http, scheme: bearer } }
  responses: { ${name}: { description: No., content: { application/json: { schema: { type: object } } } } }
  schemas:
    ${name}: { type: string, enum: [${name}, '${name}10'] }
    Holder:
      type: object
      required: [${name}, missing]
      properties: { ${name}: { type: string, maxLength: ${String(name.length)}, example: ${name} }, ${name}Of: {} }
    Chosen: { oneOf: [{ $ref: '#/components/schemas/Kind' }], discriminator: { propertyName: ${name}, mapping: { ${name}: '#/components/schemas/Kind' } } }
    Kind: { type: object, required: [${name}], properties: { ${name}: { type: string } } }
`;
}

async function make(source: string): Promise<readonly unknown[]> {
  const { 'api.d.ts': api, 'schemas.d.ts': schemas } = await generate(source, file);
  // A type cannot have the name of a keyword.
  return [api, schemas].map((text) => text?.replaceAll('constructor$', 'constructor'));
}

async function check(source: string): Promise<unknown> {
  writeFileSync(file, source);
  return checkContract(file, join(folder, 'contracts'), { isStrict: false });
}

const NAMES = Object.getOwnPropertyNames(Object.prototype).filter((name) => name !== '__proto__');

test.each(NAMES)('%s, which every object inherits, is a name of a contract like any other', async (name) => {
  // As long: the places in messages are then the same.
  const other = 'o'.repeat(name.length);
  const [like, own] = [toContract(other), toContract(name)];
  const rename = (made: unknown): unknown => JSON.parse(JSON.stringify(made).replaceAll(other, name));
  expect(await make(own)).toEqual(rename(await make(like)));
  const checked = await check(like);
  expect(JSON.stringify(checked)).toContain("Required property 'missing' is not defined.");
  expect(await check(own)).toEqual(rename(checked));
});

test('names that look like a stand-in for an inherited one keep their spelling', async () => {
  const names = ['hasOwnPropertY', 'hasOwnPropert0', 'hasOwnPropert1', 'valueO0'];
  const properties = ['hasOwnProperty', 'valueOf', ...names].map((name) => `${name}: { type: string }`).join(', ');
  const source = toContract('plain').replace('plainOf: {}', properties);
  const [, schemas] = await make(source);
  for (const name of names) expect(schemas).toContain(`    ${name}?: string;\n`);
});

test.each([
  ['a property', 'plainOf: {}', '__proto__: {}'],
  ['a parameter', 'name: plain, in: query', 'name: __proto__, in: query'],
  ['a header', 'headers: { plain:', 'headers: { __proto__:'],
])('__proto__ as %s is refused with its place', async (_, plain, inherited) => {
  const source = toContract('plain').replace(plain, inherited);
  await expect(generate(source, file)).rejects.toThrow(/openapi\.yaml:\d+:\d+ no schema of __proto__ can be enforced/);
});
