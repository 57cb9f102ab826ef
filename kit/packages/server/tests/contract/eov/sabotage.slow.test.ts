import { execFileSync } from 'node:child_process';

// express-openapi-validator decides: when one of its three parts is replaced, in its own files, the service obeys, or does
// not start.

const FOLDER = 'packages/server/tests/contract/eov/sabotage';

function serve(sabotage: string): string {
  const args = ['--conditions=source', '--require', './scripts/register.cjs', '--require', `./${FOLDER}/replace.cjs`];
  const env = { ...process.env, SABOTAGE: sabotage, NODE_OPTIONS: '' };
  return execFileSync(process.execPath, [...args, `${FOLDER}/serve.ts`], { env, encoding: 'utf8' }).trim();
}

test.each([
  ['nothing', 'right requests are served', '200 200'],
  ['security refuses', 'valid credentials are 401', '401 200'],
  ['request refuses', 'valid requests are 400', '400 400'],
  ['response refuses', 'right replies are 500', '500 500'],
])('when what is replaced is "%s", %s', (sabotage, _, statuses) => {
  expect(serve(sabotage)).toBe(statuses);
});

test.each([
  ['security passes', 'express-openapi-validator accepted credentials that no verifier accepted'],
  ['security hangs', 'nothing checks missing credentials'],
  ['request passes', 'unknown query parameters pass'],
  ['response passes', 'wrong replies pass'],
])('when what is replaced is "%s", the service does not start: %s', (sabotage, reason) => {
  expect(serve(sabotage)).toBe(`add cannot be enforced: ${reason}`);
});
