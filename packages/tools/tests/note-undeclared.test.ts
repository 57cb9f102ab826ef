import { noteUndeclared } from '../src/lint/examine-contract';
import { readOperations } from '../../server/src/contract/operation/load-contract';
import { parseYaml } from '../../server/src/contract/yaml/parse-yaml';
import type { Document } from '../../server/src/contract/schema/document';
import type { ErrorCatalogue } from '../src/lint/error-catalogue';

const ALL = `'4XX': { description: No. }, 500: { description: No. }, 503: { description: No. }`;

function note(catalogue: ErrorCatalogue, ...replies: readonly string[]): string[] {
  const paths = replies.map(
    (one, index) => `  /${String(index)}: { get: { operationId: get${String(index)}, responses: { ${one} } } }`,
  );
  const source = `openapi: 3.1.0\ninfo: { title: A, version: 1.0.0 }\nsecurity: []\npaths:\n${paths.join('\n')}\n`;
  return noteUndeclared(readOperations(parseYaml(source, 'a.yaml') as Document).operations, catalogue);
}

test('nothing where all is declared, by itself, in a range or as the default', () => {
  expect(note({}, ALL, 'default: { description: No. }')).toEqual([]);
});

test('one line, grouped by statuses, that names three operations of each group', () => {
  const none = '200: { description: Yes. }';
  expect(note({}, none, ALL.replace('500', '501'), none, none, none)).toEqual([
    'Refused with problem details (application/problem+json), or what renderError makes, since no reply is declared for them: 400, 500, 503 of get0, get2, get3, 1 more; 500 of get1',
  ]);
});

test('where there is a catalogue, by its statuses', () => {
  const catalogue = { INTERNAL_ERROR: { number: 1, status: 599, meaning: 'No.' } };
  expect(note(catalogue, ALL)).toEqual([
    'Refused with errors of the catalogue, or what renderError makes, since no reply is declared for them: 599 of get0',
  ]);
});
