import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../tests/support/use-folder';
import { applyBaseline } from '../src/report/baseline';
import { checkCoverage } from '../src/report/uncovered';
import { writeReport } from '../src/report/write-report';
import { createSuite } from '../src/suite';

const folder = useFolder();
const outside = join(folder, 'outside');
const contract = readFileSync('contracts/1.0.0.yaml', 'utf8');

const WRITERS: Readonly<Record<string, (file: string) => unknown>> = {
  '--coverage': (file) =>
    checkCoverage(createSuite(contract, { bodyLimit: 1e6, marker: 'a' }), { file, isAccepting: true }),
  '--baseline': (file) => applyBaseline([], { file, isAccepting: true }),
  '--junit': (file) => {
    writeReport(file, '<testsuites/>');
  },
};

beforeEach(() => {
  rmSync(folder, { recursive: true });
  mkdirSync(outside, { recursive: true });
});

test.each(Object.keys(WRITERS))(
  'a file of %s that is a link is refused, and the file elsewhere keeps its bytes',
  (name) => {
    writeFileSync(join(outside, 'file'), '[]');
    for (const target of ['file', 'missing']) {
      symlinkSync(join(outside, target), join(folder, target));
      expect(() => WRITERS[name]?.(join(folder, target))).toThrow(`${target} is a symbolic link`);
    }
    expect(readdirSync(outside)).toEqual(['file']);
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('[]');
  },
);

test.each(Object.keys(WRITERS))('a file of %s may be in a folder that is a link', (name) => {
  symlinkSync(outside, join(folder, 'linked'));
  WRITERS[name]?.(join(folder, 'linked/below/a'));
  expect(readdirSync(join(outside, 'below'))).toEqual(['a']);
});

test('a report is written to a device as it is', () => {
  writeReport('/dev/null', 'a');
  expect(readFileSync('/dev/null', 'utf8')).toBe('');
});

test('a report that cannot be written leaves nothing beside it', () => {
  expect(() => {
    writeReport(outside, 'a');
  }).toThrow('EISDIR');
  expect(readdirSync(folder)).toEqual(['outside']);
});
