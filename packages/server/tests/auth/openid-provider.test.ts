import { decodeJwt, decodeProtectedHeader } from 'jose';
import { findPort } from '../../../../tests/support/find-port';
import { TOKEN } from '../../../../tests/support/start-things';
import { until } from '../../../../tests/support/until';
import { startJwtApp } from './start-jwt-app';
import { AUDIENCE, createSigningKey, startProvider } from './start-provider';

test.each(['RS256', 'ES256', 'EdDSA'] as const)('an access token of an OpenID provider counts: %s', async (alg) => {
  await using provider = await startProvider([createSigningKey(alg)]);
  await using service = await startJwtApp(provider.issuer);
  const token = await provider.token();
  expect(decodeProtectedHeader(token)).toMatchObject({ alg, typ: 'at+jwt' });
  expect(decodeJwt(token)).toMatchObject({ iss: provider.issuer, aud: AUDIENCE });
  await expect(service.create(token)).resolves.toMatchObject({ status: 200 });
  await expect(service.create(TOKEN)).resolves.toMatchObject({ status: 200 });
  await expect(service.create(await provider.token('https://other.example'))).resolves.toMatchObject({ status: 401 });
  await expect(service.problem()).resolves.toBeUndefined();
  expect(provider.requests.filter((path) => path !== '/token')).toEqual(['/.well-known/openid-configuration', '/jwks']);
  expect(service.lines).toEqual(['info the keys of JWT_ISSUER are there']);
});

test('keys are rotated without a restart, and those that are gone count no longer', async () => {
  const [first, second, third] = [createSigningKey(), createSigningKey(), createSigningKey()];
  const provider = await startProvider([first], await findPort());
  const { port, issuer } = provider;
  await using service = await startJwtApp(issuer, { cooldown: 0 });
  const old = await provider.token();
  await expect(service.create(old)).resolves.toMatchObject({ status: 200 });
  await provider[Symbol.asyncDispose]();
  await expect(service.create(old)).resolves.toMatchObject({ status: 200 });

  const both = await startProvider([second, first], port);
  await expect(service.create(await both.token())).resolves.toMatchObject({ status: 200 });
  await expect(service.create(old)).resolves.toMatchObject({ status: 200 });
  await both[Symbol.asyncDispose]();

  await using last = await startProvider([third], port);
  await expect(service.create(await last.token())).resolves.toMatchObject({ status: 200 });
  await expect(service.create(old)).resolves.toMatchObject({ status: 401 });
});

test('keys are fetched again from time to time', async () => {
  const [first, second] = [createSigningKey(), createSigningKey()];
  const provider = await startProvider([first], await findPort());
  await using service = await startJwtApp(provider.issuer, { refresh: 50, cooldown: 0 });
  const old = await provider.token();
  await expect(service.create(old)).resolves.toMatchObject({ status: 200 });
  await provider[Symbol.asyncDispose]();
  await using after = await startProvider([second], provider.port);
  await until(async () => (await service.create(old)).status === 401);
  expect(after.requests).toContain('/jwks');
  await expect(service.problem()).resolves.toBeUndefined();
});
