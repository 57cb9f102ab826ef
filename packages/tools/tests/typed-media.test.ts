import { readFileSync } from 'node:fs';
import { examineContract } from '../src/lint/examine-contract';
import { generate } from '../src/generate/generate';

const MEDIA = readFileSync('tests/fixtures/media.yaml', 'utf8');

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
    '"application/pdf": Buffer;',
    '"application/zip": Buffer;',
    '"image/*": Buffer;',
    '"image/svg+xml": string;',
    '"application/vnd.note+json; version=1": components["schemas"]["Note"];',
    '"application/vnd.note+json; version=2": unknown;',
    '"Application/Problem+JSON; charset=utf-8": components["schemas"]["Note"];',
    '"text/html; charset=iso-8859-1": Buffer;',
  ]);
  expect(types).toMatch(
    /sendAnything: \{[^]*?content: \{\s*"application\/json": components\["schemas"\]\["Note"\];\s*\}/,
  );
});

test('what is not checked is told once', async () => {
  const { notes, mistakes } = await examineContract(MEDIA, 'media.yaml');
  expect(mistakes).toEqual([]);
  expect(notes.filter((note) => note.includes('not checked'))).toEqual([
    'Handed over as text or bytes, their schemas not checked: application/xml, text/csv, application/pdf, text/event-stream',
  ]);
});

test('files of a form are of type File', async () => {
  const { 'api.d.ts': types = '' } = await generate(readFileSync('tests/fixtures/forms.yaml', 'utf8'), 'forms.yaml');
  const [, form = ''] = /"multipart\/form-data": \{([^}]*)\}/.exec(types) ?? [];
  const lines = form.split('\n').map((line) => line.trim());
  expect(lines.filter((line) => line !== '' && !line.includes('*'))).toEqual([
    'id: bigint;',
    'name?: string;',
    'isOpen?: boolean;',
    'tags?: string[];',
    'sizes?: bigint[];',
    'owner?: components["schemas"]["Owner"];',
    'file?: File;',
    'photo?: File;',
    'files?: File[];',
  ]);
});
