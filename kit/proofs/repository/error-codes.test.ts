import { globSync, readFileSync } from 'node:fs';

const SOURCES = globSync('packages/*/src/**/*.ts').map((file) => readFileSync(file, 'utf8'));
const CLASS = /export class (\w+)(?:<[^{]*>)? extends \w+ \{(?:(?!^\}).)*?readonly code = '([A-Z_]+)'/gms;

/** The codes that classes of the packages have, each with the name of its class. */
const thrown = SOURCES.flatMap((source) =>
  [...source.matchAll(CLASS)].map(([, name, code]) => `${String(code)} ${String(name)}`),
);

const rows = [...readFileSync('docs/errors.md', 'utf8').matchAll(/^\| `([A-Z_]+)` +\| `(\w+)`/gm)];
const documented = rows.map(([, code, name]) => `${String(code)} ${String(name)}`);

function withoutClasses(pairs: readonly string[]): Set<string> {
  return new Set(pairs.map((pair) => String(pair.split(' ')[0])));
}

test('the table of error codes has the codes of all classes that have one, and no others', () => {
  expect(thrown.toSorted()).toEqual(documented.toSorted());
  const declared = SOURCES.join('\n').match(/ code(?:: \w+)? = '[A-Z_]+'/g);
  expect(declared).toHaveLength(thrown.length);
});

test('the type ErrorCode has the codes of the table, and no others', () => {
  const source = readFileSync('packages/contract/src/text/error-code.ts', 'utf8');
  const members = [...source.matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map(([, code]) => String(code));
  expect(new Set(members)).toEqual(withoutClasses(documented));
  expect(withoutClasses(documented).size).toBeLessThanOrEqual(12);
});

test.each(documented)('an error with a code of the table is thrown: %s', (pair) => {
  const [, name] = pair.split(' ');
  expect(SOURCES.join('\n')).toMatch(new RegExp(`new ${String(name)}\\(`));
});
