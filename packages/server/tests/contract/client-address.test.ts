import { createApp } from '../../../../src/app';
import { postThing, startThings } from '../start-things';

/** The client in the report of a request that is refused before Express, and of one that is served. */
async function reportClient(trusted: unknown, forwarded: string): Promise<unknown> {
  await using app = await startThings({
    createApp: async (parts) => (await createApp(parts)).set('trust proxy', trusted),
  });
  const headers = { 'X-Forwarded-For': forwarded };
  await postThing(app.server, '{"id":1,"name":"Rose"}', headers);
  await postThing(app.server, '{"id":1,"name":"Rose"}', { ...headers, Host: '?' });
  const [served, refused] = app.outcomes;
  expect([served?.status, refused?.status]).toEqual([200, 400]);
  expect(served?.client).toBe(refused?.client);
  return served?.client;
}

test('without trusted proxies, no address is reported', async () => {
  await expect(reportClient(false, '192.0.2.1')).resolves.toBeUndefined();
});

test.each([
  [
    'the last address that is not of a proxy',
    ['loopback', '10.0.0.0/8'],
    '198.51.100.1, 192.0.2.1, 10.1.2.3',
    '192.0.2.1',
  ],
  ['the address that the last of two proxies was sent', 2, '198.51.100.1, 192.0.2.1, 10.1.2.3', '192.0.2.1'],
  ['an IPv6 address', ['loopback'], '2001:db8::1', '2001:db8::1'],
  ['the address of the connection, if it is not of a proxy', ['10.0.0.0/8'], '192.0.2.1', '127.0.0.1'],
])('the client is %s', async (_, trusted, forwarded, client) => {
  await expect(reportClient(trusted, forwarded)).resolves.toBe(client);
});

test.each(['unknown', '192.0.2.1:1234', '{"level":60}', '192.0.2.1\u0085forged', `fe80::1%${'a'.repeat(60)}`])(
  'what a proxy passes on as an address, and is not, is not reported: %j',
  async (forwarded) => {
    await expect(reportClient(1, forwarded)).resolves.toBeUndefined();
  },
);
