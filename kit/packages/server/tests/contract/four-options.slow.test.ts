import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REFUSALS } from '../../src/errors/refusal';
import { useFolder } from '@contract-kit/test-support/use-folder';

const folder = useFolder();
const THINGS = readFileSync('packages/test-support/fixtures/things.yaml', 'utf8');
// The kit can make errors with a title and a status.
const WITH_TITLES = `${THINGS.replace('[error, message]', '[title, status]').replace(
  '{ error: { type: integer }, message: { type: string } }',
  '{ title: { type: string }, status: { type: integer }, detail: { type: string } }',
)}servers: [{ url: 'https://things.example/v1' }]
`;

/** Serves a contract with contract, validator, handlers and verifiers alone. */
function serve(contract: string, path: string): { log: Record<string, unknown>[]; replies: unknown } {
  const file = join(folder, 'openapi.yaml');
  writeFileSync(file, contract);
  const options = ['--conditions=source', '--require', './scripts/register.cjs'];
  const args = [...options, 'packages/server/tests/serve-four-options.ts', file, path];
  const env = { ...process.env, NODE_OPTIONS: '' };
  const output = execFileSync(process.execPath, args, { env, encoding: 'utf8' });
  const lines = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  // The last line of the log may come after the replies.
  return { log: lines.filter((line) => !('right' in line)), replies: lines.find((line) => 'right' in line) };
}

test('the required options alone serve a contract below the path of its server, with the errors that it declares', () => {
  const { log, replies } = serve(WITH_TITLES, '/v1/things');
  expect(replies).toEqual({
    right: '200 application/json {"name":"Rose"}',
    wrong: '400 application/json {"title":"Bad Request","status":400,"detail":"request/body/name must be string"}',
    anonymous: `401 application/json {"title":"Unauthorized","status":401,"detail":"${REFUSALS.CREDENTIALS_MISSING.meaning}"}`,
    failed: `500 application/json {"title":"Internal Server Error","status":500,"detail":"${REFUSALS.INTERNAL_ERROR.meaning}"}`,
    broken: expect.stringMatching(/^500 application\/problem\+json .*"Internal Server Error"/) as string,
    docs: '200 text/html',
  });
  expect(log.map(({ status }) => status).sort()).toEqual([200, 200, 400, 401, 500, 500]);
  expect(log.find(({ operation, status }) => operation === 'createThing' && status === 500)).toMatchObject({
    cause: expect.stringContaining('Error: a bug of the handler\n') as string,
  });
});
