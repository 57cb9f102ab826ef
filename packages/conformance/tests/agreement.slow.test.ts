import { readFileSync } from 'node:fs';
import { createSuite } from '@contract-kit/conformance';
import {
  findDifferences,
  describeDifference,
  DIFFERENCES,
  MORE_DIFFERENCES,
  nameOf,
} from './agreement/eov-differences';
import { startStandIns } from './stand-ins/start-stand-ins';

const BODY_LIMIT = 1024 ** 2;

test.each([
  // It names what the validator lets through of a released contract, which stays as it is; another one may show more.
  ['the first release', 'contracts/1.0.0.yaml', DIFFERENCES],
  ['a larger contract', 'tests/fixtures/contracts/library.yaml', { ...DIFFERENCES, ...MORE_DIFFERENCES }],
])(
  'express-openapi-validator and the kit agree on every request of %s, but for what is known',
  async (_, file, known) => {
    const source = readFileSync(file, 'utf8');
    const suite = createSuite(source, { bodyLimit: BODY_LIMIT, marker: 'agreement', level: 'strict' });
    await using target = await startStandIns(source, suite, BODY_LIMIT);
    const differences = await findDifferences(file, suite, target);
    const unknown = differences.filter((one) => nameOf(one) === undefined);
    expect(unknown.map(describeDifference)).toEqual([]);
    expect(new Set(differences.map(nameOf))).toEqual(new Set(Object.keys(known)));
  },
);
