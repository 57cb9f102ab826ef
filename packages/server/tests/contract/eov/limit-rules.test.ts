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

const INTEGER = { type: 'integer' };
const STRING = { type: 'string' };
const BOOLEAN = { type: 'boolean' };
const PATTERN = { type: 'string', maxLength: 2, pattern: 'b' };
const NOT_PATTERN = { not: { ...PATTERN, minLength: 1 } };
const DATE = { type: 'string', format: 'date' };
const UNIQUE = { type: 'array', maxItems: 1, uniqueItems: true, items: {} };
const UNMATCHED = { anyOf: [{ type: 'object', required: ['b', 'c'] }, { $ref: '#/components/schemas/Short' }] };
const NESTED = { oneOf: [{ anyOf: [INTEGER, BOOLEAN] }, BOOLEAN] };

describe.each(['3.0.3', '3.1.0'])('a function that goes on after a wrong field tells, OpenAPI %s', (openapi) => {
  test.each<[string, object, object, string[]]>([
    ['nothing of what is right', { a: INTEGER }, { a: 1 }, []],
    ['several fields', { a: INTEGER, b: INTEGER }, { a: '', b: '' }, ['type /a', 'type /b']],
    ['several rules', { a: { ...PATTERN, minLength: 2 } }, { a: 'a' }, ['minLength /a', 'pattern /a']],
    ['a pattern within maxLength', { a: PATTERN }, { a: 'aa' }, ['pattern /a']],
    // Of four code units, and two characters.
    ['a pattern of astral text', { a: PATTERN }, { a: '🌹🌹' }, ['pattern /a']],
    ['no pattern beyond maxLength', { a: PATTERN }, { a: 'aaaaa' }, ['maxLength /a']],
    ['no format beyond maxLength', { a: { ...DATE, maxLength: 2 } }, { a: 'aaaaa' }, ['maxLength /a']],
    ['a format', { a: DATE }, { a: 'aaaaa' }, ['format /a']],
    ['uniqueItems', { a: { uniqueItems: true } }, { a: [1, 1] }, ['uniqueItems /a']],
    ['uniqueItems beyond maxItems', { a: UNIQUE }, { a: [1, 1, 1] }, ['maxItems /a', 'uniqueItems /a']],
    ['that no alternative matches', { a: UNMATCHED, d: STRING }, { a: 'long', d: 1 }, ['anyOf /a', 'type /d']],
    ['alternatives inside alternatives', { a: NESTED }, { a: '' }, ['oneOf /a']],
    ['several alternatives that match', { a: { oneOf: [INTEGER, {}] } }, { a: 1 }, ['oneOf /a']],
    ['nothing of one alternative that matches', { a: { oneOf: [INTEGER, STRING] } }, { a: 1 }, []],
    ['alternatives below not', { a: { not: { anyOf: [INTEGER, STRING] } } }, { a: 1 }, ['not /a']],
    ['a pattern below not', { a: NOT_PATTERN }, { a: 'b' }, ['not /a']],
    ['nothing of no such pattern', { a: NOT_PATTERN }, { a: 'aaaaa' }, []],
    ['nothing of no such alternative', { a: { not: { oneOf: [INTEGER, STRING] } } }, { a: true }, []],
  ])('%s', (_, properties, value, expected) => {
    expect(rulesOf(properties, value, openapi)).toEqual(expected);
  });
});
