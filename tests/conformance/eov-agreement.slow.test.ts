import { readFileSync } from 'node:fs';
import { findDifferences } from './agreement/ask-validator';
import { describeDifference, DIFFERENCES, nameOf } from './agreement/eov-differences';
import { startTarget } from './in-process';
import { createSuite } from './suite';

// It names what the validator lets through of the plants' contract; another contract may show more.
test('express-openapi-validator and the service agree on every request, but for what is known', async () => {
  const suite = createSuite(readFileSync('openapi.yaml', 'utf8'), { bodyLimit: 1024 ** 2, mark: 'agreement' });
  await using target = await startTarget(suite);
  const differences = await findDifferences('openapi.yaml', suite, target);
  const unknown = differences.filter((one) => nameOf(one) === undefined);
  expect(unknown.map(describeDifference)).toEqual([]);
  expect(new Set(differences.map(nameOf))).toEqual(new Set(Object.keys(DIFFERENCES)));
});
