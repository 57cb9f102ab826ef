import { compile } from '../../../src/validate/eov/compile';
import { toMessageDocument } from '../../../src/validate/eov/eov';
import type { NormalizedSchema as Schema } from '../../../src/contract/schema/schema';
import type { Message } from '../../../src/contract/operation/message';

/** Every rule that a value breaks, by the pointers to its wrong members. */
function rulesOf(properties: object, value: object, openapi = '3.0.3'): string[] {
  const schema = { type: 'object', properties } as unknown as Schema;
  const message: Message = { schema, excluded: 'readOnly', shape: {} as Message['shape'] };
  const components = { schemas: { Short: { type: 'string', maxLength: 2 } } };
  const contract = { openapi, info: { title: 'Rules', version: '1.0.0' }, paths: {}, components };
  const { document, names } = toMessageDocument(contract, [message]);
  const judge = compile(document).compileAllErrorsRequest(String(names.get(message)));
  return [...(judge(value) ?? [])].map(({ rule, pointer }) => `${rule} ${pointer}`);
}

describe.each(['3.0.3', '3.1.0'])('a function that goes on after a wrong field, OpenAPI %s', (openapi) => {
  test.each<[string, object, object, string[]]>([
    ['right', { a: { type: 'integer' } }, { a: 1 }, []],
    ['several fields', { a: { type: 'integer' }, b: { type: 'integer' } }, { a: '', b: '' }, ['type /a', 'type /b']],
    [
      'several rules',
      { a: { type: 'string', minLength: 2, pattern: 'b' } },
      { a: 'a' },
      ['minLength /a', 'pattern /a'],
    ],
    ['a pattern within maxLength', { a: { type: 'string', maxLength: 2, pattern: 'b' } }, { a: 'aa' }, ['pattern /a']],
    // Of four code units, and two characters.
    ['a pattern of astral text', { a: { type: 'string', maxLength: 2, pattern: 'b' } }, { a: '🌹🌹' }, ['pattern /a']],
    ['no pattern beyond it', { a: { type: 'string', maxLength: 2, pattern: 'b' } }, { a: 'aaaaa' }, ['maxLength /a']],
    ['no format beyond it', { a: { type: 'string', maxLength: 2, format: 'date' } }, { a: 'aaaaa' }, ['maxLength /a']],
    ['a format', { a: { type: 'string', format: 'date' } }, { a: 'aaaaa' }, ['format /a']],
    [
      'uniqueItems, beyond maxItems too',
      { a: { type: 'array', maxItems: 1, uniqueItems: true, items: {} }, b: { uniqueItems: true } },
      { a: [1, 1, 1], b: [1, 1] },
      ['maxItems /a', 'uniqueItems /a', 'uniqueItems /b'],
    ],
    [
      'of alternatives only that none matches',
      {
        a: { anyOf: [{ type: 'object', required: ['b', 'c'] }, { $ref: '#/components/schemas/Short' }] },
        d: { type: 'string' },
      },
      { a: 'long', d: 1 },
      ['anyOf /a', 'type /d'],
    ],
    [
      'alternatives inside alternatives',
      { a: { oneOf: [{ anyOf: [{ type: 'integer' }, { type: 'boolean' }] }, { type: 'boolean' }] } },
      { a: '' },
      ['oneOf /a'],
    ],
    ['several alternatives that match', { a: { oneOf: [{ type: 'integer' }, {}] } }, { a: 1 }, ['oneOf /a']],
    ['one alternative that matches', { a: { oneOf: [{ type: 'integer' }, { type: 'string' }] } }, { a: 1 }, []],
    [
      'alternatives below not',
      { a: { not: { anyOf: [{ type: 'integer' }, { type: 'string' }] } } },
      { a: 1 },
      ['not /a'],
    ],
    [
      'a pattern below not',
      { a: { not: { type: 'string', maxLength: 2, pattern: 'b', minLength: 1 } } },
      { a: 'b' },
      ['not /a'],
    ],
    [
      'no such pattern',
      { a: { not: { type: 'string', maxLength: 2, pattern: 'b', minLength: 1 } } },
      { a: 'aaaaa' },
      [],
    ],
    ['no such alternative', { a: { not: { oneOf: [{ type: 'integer' }, { type: 'string' }] } } }, { a: true }, []],
  ])('%s', (_, properties, value, expected) => {
    expect(rulesOf(properties, value, openapi)).toEqual(expected);
  });
});
