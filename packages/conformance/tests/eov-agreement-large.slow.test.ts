import { readFileSync } from 'node:fs';
import { findDifferences } from './agreement/ask-validator';
import { describeDifference, DIFFERENCES, MORE_DIFFERENCES, nameOf } from './agreement/eov-differences';
import { startStandIns } from './stand-ins/start-stand-ins';
import { createSuite } from '@contract-kit/conformance';

const FILE = 'tests/fixtures/contracts/library.yaml';
const BODY_LIMIT = 1024 ** 2;

test('express-openapi-validator and the kit agree on every request of a larger contract, but for what is known', async () => {
  const source = readFileSync(FILE, 'utf8');
  const suite = createSuite(source, { bodyLimit: BODY_LIMIT, mark: 'agreement', level: 'strict' });
  await using target = await startStandIns(source, suite, BODY_LIMIT);
  const differences = await findDifferences(FILE, suite, target);
  const unknown = differences.filter((one) => nameOf(one) === undefined);
  expect(unknown.map(describeDifference)).toEqual([]);
  expect(new Set(differences.map(nameOf))).toEqual(new Set(Object.keys({ ...DIFFERENCES, ...MORE_DIFFERENCES })));
}, 600_000);
