import { fetchPatiently, LISTENING, startProcess, type ServiceProcess } from '@contract-kit/test-support/start-process';
import { until } from '@contract-kit/test-support/until';
import { answerJson, AUDIENCE, createSigningKey, startIssuer } from './start-issuer';
import { startProvider } from './start-provider';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { useFolder } from '@contract-kit/test-support/use-folder';

const folder = useFolder();

async function statusOf(service: ServiceProcess, token: string): Promise<number> {
  const [, url = ''] = await service.waitFor(LISTENING);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const body = '{"id":1,"name":"Rose"}';
  return (await fetchPatiently(`${url}/plants`, { method: 'POST', headers, body })).status;
}

async function end(service: ServiceProcess): Promise<void> {
  service.child.kill('SIGTERM');
  await expect(service.ended).resolves.toBe(0);
}

test('the service with an OpenID provider alone: no token is in what it writes', async () => {
  await using provider = await startProvider([createSigningKey()]);
  using service = startProcess({ JWT_ISSUER: provider.issuer, JWT_AUDIENCE: AUDIENCE });
  const token = await provider.token();
  const [header = '', payload = '', signature = ''] = token.split('.');
  await expect(statusOf(service, token)).resolves.toBe(200);
  await expect(statusOf(service, `${header}.${payload}.AAAA`)).resolves.toBe(401);
  await service.waitFor(/"tokens":"JWT_ISSUER","msg":"listening"/);
  await service.waitFor(/"msg":"the keys of JWT_ISSUER were fetched"/);
  await end(service);
  const written = service.output.stdout + service.output.stderr;
  expect([header, payload, signature].filter((part) => written.includes(part))).toEqual([]);
  expect(service.output.stderr).toBe('');
});

test.each(['0.0.0.0', '127.0.0.1'])(
  'a service with verifiers of its own for all schemes needs and makes no token, on %s',
  async (HOST) => {
    const service = JSON.stringify(resolve('packages/test-support/plants/dist/service.js'));
    const code = `import { createRequire } from 'node:module';
const { service } = createRequire(${service})(${service});
service.createVerifiers = () => ({ bearerAuth: (token) => (token === 'mine' ? {} : undefined) });`;
    using own = startProcess({ HOST }, ['--import', `data:text/javascript,${encodeURIComponent(code)}`]);
    await expect(statusOf(own, 'mine')).resolves.toBe(200);
    await expect(statusOf(own, 'another')).resolves.toBe(401);
    const [, tokens] = await own.waitFor(/"tokens":"([^"]*)","msg":"listening"/);
    expect(tokens).toBe("those of the service's own verifiers");
    await end(own);
    expect(own.output.stderr).toBe('');
  },
);

test.each<[string, Record<string, string>, RegExp]>([
  ['in the settings', { API_TOKENS: 'a-token-for-the-tests' }, /"msg":"there is no file of tokens to read again"/],
  ['of its own', {}, /"msg":"there is no file of tokens to read again"/],
  [
    'in a file',
    { API_TOKENS_FILE: join(folder, 'tokens') },
    /"msg":"API_TOKENS_FILE was read again; tokens in use: 1"/,
  ],
])('SIGHUP does not end a service with tokens %s, whether it is serving or stopping', async (_, env, told) => {
  writeFileSync(join(folder, 'tokens'), 'a-token-for-the-tests\n');
  using service = startProcess(env);
  const [, url = ''] = await service.waitFor(LISTENING);
  service.child.kill('SIGHUP');
  await service.waitFor(told);
  await expect(fetch(`${url}/no/such/path`)).resolves.toMatchObject({ status: 404 });
  service.child.kill('SIGTERM');
  service.child.kill('SIGHUP');
  await expect(service.ended).resolves.toBe(0);
});

test('SIGHUP does not end a service that reads its contract, nor one that has stopped', async () => {
  const hangUp = `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { readFileSync } = fs;
fs.readFileSync = (path, ...options) => {
  if (String(path).endsWith('openapi.yaml')) process.kill(process.pid, 'SIGHUP');
  return readFileSync(path, ...options);
};
syncBuiltinESMExports();`;
  using service = startProcess({}, ['--import', `data:text/javascript,${encodeURIComponent(hangUp)}`]);
  await service.waitFor(LISTENING);
  const timer = setInterval(() => service.child.kill('SIGHUP'), 1);
  service.child.kill('SIGTERM');
  await expect(
    service.ended.finally(() => {
      clearInterval(timer);
    }),
  ).resolves.toBe(0);
});

test('an issuer that hangs keeps it neither from starting nor from ending', async () => {
  await using issuer = await startIssuer([], () => undefined);
  const settings = { JWT_ISSUER: issuer.url, JWT_AUDIENCE: AUDIENCE, API_TOKENS: 'a-token-for-the-tests' };
  // Without its own limit, so that waiting for the issuer would be waiting for ever.
  const noLimit = `AbortSignal.timeout = () => new AbortController().signal`;
  using service = startProcess(settings, ['--import', `data:text/javascript,${encodeURIComponent(noLimit)}`]);
  await expect(statusOf(service, 'a-token-for-the-tests')).resolves.toBe(200);
  await until(() => issuer.requests.length === 1);
  await end(service);
});

test('an issuer that is another one is told in a line', async () => {
  await using issuer = await startIssuer([]);
  issuer.answer = (res) => {
    answerJson(res, { issuer: `${issuer.url}/` });
  };
  using service = startProcess({ JWT_ISSUER: issuer.url, JWT_AUDIENCE: AUDIENCE, API_TOKENS: 'a-token-for-the-tests' });
  const [, admin = ''] = await service.waitFor(/"admin":"(http:[^"]+)"/);
  // On a busy machine, the first attempts may time out.
  const reason = /^not ready: the keys of JWT_ISSUER are not available: .* names another issuer/;
  await until(async () => reason.test(await (await fetch(`${admin}/readyz`)).text()));
  await service.waitFor(
    /"level":40,.*"msg":"the keys of JWT_ISSUER are not available: http:.* names another issuer: 'http:[^']*\/'"/,
  );
  expect((await fetch(`${admin}/readyz`)).status).toBe(503);
  await expect(statusOf(service, 'a.b.c')).resolves.toBe(401);
  await end(service);
});
