import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import express, { type RequestHandler } from 'express';
import { MAX_IN_FLIGHT } from '../../src/http/connections';
import { trackRequests } from '../../src/http/server';
import { createDocs } from '../../src/docs/create-docs';
import { openClient } from '@contract-kit/test-support/send-raw';
import { behind, postThing, startExisting, startThings } from '@contract-kit/test-support/start-things';

const JUNK = 'POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer junk\r\nContent-Length: 2\r\n\r\n{}';
const MANY = 4_000;

/** A verifier that rejects no token before the first connection is cut, and how many tokens it had at each cut. */
function createHeldVerifier() {
  const held = Promise.withResolvers<undefined>();
  const cuts: number[] = [];
  let calls = 0;
  const verify = (): Promise<undefined> => {
    calls++;
    return held.promise;
  };
  const reportOverflow = (): void => {
    cuts.push(calls);
    held.resolve(undefined);
  };
  return { verify, cuts, reportOverflow, calls: () => calls };
}

const reject = (): Promise<undefined> => Promise.resolve(undefined);

/** Sends one request many times at once, whatever comes back, and reads until the server closes. */
async function pipeline(port: number, request: string): Promise<string[]> {
  const client = openClient(port);
  client.socket.write(request.repeat(MANY));
  await client.closed;
  return client.received.split(/(?=HTTP\/1\.1 )/);
}

/** The client had all of its replies, of which the last one says that the connection ends. */
function expectRefusal(replies: readonly string[]): void {
  expect(replies.map((reply) => reply.slice(0, 12))).toEqual(Array(MAX_IN_FLIGHT).fill('HTTP/1.1 401'));
  expectEnd(replies);
}

function expectEnd(replies: readonly string[]): void {
  for (const reply of replies.slice(0, -1)) expect(reply).toContain('\r\nConnection: keep-alive\r\n');
  expect(replies.at(-1)).toContain('\r\nConnection: close\r\n');
}

describe('a client that pipelines has so many requests under way, their replies, and the end of its connection', () => {
  test('on the server of the kit', async () => {
    const { verify, cuts, reportOverflow, calls } = createHeldVerifier();
    await using app = await startThings({ verify, reportOverflow });
    expectRefusal(await pipeline(app.port, JUNK));
    expect([cuts, calls()]).toEqual([[MAX_IN_FLIGHT], MAX_IN_FLIGHT]);
    expect(app.outcomes).toHaveLength(MAX_IN_FLIGHT);
    await postThing(app.server, '{"id":1,"name":"Rose"}').expect(401);
  });

  test('on any other server', async () => {
    const { verify, cuts, reportOverflow } = createHeldVerifier();
    await using app = await startExisting(behind(), { verifiers: { bearerAuth: verify }, reportOverflow });
    expectRefusal(await pipeline(app.port, JUNK));
    expect(cuts).toEqual([MAX_IN_FLIGHT]);
    expect(app.outcomes).toHaveLength(MAX_IN_FLIGHT);
  });

  test('in an application that exists, before it is in the contract: parsers and other routes count, too', async () => {
    const { verify, cuts, reportOverflow } = createHeldVerifier();
    const hold: RequestHandler = async (_req, _res, next) => {
      await verify();
      next();
    };
    const before = express
      .Router()
      .use(trackRequests({ report: () => undefined, reportOverflow }), hold, express.json());
    await using app = await startExisting(behind(before), { verifiers: { bearerAuth: reject }, reportOverflow });
    expectRefusal(await pipeline(app.port, JUNK.replace('Host: a', 'Host: a\r\nContent-Type: application/json')));
    expect(cuts).toEqual([MAX_IN_FLIGHT]);
  });

  test('when the head of the last reply is written already', async () => {
    const cuts: unknown[] = [];
    const written: ServerResponse[] = [];
    const writeHead: RequestHandler = (_req, res, next) => {
      if (written.push(res) <= MAX_IN_FLIGHT) res.writeHead(200, { 'Content-Length': 1 });
      next();
    };
    const reportOverflow = (): void => {
      cuts.push(undefined);
      for (const res of written.slice(0, MAX_IN_FLIGHT)) res.end('a');
    };
    await using app = await startExisting(behind(writeHead), { verifiers: { bearerAuth: reject }, reportOverflow });
    const replies = await pipeline(app.port, JUNK);
    expect(replies).toHaveLength(MAX_IN_FLIGHT);
    expect(cuts).toHaveLength(1);
  });

  test.each([
    ['an unknown path', 'GET / HTTP/1.1\r\nHost:\r\n\r\n', 404],
    ['the documentation', 'GET /docs HTTP/1.1\r\nHost: a\r\n\r\n', 200],
    ['an expectation that is not met', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n', 400],
  ])('asking for %s', async (_, request, status) => {
    let cuts = 0;
    await using app = await startThings({ reportOverflow: () => cuts++ });
    const replies = await pipeline(app.port, request);
    expect(cuts).toBe(1);
    for (const reply of replies) expect(reply).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} `));
    expect(replies.length % MAX_IN_FLIGHT).toBe(0);
    expectEnd(replies);
    expect(app.outcomes).toHaveLength(replies.length);
  });

  test('documentation on any other server, too', async () => {
    await using app = await startExisting((options) => express().use(createDocs(options)));
    const replies = await pipeline(app.port, 'GET /docs HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(replies.length).toBeLessThan(MANY);
    expectEnd(replies);
    expect(app.outcomes).toHaveLength(replies.length);
  });
});

test('so many requests at once are served, and as many again', async () => {
  await using app = await startThings();
  const socket = connect(app.port, '127.0.0.1').setEncoding('latin1');
  for (const total of [1, 2]) {
    socket.write(JUNK.repeat(MAX_IN_FLIGHT));
    while (app.outcomes.length < total * MAX_IN_FLIGHT) await once(socket, 'data');
  }
  expect(socket.closed).toBe(false);
  socket.destroy();
});
