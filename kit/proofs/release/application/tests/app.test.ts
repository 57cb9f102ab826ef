import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import * as conformance from '@contract-kit/conformance';
import * as contract from '@contract-kit/contract';
import * as server from '@contract-kit/server';
import * as errors from '@contract-kit/server/errors';
import * as nodeVersion from '@contract-kit/server/node-version';
import * as testing from '@contract-kit/server/testing';
import * as store from '@contract-kit/store';
import { createApp } from '../src/app';

const REQUESTS = ['GET /books?limit=1', 'GET /books?limit=none', 'GET /Books/', 'DELETE /books/1', 'POST /books'];
const FLAG = '--experimental-vm-modules';

/** Sends each request to the application at a step, and returns the bytes of the replies except for their dates. */
async function exchange(step: Parameters<typeof createApp>[0]): Promise<string[]> {
  const listener = (await createApp(step)).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const replies = REQUESTS.map((line) => {
    const socket = connect((listener.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1');
    socket.write(`${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    return text(socket);
  });
  const bytes = (await Promise.all(replies)).map((reply) => reply.replace(/^Date: .*\r\n/m, ''));
  await new Promise((resolve) => listener.close(resolve));
  return bytes;
}

test('watching changes no byte of a reply', async () => {
  expect(await exchange('watched')).toEqual(await exchange('before'));
});

test('the kit serves the operation whose handler is written', async () => {
  expect((await exchange('enforced')).map((reply) => reply.slice(9, 12))).toEqual(['200', '400', '404', '401', '401']);
});

test('Jest loads each package, and what verifies JWTs only with the flag that the error names', async () => {
  expect([conformance, contract, errors, nodeVersion, testing, store]).not.toContain(undefined);
  const jwt = { issuer: 'http://127.0.0.1:1', audience: 'books' };
  const bearer = server.createBearerVerifier({ tokens: [], jwt }, { info: jest.fn(), warn: jest.fn() });
  await expect(bearer.check()).rejects.toThrow(process.execArgv.includes(FLAG) ? 'cannot be reached' : FLAG);
});
