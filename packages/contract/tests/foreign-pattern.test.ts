import { loadText } from '../../../tests/support/load-text';
import { describeForeignSyntax } from '../src/2-resolve/foreign-pattern';

test.each([
  ['\\A[a-z]+\\z', '\\A', 'write ^'],
  ['^[a-z]+\\Z', '\\Z', 'write $'],
  ['^a\\h', '\\h', 'write [ \\t]'],
  ['^[\\H]', '\\H', 'write [^ \\t]'],
  ['\\Qa.b\\E', '\\Q', 'write the characters that it stands for'],
  ['\\x{1F600}', '\\x{1F600}', 'write \\u{1F600}'],
  ['^[\\p{L}\\_]+$', '\\p{L}', 'it needs the flag u, which does not allow this pattern (Invalid escape); escape only'],
  ['\\pL', '\\p', 'it needs the flag u, which does not allow this pattern (Invalid property name); escape only'],
  ['\\u{1F600}\\_', '\\u{1F600}', 'it needs the flag u, which does not allow this pattern (Invalid escape)'],
  ['^[[:alpha:]_]+$', '[:alpha:]', 'write A-Za-z inside the brackets'],
  ['^[a[:^digit:]]+$', '[:^digit:]', 'write the other characters'],
  ['[a-z&&[^b]]', '&&[', 'write one class with the characters that are in both'],
  ['a{,3}', '{,3}', 'write {0,3}'],
  ['(?i)abc', '(?i)', 'write both cases, such as [Aa]'],
  ['(?s).*', '(?s)', 'write the pattern without it'],
  ['(?P<year>a)', '(?P<', 'write (?<name>...) for a group'],
  ['(?>a)', '(?>', 'write (?:...)'],
  ['(?#a)', '(?#', 'write the pattern without it'],
  ['[a-z]++', '++', 'remove the plus sign at its end'],
  ['a{2}+', '{2}+', 'remove the plus sign at its end'],
])('the pattern %s has %s of another language', (pattern, syntax, advice) => {
  expect(describeForeignSyntax(pattern)).toMatch(`${syntax} is not syntax of JavaScript: ${advice}`);
});

test.each([
  '^[a-z]+$',
  '\\p{L}',
  '\\u{1F600}',
  '(?i:a)',
  '(?<a>x)\\k<a>',
  'a\\-b\\_',
  '[[:foo:]]\\_',
  '[++]\\_',
  '(?i:a)\\_',
  '(?=a)(?!b)(?<=c)(?<!d)(?:e)(?<f>g)\\_',
  '\\d\\x41\\u0041\\cA\\_',
  '(',
  '(?:',
])('the pattern %s has no syntax of another language', (pattern) => {
  expect(describeForeignSyntax(pattern)).toBeUndefined();
});

test.each([
  [
    '{ type: string, pattern: "\\\\A[a-z]+" }',
    'schema/pattern in "\\\\A[a-z]+", \\A is not syntax of JavaScript: write ^',
  ],
  [
    '{ patternProperties: { "\\\\Z": {} } }',
    'schema/patternProperties in "\\\\Z", \\Z is not syntax of JavaScript: write $',
  ],
  ['{ type: string, pattern: "(" }', 'schema/pattern Invalid regular expression: /(/: Unterminated group'],
])('a contract with the schema %s is refused, with the place of the pattern', (schema, message) => {
  const source = `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
security: []
paths:
  /a:
    post:
      operationId: a
      requestBody: { content: { application/json: { schema: ${schema} } } }
      responses: { '204': { description: Done. } }
`;
  expect(() => loadText(source)).toThrow(message);
});
