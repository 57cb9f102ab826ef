import { readFileSync } from 'node:fs';
import { generate } from '../src/generate/generate';
import { analyseContract } from '../src/lint/analyse-contract';

/** The type of the schema `A`, beside the schema `B`, on one line. */
async function typeOf(schema: string): Promise<string | undefined> {
  const source = `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
paths: { /a: { post: { operationId: a, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } }, responses: { '204': { description: A. } } } } }
components: { schemas: { A: ${schema}, B: { $defs: { C: { type: string } }, properties: { c: { $ref: '#/components/schemas/B/$defs/C' } } }, C: true } }
`;
  const { 'schemas.d.ts': types = '' } = await generate(source, 'openapi.yaml');
  const text = types
    .replace(/\/\*\*.*?\*\//gs, '')
    .replaceAll('export type ', '')
    .replace(/\s+/g, ' ');
  return / A = (.*?); B = \{ c\?: C\$; \}; C = unknown;(?: D = number;)? C\$ = string;/.exec(text)?.[1];
}

const INT64 = 'type: integer, format: int64';

test.each([
  [
    'what definitions have',
    "{ definitions: { D: { type: number } }, properties: { d: { $ref: '#/components/schemas/A/definitions/D' } } }",
    '{ d?: D; }',
  ],
  [
    'data with a member $ref, which is no reference',
    "{ type: string, example: { $ref: 'http://127.0.0.1:9/' }, examples: [{ $ref: '#a' }], default: { a: { $ref: b.yaml } } }",
    'string',
  ],
  [
    'a property with the name of a method that openapi-typescript calls',
    '{ type: object, required: [hasOwnProperty], properties: { hasOwnProperty: { enum: [hasOwnProperty] } } }',
    '{ hasOwnProperty: "hasOwnProperty"; }',
  ],
  ['an object of a list', '{ type: object, enum: [{ a: 1 }, {}] }', 'Record<string, unknown>'],
  ['an object of a list that has none', '{ type: object, enum: [1, [a]] }', 'Record<string, unknown>'],
  ['bytes in JSON are a text', '{ type: string, format: binary }', 'string'],
  ['what false allows', '{ type: object, properties: { a: false, b: true } }', '{ a?: never; b?: unknown; }'],
  [
    'a tuple that may be shorter',
    `{ type: array, prefixItems: [{ ${INT64} }, { type: string }], items: false }`,
    '(bigint | string)[]',
  ],
  [
    'a tuple that may be longer',
    '{ type: array, prefixItems: [{ type: string }], items: { type: number }, minItems: 1 }',
    '(string | number)[]',
  ],
  ['a tuple of any length', '{ type: array, prefixItems: [{ type: string }] }', '(string | unknown)[]'],
  [
    'a tuple',
    `{ type: array, prefixItems: [{ ${INT64} }, { type: string }], minItems: 2, maxItems: 2 }`,
    '[ bigint, string ]',
  ],
  ['names by a pattern', `{ type: object, patternProperties: { ^n: { ${INT64} } } }`, '{ [key: string]: bigint; }'],
  [
    'names by a pattern beside a property',
    `{ type: object, properties: { k: { type: string } }, patternProperties: { ^x-: { type: integer } } }`,
    '{ k?: string; } & { [key: string]: number | string; }',
  ],
  [
    'names by a pattern in another part than a property',
    `{ allOf: [{ properties: { k: { type: string } } }, { patternProperties: { ^x-: { type: integer } } }] }`,
    '{ k?: string; } & { [key: string]: number | string; }',
  ],
  [
    'names by a pattern in an alternative beside a property',
    `{ properties: { k: { type: string } }, oneOf: [{ patternProperties: { ^x-: { type: integer } } }, { required: [z] }] }`,
    '{ k?: string; } & ({ [key: string]: number | string; } | { z: unknown; })',
  ],
  ['others', `{ type: object, unevaluatedProperties: { ${INT64} } }`, '{ [key: string]: bigint; }'],
  ['a text of the format int64', '{ type: string, format: int64 }', 'string'],
  ['the format int64 without a type', '{ format: int64 }', 'unknown'],
  [
    'an int64 of several types',
    "{ type: [integer, string, boolean, array, 'null'], format: int64 }",
    'bigint | string | boolean | unknown[] | null',
  ],
  ['a number of the format int64', "{ type: [number, 'null'], format: int64 }", 'bigint | null'],
  ['an int64 or another number', `{ anyOf: [{ ${INT64} }, { type: number }] }`, 'bigint | number'],
  [
    'what only conditions declare',
    '{ properties: { a: { type: string } }, if: {}, then: { properties: { a: { maxLength: 1 }, b: { type: string, default: x } }, required: [b] }, else: { properties: { b: { type: number } } } }',
    '{ a?: string; b?: string | number; }',
  ],
  [
    'what only a dependent schema declares',
    "{ properties: { a: { type: string } }, dependentSchemas: { a: { $ref: '#/components/schemas/B' } } }",
    '{ a?: string; c?: C$; }',
  ],
  [
    'what conditions inside of conditions declare',
    '{ properties: { a: { type: string } }, dependentSchemas: { a: { if: {}, then: { properties: { b: { type: string } } } } }, then: { allOf: [{ properties: { c: { type: number } } }, { anyOf: [{ properties: { d: { type: boolean } } }, { properties: { d: { type: string } } }] }] } }',
    '{ a?: string; c?: number; d?: boolean | string; b?: string; }',
  ],
  [
    'what a condition declares that leads back to its own schema',
    "{ properties: { child: { properties: { kind: { type: string } }, if: { required: [kind] }, then: { $ref: '#/components/schemas/A' } } } }",
    '{ child?: { kind?: string; child?: unknown; }; }',
  ],
  [
    'what conditions declare that lead back to several schemas',
    "{ properties: { b: { properties: { e: { type: string } }, then: { $ref: '#/components/schemas/A' } }, d: { type: object, else: { $ref: '#/components/schemas/A' } } } }",
    '{ b?: { e?: string; b?: unknown; d?: unknown; }; d?: { b?: unknown; d?: unknown; }; }',
  ],
  [
    'a name of required whose property leads back to its own schema',
    "{ properties: { child: { allOf: [{ $ref: '#/components/schemas/A' }], required: [child] } } }",
    '{ child?: { child: unknown; } & A; }',
  ],
  ['an object without properties', '{ type: object }', 'Record<string, unknown>'],
  ['a closed object without properties', '{ type: object, additionalProperties: false }', 'Record<never, never>'],
  ['the constant null', '{ const: null }', 'null'],
  ['values of another type', '{ type: string, enum: [x, null, 1] }', '"x"'],
  ['a fraction where integers are', '{ type: integer, enum: [1, 2.5] }', '1'],
  [
    'others of another type',
    '{ type: object, properties: { a: { type: string } }, additionalProperties: { type: number } }',
    '{ a?: string; } & { [key: string]: number | string; }',
  ],
  [
    'a name of required whose property is in another part',
    '{ allOf: [{ properties: { a: { type: string } } }, { required: [a] }] }',
    '{ a?: string; } & { a: string; }',
  ],
  [
    'a name of required without a property',
    '{ type: object, properties: { a: true }, required: [a, b] }',
    '{ a: unknown; b: unknown; }',
  ],
  [
    'a name of required that additionalProperties declares',
    '{ type: object, additionalProperties: { type: number }, required: [b] }',
    '{ b: number; } & { [key: string]: number; }',
  ],
  [
    'what one of several alternatives requires',
    '{ type: object, properties: { a: true, b: true }, oneOf: [{ required: [a] }, { required: [b] }] }',
    '{ a?: unknown; b?: unknown; } & ({ a: unknown; } | { b: unknown; })',
  ],
])('%s: %s', async (_, schema, type) => {
  await expect(typeOf(schema)).resolves.toBe(type);
});

const MEDIA = readFileSync('packages/test-support/fixtures/media.yaml', 'utf8');

test('bodies have the types that a handler gets', async () => {
  const { 'api.d.ts': types = '' } = await generate(MEDIA, 'media.yaml');
  const [, bodies = ''] = /sendBody: \{[^]*?requestBody\?: \{\s*content: \{([^}]*)\}/.exec(types) ?? [];
  expect(
    bodies
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ).toEqual([
    '"application/xml": string;',
    '"text/csv": string;',
    '"text/number": bigint;',
    '"text/switch": boolean;',
    '"application/pdf": Blob;',
    '"application/zip": Blob;',
    '"image/*": Blob;',
    '"image/svg+xml": string;',
    '"application/vnd.note+json; version=1": schemas.Note;',
    '"application/vnd.note+json; version=2": unknown;',
    '"Application/Problem+JSON; charset=utf-8": schemas.Note;',
    '"text/html; charset=iso-8859-1": Blob;',
  ]);
  expect(types).toMatch(/sendAnything: \{[^]*?content: \{\s*"application\/json": schemas.Note;\s*\}/);
});

test('the media types of unchecked bodies are noted once', () => {
  const { notes, errors } = analyseContract(MEDIA, 'media.yaml');
  expect(errors).toEqual([]);
  expect(notes.filter((note) => note.includes('not checked'))).toEqual([
    'Bodies of these media types are not checked; handlers get and return them as text or bytes: application/xml, text/csv, application/pdf, text/event-stream',
  ]);
});

test.each([
  ["{ anyOf: [{ $ref: '#/components/schemas/Bytes' }, { type: 'null' }] }", 'f?: File;'],
  ["{ allOf: [{ $ref: '#/components/schemas/Bytes' }], description: A. }", 'f?: File;'],
  ["{ type: array, items: { allOf: [{ $ref: '#/components/schemas/Bytes' }] } }", 'f?: File[];'],
  ['{ oneOf: [{ type: string, format: binary }, { type: string, format: uri }] }', 'f?: File | string;'],
  ['{ oneOf: [{ type: string, format: binary }, { type: array, items: { format: binary } }] }', 'f?: File | File[];'],
])('the type of a part of the schema %s is %s', async (schema, type) => {
  const source = `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
security: []
paths:
  /a:
    post:
      operationId: a
      requestBody: { content: { multipart/form-data: { schema: { type: object, properties: { f: ${schema} } } } } }
      responses: { '204': { description: Done. } }
components: { schemas: { Bytes: { type: string, format: binary } } }
`;
  const { 'api.d.ts': types = '' } = await generate(source, 'a.yaml');
  expect(
    types
      .replaceAll(/\/\*\*[^]*?\*\/|\s+/g, ' ')
      .replaceAll(/ +/g, ' ')
      .replaceAll(/\((\w+)\)/g, '$1'),
  ).toContain(type);
});

test('files of a form are of type File', async () => {
  const { 'api.d.ts': types = '' } = await generate(
    readFileSync('packages/test-support/fixtures/forms.yaml', 'utf8'),
    'forms.yaml',
  );
  const [, form = ''] = /"multipart\/form-data": \{([^}]*)\}/.exec(types) ?? [];
  const lines = form.split('\n').map((line) => line.trim());
  expect(lines.filter((line) => line !== '' && !line.includes('*'))).toEqual([
    'id: bigint;',
    'name?: string;',
    'isOpen?: boolean;',
    'tags?: string[];',
    'sizes?: bigint[];',
    'owner?: schemas.Owner;',
    'file?: File;',
    'photo?: File;',
    'files?: File[];',
  ]);
});

/** The types of schemas that a contract has, each on a line. */
async function typesOf(schemas: string): Promise<string[]> {
  const source = `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
paths: {}
components: { schemas: { ${schemas} } }
`;
  const { 'schemas.d.ts': types = '' } = await generate(source, 'openapi.yaml');
  const text = types.replace(/\/\*\*.*?\*\//gs, '').replace(/\s+/g, ' ');
  return text
    .split('export type ')
    .slice(1)
    .map((type) => type.replace(/;?( export \{\};)? $/, ''));
}

const ref = (name: string): string => `{ $ref: '#/components/schemas/${name}' }`;
const ID = 'id: { type: string, readOnly: true }';
const PIN = 'pin: { type: string, writeOnly: true }';
const NESTED =
  '{ type: array, items: { required: [id], properties: { id: { type: string }, name: { type: string } } } }';

test.each([
  ['without readOnly and writeOnly, requests and replies have one type', 'A: { type: string }', ['A = string']],
  [
    'what is readOnly is in replies, what is writeOnly in requests',
    `A: { type: object, required: [id, pin], properties: { ${ID}, ${PIN} } }`,
    ['A = { id: string; }', 'A$Request = { pin: string; }'],
  ],
  [
    'a schema differs that refers to one that differs',
    `A: { type: object, properties: { ${ID} } }, B: { type: array, items: ${ref('A')} }, C: { type: array, items: ${ref('D')} }, D: {}`,
    [
      'A = { id?: string; }',
      'A$Request = Record<never, never>',
      'B = A[]',
      'B$Request = A$Request[]',
      'C = D[]',
      'D = unknown',
    ],
  ],
  [
    'what another part of an allOf requires is readOnly as it is declared',
    `A: { type: object, properties: { ${ID} } }, B: { allOf: [${ref('A')}, { required: [id] }] }`,
    [
      'A = { id?: string; }',
      'A$Request = Record<never, never>',
      'B = A & { id: string; }',
      'B$Request = A$Request & Record<never, never>',
    ],
  ],
  [
    'a property that only one part of an allOf declares as readOnly is in no request',
    'A: { allOf: [{ required: [id], properties: { id: { type: number } } }, { properties: { id: { readOnly: true } } }] }',
    ['A = { id: number; } & { id?: unknown; }', 'A$Request = Record<never, never> & Record<never, never>'],
  ],
  [
    'a property inside another property, or in items, is readOnly if any part of an allOf says so',
    `A: { allOf: [{ properties: { b: ${NESTED} } }, { properties: { b: { type: array, items: { properties: { ${ID} } } } } }] }`,
    [
      'A = { b?: { id: string; name?: string; }[]; } & { b?: { id?: string; }[]; }',
      'A$Request = { b?: { name?: string; }[]; } & { b?: Record<never, never>[]; }',
    ],
  ],
  [
    'a reference has the properties that no schema beside it excludes',
    `A: { properties: { id: {}, pin: {}, name: {} } }, B: { allOf: [${ref('A')}], properties: { ${ID} } }, C: { anyOf: [${ref('A')}, { type: string }], properties: { ${PIN} } }`,
    [
      'A = { id?: unknown; pin?: unknown; name?: unknown; }',
      'B = { id?: string; } & A',
      'B$Request = Record<never, never> & { pin?: unknown; name?: unknown; }',
      'C = Record<never, never> & ({ id?: unknown; name?: unknown; } | string)',
      'C$Request = { pin?: string; } & (A | string)',
    ],
  ],
  [
    'a schema that every value would have to match without end has the type unknown',
    `A: { type: object, required: [a], allOf: [${ref('A')}] }, B: { properties: { a: ${ref('A')} } }`,
    ['A = unknown', 'B = { a?: A; }'],
  ],
  [
    'an object without properties may be null, and other values have their own types',
    `A: { type: [object, 'null'], additionalProperties: false }, B: { type: boolean, additionalProperties: false }`,
    ['A = Record<never, never> | null', 'B = boolean'],
  ],
  [
    'what an allOf requires beside it is readOnly as it is declared',
    `A: { type: object, properties: { ${ID} } }, B: { type: object, allOf: [${ref('A')}], required: [id] }`,
    [
      'A = { id?: string; }',
      'A$Request = Record<never, never>',
      'B = { id: string; } & A',
      'B$Request = Record<never, never> & A$Request',
    ],
  ],
  [
    'a tag with two values is an alternative for each',
    `A: { oneOf: [${ref('B')}, ${ref('C')}], discriminator: { propertyName: k, mapping: { x: B, y: B, z: C } } }, B: { required: [k] }, C: { required: [k] }`,
    ['A = (B & { k: "x"; }) | (B & { k: "y"; }) | (C & { k: "z"; })', 'B = { k: unknown; }', 'C = { k: unknown; }'],
  ],
  [
    'a name that TypeScript does not allow, or that the types use',
    `a.b: ${ref('a_b')}, a_b: {}, a-b: {}, 2fa: {}, class: {}, File: {}, ARequest: {}`,
    [
      'a_b$ = a_b',
      'a_b = unknown',
      'a_b$$ = unknown',
      '_2fa = unknown',
      'class$ = unknown',
      'File$ = unknown',
      'ARequest = unknown',
    ],
  ],
])('%s', async (_, schemas, types) => {
  await expect(typesOf(schemas)).resolves.toEqual(types);
});

test('only a request has a property with a default in any case', async () => {
  const body = `content: { application/json: { schema: ${ref('A')} } }`;
  const source = `openapi: 3.0.3
info: { title: A, version: 1.0.0 }
paths: { /a: { post: { operationId: a, requestBody: { ${body} }, responses: { '200': { description: A., ${body} } } } } }
components: { schemas: { A: { type: object, properties: { a: { type: string, default: x }, b: { type: string, nullable: true, enum: [x] }, c: ${ref('C')}, d: { allOf: [${ref('C')}] } } }, C: { type: integer, default: 3 } } }
`;
  const { 'schemas.d.ts': types = '' } = await generate(source, 'openapi.yaml');
  const text = types.replace(/\/\*\*[^]*?\*\//g, '').replace(/\s+/g, ' ');
  expect(text).toContain(
    'A = { a?: string; b?: "x"; c?: C; d?: C; }; export type A$Request = { a: string; b?: "x"; c: C; d: C; };',
  );
});

test('types of requests and replies refer to the schema in their mode', async () => {
  const body = `content: { application/json: { schema: ${ref('A')} } }`;
  const source = `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
paths:
  /a:
    post: { operationId: responses, security: [], requestBody: { ${body} }, responses: { '200': { $ref: '#/components/responses/A' }, '201': { description: A., ${body} } } }
components:
  responses: { A: { description: A., ${body} } }
  schemas: { A: { type: object, properties: { ${ID} } } }
`;
  const { 'api.d.ts': types = '' } = await generate(source, 'openapi.yaml');
  expect(types.match(/schemas\.[A-Z]\S*/g)).toEqual(['schemas.A$Request;', 'schemas.A;', 'schemas.A;']);
});
