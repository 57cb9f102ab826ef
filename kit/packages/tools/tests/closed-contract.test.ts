import { execFileSync } from 'node:child_process';
import { constants, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Origin } from '../src/bundle/contract-files';
import { checkContract } from '../src/check/check-contract';
import { generate } from '../src/generate/generate';
import { lintContract } from '../src/lint/lint-contract';
import { loadText } from '@contract-kit/test-support/load-text';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { messageOf, useCounter } from './closed';

// A released contract, which stays as it is.
const CONTRACT = readFileSync('packages/test-support/plants/openapi.yaml', 'utf8');
const base = useFolder();
const folder = join(base, 'project');
const file = join(folder, 'openapi.yaml');
// A FIFO: opening it for reading waits for a writer, so that a tool that reads it never ends.
const outside = join(base, 'outside.yaml');

const counter = useCounter();

beforeAll(() => {
  mkdirSync(folder);
  execFileSync('mkfifo', [outside]);
  symlinkSync(outside, join(folder, 'link.yaml'));
});

function expectUntouched(): void {
  expect(counter.connections).toBe(0);
  // No reader has it open (open(2), ENXIO).
  expect(() => openSync(outside, constants.O_WRONLY | constants.O_NONBLOCK)).toThrow('ENXIO');
}

/** What each tool says of a contract. */
function tools(source: string): Record<string, () => unknown> {
  writeFileSync(file, source);
  return {
    generate: () => generate(source, file),
    'contract:check': () => checkContract(file, 'contracts'),
    start: () => loadText(source),
  };
}

const UNFOLLOWED = [
  () => `http://127.0.0.1:${counter.port}/a.yaml`,
  () => `https://127.0.0.1:${counter.port}/a.yaml#/b`,
  () => `//127.0.0.1:${counter.port}/a.yaml`,
  () => `file://${outside}`,
  () => '#/../outside.yaml#/a',
];
const LOCAL = [() => outside, () => '../outside.yaml', () => './link.yaml'];
const REFERENCES = [...UNFOLLOWED, ...LOCAL];

function hostileContracts(reference: string): string[] {
  return [
    CONTRACT.replace("'#/components/schemas/NewPlant'", `'${reference}'`),
    `${CONTRACT}\n  examples: { a: { externalValue: '${reference}' } }`,
    `${CONTRACT}\nx-a: { $ref: '${reference}' }`,
  ];
}

test.each(LOCAL)(
  'each tool rejects a reference out of the document in one line, and does not follow it: %s',
  async (to) => {
    for (const source of hostileContracts(to())) {
      for (const work of Object.values(tools(source))) {
        await expect(messageOf(work)).resolves.toMatch(
          /^[^\n]*\.yaml:\d+:\d+ "[^\n]*" (?:refers to another file|leads out of the|is a symbolic link)[^\n]*$/,
        );
      }
    }
    expectUntouched();
  },
);

test.each(REFERENCES)('data that looks like a reference is served, and no tool follows it: %s', async (to) => {
  const data = `{ $ref: '${to()}' }`;
  const source = `${CONTRACT}\n  examples: { a: { value: ${data} } }`.replace(
    'schemas:',
    `schemas:\n    Data: { example: ${data}, default: ${data}, enum: [${data}] }`,
  );
  for (const work of Object.values(tools(source))) await expect(messageOf(work)).resolves.toBe('');
  expectUntouched();
});

test.each(REFERENCES)('Redocly does not follow it either: %s', async (to) => {
  const source = `${CONTRACT}\n  examples: { a: { externalValue: '${to()}' } }\nx-a: { $ref: '${to()}' }`;
  const root = { name: file, text: source, parsed: undefined };
  const trace = (pointer: string): Origin => ({ file: root, pointer });
  const bundle = { source, file, files: new Map([[file, root]]), unfollowed: [], trace };
  await expect(lintContract(bundle)).resolves.toBeInstanceOf(Array);
  expectUntouched();
});
