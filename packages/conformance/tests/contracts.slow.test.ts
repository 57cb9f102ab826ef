import { readFileSync } from 'node:fs';
import { makeLargeContract } from '../../../tests/fixtures/contracts/make-large-contract';
import { judgeKit } from './stand-ins/judge-kit';

const FOLDER = 'tests/fixtures/contracts';
const BODY_LIMIT = 64 * 1024;

// Of the large contract: all 500 take some minutes.
const OPERATIONS = Number(process.env['CONFORMANCE_OPERATIONS'] ?? 30);

const contracts = [
  ['library.yaml', readFileSync(`${FOLDER}/library.yaml`, 'utf8')],
  ['everything.yaml', readFileSync(`${FOLDER}/everything.yaml`, 'utf8')],
  ['corners.yaml', readFileSync(`${FOLDER}/corners.yaml`, 'utf8')],
  ['features.yaml', readFileSync(`${FOLDER}/features.yaml`, 'utf8')],
  ['schemas.yaml', readFileSync(`${FOLDER}/schemas.yaml`, 'utf8')],
  [`a contract with ${String(OPERATIONS)} operations`, makeLargeContract(OPERATIONS)],
] as const;

test.each(contracts)(
  'the kit keeps %s with every case that follows from it',
  async (_name, source) => {
    await expect(judgeKit(source, { bodyLimit: BODY_LIMIT, runs: 20 })).resolves.toEqual([]);
  },
  3_600_000,
);
