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
  ['nothing is replaced, right requests are served', 'nothing', '200 200'],
  ['the security middleware refuses everything, valid credentials are 401', 'security refuses', '401 200'],
  ['the request validator refuses everything, valid requests are 400', 'request refuses', '400 400'],
  ['the response validator refuses everything, right replies are 500', 'response refuses', '500 500'],
  [
    'the security middleware lets everything pass, the service does not start',
    'security passes',
    'add cannot be enforced: express-openapi-validator accepted credentials that no verifier accepted',
  ],
  [
    'the security middleware never answers, the service does not start',
    'security hangs',
    'add cannot be enforced: nothing checks missing credentials',
  ],
  [
    'the request validator lets everything pass, the service does not start',
    'request passes',
    'add cannot be enforced: unknown query parameters pass',
  ],
  [
    'the response validator lets everything pass, the service does not start',
    'response passes',
    'add cannot be enforced: wrong replies pass',
  ],
])(
  'when %s',
  (_, sabotage, output) => {
    expect(serve(sabotage)).toEqual(output);
  },
  60_000,
);
