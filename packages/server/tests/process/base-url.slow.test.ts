import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LISTENING, startProcess } from '../../../../tests/support/start-process';
import { useFolder } from '../../../../tests/support/use-folder';

const folder = useFolder();
const CONTRACT = `openapi: 3.1.0
info: { title: A, version: '1' }
servers: [{ url: /v1 }]
security: []
paths:
  /a: { post: { operationId: takeA, responses: { '204': { description: Done. } } } }
  /b: { servers: [{ url: /v2 }], post: { operationId: takeB, responses: { '204': { description: Done. } } } }
`;

test.each([
  ['no BASE_URL', {}, '/v1', ['/v1/a', '/v2/b']],
  ["the path of the contract's server", { BASE_URL: 'https://api.example/v1/' }, '/v1', ['/v1/a', '/v2/b']],
  ['another path', { BASE_URL: 'https://api.example/v3' }, '/v3', ['/v3/a', '/v3/b']],
  ['no path', { BASE_URL: 'https://api.example' }, '', ['/a', '/b']],
])('with %s, the operations are below their own servers or all below it', async (_, env, prefix, served) => {
  const file = join(folder, 'openapi.yaml');
  writeFileSync(file, CONTRACT);
  using service = startProcess({ CONTRACT: file, API_TOKENS: 'a-token-for-the-tests', ...env }, [], {
    main: 'proofs/attack/stand-in.js',
  });
  const url = new URL(String((await service.waitFor(LISTENING))[1]));
  expect(url.pathname).toBe(prefix === '' ? '/' : prefix);
  const paths = ['', '/v1', '/v2', '/v3'].flatMap((start) => [`${start}/a`, `${start}/b`]);
  const statuses = paths.map(async (path) => (await fetch(new URL(path, url), { method: 'POST' })).status);
  expect(await Promise.all(statuses)).toEqual(paths.map((path) => (served.includes(path) ? 204 : 404)));
});
