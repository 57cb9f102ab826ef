import { readFileSync } from 'node:fs';
import type { Document } from '@contract-kit/server/contract';
import { checkContract } from '../src/check-contract/check-contract';
import { findPatternAdvice } from '../src/check-contract/pattern-advice';

function adviceFor(pattern: string): string[] {
  const schema = { type: 'string', pattern };
  return findPatternAdvice({ components: { schemas: { Name: schema } } } as unknown as Document).map(
    ({ message }) => message,
  );
}

const ROSE = '\u{1f339}';

test.each([
  '^[^\\u0000]*$',
  '^[a-z][a-z0-9-]{2,62}$',
  '^[\\w.+-]+@[\\w-]+\\.[a-z]{2,}$',
  '^\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2})?$',
  '^\\S+$',
  '.+',
  '^(?:a|b)*?$',
  '[\\u4e00-\\u9fff]',
  '^[\\w\\-]+$',
  '',
])('%s means one thing', (pattern) => {
  expect(adviceFor(pattern)).toEqual([]);
});

test.each<[string, string]>([
  // What our own contract had, and Newman and clients that were generated read without the flag.
  ['^[^\\u0000\\uD800-\\uDFFF]*$', `"${ROSE}" fits with it and not without it; leave surrogates out`],
  ['^[\\ud83c-\\ud83e][\\udc00-\\udfff]$', 'fits without it and not with it; leave surrogates out'],
  ['^.$', `"${ROSE}" fits with it and not without it; bound a length by minLength and maxLength`],
  ['^[^a]{1,3}$', 'fits with it and not without it; bound a length'],
  ['^[A-Z]{3}-.$', `"AAA-${ROSE}" fits with it and not without it; bound a length`],
  ['^\\S{6,}$', 'fits without it and not with it; bound a length'],
  [`^[${ROSE}\u{1f331}]$`, `"${ROSE}" fits with it and not without it; write out the characters`],
  ['^\\p{L}+$', '"a" fits with it and not without it; write out the characters'],
  ['^\\u{1f339}$', `"${ROSE}" fits with it and not without it; write out the characters`],
])('%s means something else without the u flag', (pattern, message) => {
  const [advice = ''] = adviceFor(pattern);
  expect(advice).toMatch(/^means something else without the u flag: /);
  expect(advice).toContain(message);
});

test.each<[string, string]>([
  ['^a\\-b$', 'write "^a-b$"'],
  ['^[a\\_b]\\@$', 'write "^[a_b]@$"'],
  ['^\\Z', 'Invalid escape'],
])('%s is none with the u flag', (pattern, message) => {
  const [advice = ''] = adviceFor(pattern);
  expect(advice).toMatch(/^is none with the u flag, as JSON Schema has it: /);
  expect(advice).toContain(message);
});

test.each<[string, string]>([
  ['^(?=.*\\d)[a-z\\d]*$', 'allOf'],
  ['^(?!admin)[a-z]*$', 'not: { pattern }'],
  ['^(?<!a)b$', '(?<!a)'],
  ['^(a|b)\\1$', '\\1'],
  ['^(?<a>x)\\k<a>$', '\\k'],
  ['^[a-z]{1,2000}$', 'maxLength'],
])('%s is none for RE2', (pattern, message) => {
  const advice = adviceFor(pattern);
  expect(advice).toEqual([expect.stringMatching(/^is none for RE2, which Go and others have: /)]);
  expect(advice.join()).toContain(message);
});

test('what is none at all is said as such', () => {
  expect(adviceFor('(')).toEqual([expect.stringMatching(/^is no regular expression: /), expect.stringMatching(/RE2/)]);
});

test('patterns are found wherever a schema is, and nowhere else', () => {
  const schema = {
    properties: { pattern: { type: 'string', pattern: '^.$', example: { pattern: '^.$' } } },
    patternProperties: { '^.$': { items: { pattern: '^.$' } } },
    default: { pattern: '^.$' },
    'x-more': { pattern: '^.$' },
  };
  const document = {
    paths: { '/a': { get: { parameters: [{ schema: { pattern: '^.$' } }] } } },
    components: { schemas: { pattern: schema } },
  };
  const own = '#/components/schemas/pattern';
  expect(findPatternAdvice(document as unknown as Document).map(({ pointer }) => pointer)).toEqual([
    '#/paths/~1a/get/parameters/0/schema/pattern',
    `${own}/properties/pattern/pattern`,
    `${own}/patternProperties/^.$`,
    `${own}/patternProperties/^.$/items/pattern`,
  ]);
});

test('our own contract has none, and advice is no problem', async () => {
  await expect(checkContract('openapi.yaml', 'contracts')).resolves.toMatchObject({ problems: [], advice: [] });
  expect(readFileSync('openapi.yaml', 'utf8')).toContain('pattern:');
});
