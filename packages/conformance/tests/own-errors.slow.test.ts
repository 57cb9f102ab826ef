import { readFileSync } from 'node:fs';
import { judgeKit, type JudgeOptions } from './stand-ins/judge-kit';

/** Contracts whose errors have a shape of their own, and what a team writes for it. */
const ERRORS: Readonly<Record<string, NonNullable<JudgeOptions['errors']>>> = {
  articles: { renderError: ({ message }) => ({ errors: { body: [message] } }) },
  animals: { renderError: ({ status, message }) => ({ code: BigInt(status), message }) },
  stations: {},
};

test.each(Object.entries(ERRORS))(
  'the kit keeps %s.yaml with every case that follows from it, refusals included',
  async (name, errors) => {
    const source = readFileSync(`tests/fixtures/errors/${name}.yaml`, 'utf8');
    const judged = await judgeKit(source, { bodyLimit: 64 * 1024, runs: 20, level: 'robust', errors });
    expect(judged).toEqual([]);
  },
);
