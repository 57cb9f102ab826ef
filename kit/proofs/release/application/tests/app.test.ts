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
import { createApp, database, transact } from '../src/app';

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

test('the kit sends instances as Express does, by their toJSON', async () => {
  const [[before], [enforced]] = [await exchange('before'), await exchange('enforced')];
  expect(enforced?.split('\r\n\r\n')[1]).toBe(before?.split('\r\n\r\n')[1]);
});

test('the kit does not end a transaction that Express ends in res.send, and keeps what a handler commits', async () => {
  const body = '{"isbn":"9780140449136","title":"The Odyssey"}';
  const headers = { 'Content-Type': 'application/json', Authorization: 'Bearer a-token-of-16-or-more' };
  const rows: unknown[] = [];
  for (const app of [
    await createApp('before', transact),
    await createApp('enforced', transact),
    await createApp('enforced'),
  ]) {
    database.exec('DELETE FROM books');
    const listener = app.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/books`;
    const { status } = await fetch(url, { method: 'POST', headers, body });
    await new Promise((resolve) => listener.close(resolve));
    if (database.isTransaction) database.exec('ROLLBACK');
    rows.push([status, database.prepare('SELECT title FROM books').all().length]);
  }
  expect(rows).toEqual([
    [201, 1],
    [201, 0],
    [201, 1],
  ]);
});

test('Jest loads each package, and what verifies JWTs only with the flag that the error names', async () => {
  expect([conformance, contract, errors, nodeVersion, testing, store]).not.toContain(undefined);
  const jwt = { issuer: 'http://127.0.0.1:1', audience: 'books' };
  const bearer = server.createBearerVerifier({ tokens: [], jwt }, { info: jest.fn(), warn: jest.fn() });
  await expect(bearer.check()).rejects.toThrow(process.execArgv.includes(FLAG) ? 'cannot be reached' : FLAG);
});
