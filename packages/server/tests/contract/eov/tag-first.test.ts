import Ajv from 'ajv/dist/2020';
import * as OpenApiValidator from 'express-openapi-validator';
import { toPlainDocument } from '../../../../contract/src/3-plain/plain-document';
import type { Document } from '../../../../contract/src/2-resolve/document';
import type { NormalizedSchema as Schema } from '../../../../contract/src/2-resolve/schema';
import { createValidator } from '../../../src/validate/eov/eov';
import type { MessageSchema } from '../../../../contract/src/5-messages/message';

const A = { type: 'object', required: ['a'], properties: { kind: { type: 'string' }, a: { type: 'integer' } } };
const B = { type: 'object', required: ['b'], properties: { kind: { type: 'string' }, b: { type: 'integer' } } };
const mapping = { a: '#/components/schemas/A', b: '#/components/schemas/B' };
const AB = [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }];
const discriminator = { propertyName: 'kind', mapping };
const TAGGED_A = { ...A, required: ['kind', 'a'], properties: { ...A.properties, kind: { const: 'a' } } };
const TAGGED_B = { ...B, required: ['b', 'kind'], properties: { ...B.properties, kind: { enum: ['b', 'c'] } } };

const VALUES = JSON.parse(`[
  {"kind":"a","a":1}, {"kind":"a","b":1}, {"kind":"b","b":1}, {"kind":"b","a":1,"b":"x"}, {"kind":"a","a":1,"b":"x"},
  {"kind":"a","a":1,"other":true}, {"kind":"c","a":1,"b":1}, {"kind":1,"a":1,"b":1}, {"a":1}, {}, [], "a", 5, null
]`) as readonly unknown[];

/** Compares what the kit accepts with Ajv itself, which judges each alternative and the rule of its tag. */
function createBoth(union: object, schemas: Readonly<Record<string, object>>): ((value: unknown) => boolean)[] {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Unions', version: '1.0.0' },
    paths: {},
    components: { schemas: { ...schemas, Union: union } },
  } as unknown as Document;
  const plain = toPlainDocument(document);
  const schema = { type: 'object', properties: { body: { $ref: '#/components/schemas/Union' } } } as unknown as Schema;
  const message: MessageSchema = { schema, excluded: 'readOnly', shape: {} as MessageSchema['shape'] };
  const { assertRequest } = createValidator(OpenApiValidator, plain, [{ requests: [message], replies: [] }]);
  const ajv = new Ajv({ strict: false, schemas: [{ ...plain, $id: 'https://example.org/' }] });
  const validate = ajv.compile({ $ref: 'https://example.org/#/components/schemas/Union' });
  const accepts = (value: unknown): boolean => {
    try {
      assertRequest(message, { body: structuredClone(value) });
      return true;
    } catch {
      return false;
    }
  };
  return [accepts, (value) => validate(value)];
}

test.each<[string, object, Readonly<Record<string, object>>]>([
  ['objects, oneOf', { oneOf: AB, discriminator }, { A, B }],
  ['objects, anyOf', { anyOf: AB, discriminator }, { A, B }],
  ['objects or null', { oneOf: [...AB, { type: 'null' }], discriminator }, { A, B }],
  ['alternatives that need not be objects', { oneOf: AB, discriminator }, { A: { ...A, type: undefined }, B }],
  [
    'alternatives of any type',
    { anyOf: [...AB, { type: 'null' }], discriminator },
    { A: { required: ['a'] }, B: { required: ['b'] } },
  ],
  ['alternatives that may be null', { oneOf: AB, discriminator }, { A: { ...A, type: ['object', 'null'] }, B }],
  ['beside rules of its own', { required: ['other'], oneOf: AB, discriminator }, { A, B }],
  ['beside an allOf', { allOf: [{ required: ['other'] }], oneOf: AB, discriminator }, { A, B }],
  ['one or null', { oneOf: [AB[0], { type: 'null' }] }, { A, B }],
  [
    'one or null, of which the one may be null',
    { oneOf: [{ type: 'null' }, AB[0]] },
    { A: { ...A, type: ['object', 'null'] }, B },
  ],
  ['one or null, closed', { anyOf: [AB[0], { type: 'null' }], unevaluatedProperties: false }, { A, B }],
  ['closed alternatives', { oneOf: AB, discriminator }, { A: { ...A, additionalProperties: false }, B }],
  ['a closed union', { oneOf: AB, discriminator, unevaluatedProperties: false }, { A, B }],
  [
    'a tag that means two alternatives',
    { oneOf: AB, discriminator: { propertyName: 'kind', mapping: { a: mapping.a, b: mapping.a, B: mapping.b } } },
    { A, B: { ...B, properties: { ...B.properties, kind: { const: 'B' } } } },
  ],
  ['an alternative that no tag means', { anyOf: [...AB, { required: ['other'] }], discriminator }, { A, B }],
  ['texts of their own, oneOf', { oneOf: AB }, { A: TAGGED_A, B: TAGGED_B }],
  ['texts of their own, anyOf', { anyOf: AB }, { A: TAGGED_A, B: TAGGED_B }],
  ['texts of their own, closed', { oneOf: AB, unevaluatedProperties: false }, { A: TAGGED_A, B: TAGGED_B }],
  [
    'texts of their own, and no objects',
    { oneOf: [{ const: 5 }, ...AB, { type: 'array' }] },
    { A: TAGGED_A, B: TAGGED_B },
  ],
  ['texts of their own, and text', { oneOf: [{ type: 'string' }, ...AB] }, { A: TAGGED_A, B: TAGGED_B }],
  ['texts of which two are the same', { oneOf: AB }, { A: TAGGED_A, B: { allOf: [B, TAGGED_A] } }],
  ['a text that may be missing', { oneOf: AB }, { A: { ...TAGGED_A, required: ['a'] }, B: TAGGED_B }],
  [
    'a tag that may be no text',
    { anyOf: AB },
    { A: { ...A, required: ['kind'], properties: { kind: { enum: ['a', 1] } } }, B: TAGGED_B },
  ],
])('a union of %s accepts what each of its alternatives with its tag accepts', (_what, union, schemas) => {
  // What is undefined is left out.
  const [accepts, acceptsByAjv] = createBoth(
    ...(JSON.parse(JSON.stringify([union, schemas])) as [object, typeof schemas]),
  );
  const results = VALUES.map((value) => [value, accepts?.(value)]);
  expect(results).toEqual(VALUES.map((value) => [value, acceptsByAjv?.(value)]));
  expect(new Set(results.map(([, isAccepted]) => isAccepted))).toEqual(new Set([true, false]));
});
