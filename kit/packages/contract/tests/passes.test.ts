// The passes that read a contract, each alone: what it makes of the document before it, which it leaves as it is.
import { METHODS } from 'node:http';
import { exactValueOf, parseYaml } from '../src/1-parse/parse-yaml';
import { resolveDocument } from '../src/2-resolve/resolve-document';
import type { Document, NormalizedDocument } from '../src/2-resolve/document';
import { METHODS_WITHOUT_FIELD } from '../src/2-resolve/path-item';
import { KEYWORDS } from '../src/2-resolve/schema';
import { OPERATION_FIELDS } from '../src/2-resolve/structure';
import { discriminatorValuesOf } from '../src/3-plain/discriminator';
import { toPlainDocument } from '../src/3-plain/plain-document';
import { createShape, propertyShape } from '../src/4-shape/shape';
import { readOperations } from '../src/load-contract';
import { createToPointer } from '../src/text/document-error';

const HEAD = 'openapi: 3.1.0\ninfo: { title: passes, version: 1.0.0 }\npaths: {}\n';

function parse(schemas: string): Document {
  return parseYaml(`${HEAD}components: { schemas: { ${schemas} } }`, 'contract.yaml') as Document;
}

function schemasOf({ components }: Document | NormalizedDocument): unknown {
  return components?.['schemas'];
}

test('the second pass leaves out what is malformed, reports it, and hands dialects down', () => {
  const draft = 'http://json-schema.org/draft-07/schema#';
  const written = parse(`A: { type: 5, $schema: '${draft}', items: { minLength: x } }, B: 5`);
  const { document, schemas, errors } = resolveDocument(written, () => []);
  expect(schemasOf(document)).toEqual({ A: { $schema: draft, items: { $schema: draft } }, B: {} });
  expect(schemas).toHaveProperty('size', 2);
  expect(errors.map(createToPointer([document]))).toEqual([
    '#/components/schemas/B',
    '#/components/schemas/A/type',
    '#/components/schemas/A/items/minLength',
  ]);
});

test('the second pass keeps the digits of numbers and what a YAML alias stands for', () => {
  const { document } = resolveDocument(parse('A: &a { maximum: 9223372036854775807 }, B: *a'), () => []);
  const { A, B } = schemasOf(document) as { readonly A: object; readonly B: object };
  expect(A).toBe(B);
  expect(exactValueOf(A, 'maximum')).toBe(9_223_372_036_854_775_807n);
});

test('the additional methods are all that Node reads', () => {
  const fixed = [...Object.keys(OPERATION_FIELDS).map((field) => field.toUpperCase()), 'CONNECT'];
  expect([...METHODS_WITHOUT_FIELD]).toEqual(METHODS.filter((method) => !fixed.includes(method)));
});

const REFERENCE = { $ref: '#/components/schemas/B' };
const TAGGED = { allOf: [REFERENCE, { required: ['t'], properties: { t: { type: 'string', enum: ['B'] } } }] };

test.each<[rule: string, written: string, plain: object]>([
  ['true and false are schemas', 'A: { not: false, items: true }', { not: { not: {} }, items: {} }],
  [
    'rules beside a reference join it',
    'A: { $ref: "#/components/schemas/B", minimum: 1 }, B: {}',
    {
      minimum: 1,
      allOf: [REFERENCE],
    },
  ],
  [
    'the alternatives of a discriminator require its property',
    `A: { oneOf: [$ref: '${REFERENCE.$ref}'], discriminator: { propertyName: t } }, B: {}`,
    {
      oneOf: [TAGGED],
    },
  ],
  [
    'an alternative may be true',
    `A: { anyOf: [true, $ref: '${REFERENCE.$ref}'], discriminator: { propertyName: t } }, B: {}`,
    {
      anyOf: [{}, TAGGED],
    },
  ],
  [
    'a reference to a parent means its family',
    `A: { items: { $ref: '${REFERENCE.$ref}' } }, B: { discriminator: { propertyName: t } }, C: { allOf: [$ref: '${REFERENCE.$ref}'] }`,
    {
      items: { $ref: '#/components/schemas/AnyB' },
    },
  ],
  ['an empty enum matches nothing', 'A: { enum: [] }', { not: {} }],
  ['OpenAPI 3.1 has no nullable', 'A: { nullable: true }', {}],
])('the third pass writes shorthands out: %s', (_rule, written, plain) => {
  // Without the symbols of the kit.
  const schemas: unknown = JSON.parse(JSON.stringify(schemasOf(toPlainDocument(parse(written)))));
  expect(schemas).toHaveProperty('A', plain);
});

test('a name that the mapping gives to another schema is not its own', () => {
  const [cat, dog] = ['#/components/schemas/Cat', '#/components/schemas/Dog'] as const;
  const document = { openapi: '3.0.3', components: { schemas: { Cat: {}, Dog: {} } } } as unknown as Document;
  const valuesOf = (reference: string, mapping: Readonly<Record<string, string>>): string[] =>
    discriminatorValuesOf(document, { propertyName: 'kind', mapping }, reference);
  expect([valuesOf(cat, { Cat: 'Dog' }), valuesOf(dog, { Cat: 'Dog' })]).toEqual([[], ['Cat']]);
  expect(valuesOf(cat, { cat: 'Dog' })).toEqual(['Cat']);
});

test('the fourth pass finds the int64s of a schema', () => {
  const document = toPlainDocument(parse('A: { properties: { id: { type: integer, format: int64 } } }'));
  const shape = createShape(document, { $ref: '#/components/schemas/A' });
  expect(propertyShape(shape, 'id')).toMatchObject({ isInt64: true });
});

test.each([...KEYWORDS].filter(([, { about }]) => about !== undefined))(
  'the fourth pass gives a schema that has only %s the type that the keyword is about',
  (keyword, { kind, about }) => {
    const value = { 'a schema': {}, 'a list of schemas': [{}], 'a list of names': ['a'] }[kind as string] ?? 1;
    const schema = { [keyword]: kind.startsWith('an object') ? {} : value };
    expect(createShape(toPlainDocument(parse('')), schema)).toHaveProperty('types', new Set([about]));
  },
);

test('reading a contract leaves the document as it is written', () => {
  const text = `${HEAD}security: 5\ncomponents: { schemas: { A: { type: 5, items: { nullable: true } }, B: 5 } }`;
  const written = parseYaml(text, 'contract.yaml') as Document;
  readOperations(written);
  expect(written).toEqual(parseYaml(text, 'contract.yaml'));
});
