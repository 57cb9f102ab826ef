import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import express, { type RequestHandler } from 'express';
import { MAX_IN_FLIGHT } from '../../src/http/connections';
import { trackRequests } from '../../src/http/report';
import { serveContract } from '../../src/pipeline/serve-contract';
import { expressOpenapiValidator } from '../../src/express-openapi-validator';
import { createDocs } from '../../src/docs/create-docs';
import { renderFixture } from '../../../../tests/support/fixture-errors';
import { listenOnLoopback, type ListeningServer } from '../../../../tests/support/listen-on-loopback';
import { loadText } from '../../../../tests/support/load-text';
import { postThing, startThings, THINGS } from '../../../../tests/support/start-things';

const CONTRACT = loadText(THINGS);
const JUNK = 'POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer junk\r\nContent-Length: 2\r\n\r\n{}';
const MANY = 4_000;

/** A verifier that rejects no token before it is told to. */
function createHeldVerifier(): { verify: () => Promise<undefined>; calls: () => number; release: () => void } {
  let calls = 0;
  let release = (): void => undefined;
  const promise = new Promise<undefined>((resolve) => {
    release = () => {
      resolve(undefined);
    };
  });
  const verify = (): Promise<undefined> => {
    calls++;
    return promise;
  };
  return { verify, calls: () => calls, release };
}

/** Sends one request many times at once, whatever comes back, and reads until the server closes. */
async function pipeline(port: number, request: string): Promise<string[]> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  let received = '';
  socket.setEncoding('latin1').on('data', (data: string) => (received += data));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(request.repeat(MANY));
  await closed;
  return received.split(/(?=HTTP\/1\.1 )/);
}

function expectEnd(replies: readonly string[]): void {
  for (const reply of replies.slice(0, -1)) expect(reply).toContain('\r\nConnection: keep-alive\r\n');
  expect(replies.at(-1)).toContain('\r\nConnection: close\r\n');
}

interface Bare extends ListeningServer {
  readonly outcomes: readonly unknown[];
}

/** The middleware on a server and in an application that are not the kit's. */
async function startBare(
  verify: () => Promise<undefined>,
  reportOverflow: () => void,
  before: RequestHandler = (_req, _res, next) => {
    next();
  },
): Promise<Bare> {
  const outcomes: unknown[] = [];
  const report = (outcome: unknown): void => void outcomes.push(outcome);
  const service = await serveContract({
    contract: CONTRACT,
    validator: expressOpenapiValidator,
    handlers: { createThing: () => undefined },
    verifiers: { bearerAuth: verify },
    render: renderFixture,
    prefix: '',
    bodyLimit: 1_000,
    isUnavailable: () => false,
    report,
    reportOverflow: reportOverflow,
  });
  const server = createServer(
    express().use(before, createDocs({ contract: CONTRACT, prefix: '', render: renderFixture, report }), service),
  );
  return { ...(await listenOnLoopback(server)), outcomes };
}

describe('a client that pipelines has so many requests in flight, their replies, and the end of its connection', () => {
  test('on the server of the kit', async () => {
    const held = createHeldVerifier();
    const cuts: number[] = [];
    const reportOverflow = (): void => {
      cuts.push(held.calls());
      held.release();
    };
    await using app = await startThings({ verify: held.verify, reportOverflow: reportOverflow });
    const replies = await pipeline(app.port, JUNK);
    expect(cuts).toEqual([MAX_IN_FLIGHT]);
    expect(held.calls()).toBe(MAX_IN_FLIGHT);
    expect(replies.map((reply) => reply.slice(0, 12))).toEqual(Array(MAX_IN_FLIGHT).fill('HTTP/1.1 401'));
    expectEnd(replies);
    expect(app.outcomes).toHaveLength(MAX_IN_FLIGHT);
    await postThing(app.server, '{"id":1,"name":"Rose"}').expect(401);
  });

  test('on any other server', async () => {
    const held = createHeldVerifier();
    const cuts: number[] = [];
    const reportOverflow = (): void => {
      cuts.push(held.calls());
      held.release();
    };
    await using app = await startBare(held.verify, reportOverflow);
    const replies = await pipeline(app.port, JUNK);
    expect(cuts).toEqual([MAX_IN_FLIGHT]);
    expect(replies.map((reply) => reply.slice(0, 12))).toEqual(Array(MAX_IN_FLIGHT).fill('HTTP/1.1 401'));
    expectEnd(replies);
    expect(app.outcomes).toHaveLength(MAX_IN_FLIGHT);
  });

  test('in an application that exists, before it is in the contract: parsers and other routes count, too', async () => {
    const held = createHeldVerifier();
    const cuts: number[] = [];
    const reportOverflow = (): void => {
      cuts.push(held.calls());
      held.release();
    };
    const hold: RequestHandler = async (_req, _res, next) => {
      await held.verify();
      next();
    };
    const before = express
      .Router()
      .use(trackRequests({ report: () => undefined, reportOverflow }), hold, express.json());
    await using app = await startBare(() => Promise.resolve(undefined), reportOverflow, before);
    const replies = await pipeline(app.port, JUNK.replace('Host: a', 'Host: a\r\nContent-Type: application/json'));
    expect(cuts).toEqual([MAX_IN_FLIGHT]);
    expect(replies.map((reply) => reply.slice(0, 12))).toEqual(Array(MAX_IN_FLIGHT).fill('HTTP/1.1 401'));
    expectEnd(replies);
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
    await using app = await startBare(() => Promise.resolve(undefined), reportOverflow, writeHead);
    const replies = await pipeline(app.port, JUNK);
    expect(replies).toHaveLength(MAX_IN_FLIGHT);
    expect(cuts).toHaveLength(1);
  });

  test.each([
    ['a path that there is not', 'GET / HTTP/1.1\r\nHost:\r\n\r\n', 404],
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
    await using app = await startBare(
      () => Promise.resolve(undefined),
      () => undefined,
    );
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
