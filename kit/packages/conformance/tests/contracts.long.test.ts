import { readFileSync } from 'node:fs';
import { makeLargeContract } from '@contract-kit/test-support/make-large-contract';
import { judgeKit, type JudgeOptions } from './start-stand-ins';
import { INHERITED_NAMES } from '@contract-kit/contract';
import { makeNamedContract } from '@contract-kit/test-support/make-named-contract';

// Of the large contract: all 500 take some minutes.
const OPERATIONS = Number(process.env['CONFORMANCE_OPERATIONS'] ?? 10);
const read = (name: string): string => readFileSync(`packages/test-support/fixtures/${name}`, 'utf8');

/** Contracts whose errors have a shape of their own, and what a team writes for it. */
const ERRORS: Readonly<Record<string, NonNullable<JudgeOptions['errors']>>> = {
  articles: { renderError: ({ message }) => ({ errors: { body: [message] } }) },
  animals: { renderError: ({ status, message }) => ({ code: BigInt(status), message }) },
  stations: {},
};

// Jest would pass a callback in the place of a third value that a row does not have.
test.each<[string, string, JudgeOptions['errors']]>([
  ...['library', 'everything', 'corners', 'features', 'schemas'].map((name): [string, string, undefined] => [
    `${name}.yaml`,
    read(`contracts/${name}.yaml`),
    undefined,
  ]),
  [`a contract with ${String(OPERATIONS)} operations`, makeLargeContract(OPERATIONS), undefined],
  ['a contract that has every keyword', read('keywords.yaml'), undefined],
  [
    'a contract that has every keyword of OpenAPI 3.1',
    read('dialect.yaml'),
    { renderError: ({ message }) => ({ message }) },
  ],
  ['a contract of forms with files', read('forms.yaml'), undefined],
  ...Object.entries(ERRORS).map(([name, errors]): [string, string, JudgeOptions['errors']] => [
    `${name}.yaml, refusals included,`,
    read(`errors/${name}.yaml`),
    errors,
  ]),
])(
  'the kit keeps %s with every case that follows from it',
  async (_name, source, errors) => {
    await expect(judgeKit(source, { bodyLimit: 64 * 1024, errors })).resolves.toEqual([]);
  },
  3_600_000,
);

const NAMES = INHERITED_NAMES.filter((name) => name !== '__proto__');

test.each(NAMES)(
  'the kit keeps a contract with the name %s at each place that has a name, with every case that follows from it',
  async (name) => {
    const judged = judgeKit(makeNamedContract(name), { bodyLimit: 64 * 1024 });
    await expect(judged).resolves.toEqual([]);
  },
  60_000,
);
