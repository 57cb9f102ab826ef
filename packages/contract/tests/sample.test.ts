import { makeSample, type NormalizedSchema } from '../src';

test.each(['allOf', 'anyOf'])('a sample of forty levels that each refer twice to the next by %s is made', (keyword) => {
  const levels = Array.from({ length: 40 }, (_unused, index) => {
    const next = { $ref: `#/components/schemas/L${String(index + 1)}` };
    return [`L${String(index)}`, { [keyword]: [next, { allOf: [next] }] }];
  });
  const last = { type: 'object', required: ['p'], properties: { p: { type: 'string' } } };
  const schemas = Object.fromEntries<NormalizedSchema>([...levels, ['L40', last]] as [string, NormalizedSchema][]);
  const document = { openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: {}, components: { schemas } };
  const sample = makeSample(document, schemas['L0'] ?? {}, {});
  expect(sample).toEqual({ p: 'p' });
});
