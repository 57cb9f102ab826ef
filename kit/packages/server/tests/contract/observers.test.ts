import type { Finding } from '../../src/http/findings';
import { MAX_IN_FLIGHT } from '../../src/http/connections';
import type { ServiceOptions } from '../../src/pipeline/serve-contract';
import { createLog } from '../../src/runtime/log';
import { startJob } from '../../src/runtime/start-job';
import { openClient } from '@contract-kit/test-support/send-raw';
import { until } from '@contract-kit/test-support/until';
import { postJson, serveOperation } from '@contract-kit/test-support/serve-operation';
import { behind, postThing, startExisting, startThings } from '@contract-kit/test-support/start-things';

const ROSE = '{"id":1,"name":"Rose"}';
const FAILURES: readonly (readonly [string, () => never])[] = [
  [
    'throws',
    () => {
      throw new Error('a bug of the team');
    },
  ],
  ['rejects', () => Promise.reject(new Error('a bug of the team')) as never],
];

/** A log whose lines the test reads. */
function createKeptLog() {
  const lines: string[] = [];
  return { log: createLog('info', { write: (line) => lines.push(line) }), lines: () => lines.join('') };
}

describe.each(FAILURES)('an observer that %s is logged once and changes no reply:', (_, fail) => {
  test('report, on the server of the kit', async () => {
    const { log, lines } = createKeptLog();
    await using app = await startThings({ log, report: fail });
    for (let count = 0; count < 2; count++) await postThing(app.server, ROSE).expect(200);
    const client = openClient(app.port);
    client.socket.end('nonsense\r\n\r\n');
    await client.closed;
    expect(client.received).toContain('HTTP/1.1 400 ');
    await until(() => lines().includes('a bug of the team'));
    expect(lines().match(/report failed/g)).toHaveLength(1);
  });

  test('report, on any other server', async () => {
    const { log, lines } = createKeptLog();
    await using app = await startExisting(behind(), { log, report: fail });
    for (let count = 0; count < 2; count++) await postThing(app.server, ROSE).expect(200);
    await until(() => lines().includes('a bug of the team'));
    expect(lines().match(/report failed/g)).toHaveLength(1);
  });

  test('observeFinding', async () => {
    const { log, lines } = createKeptLog();
    const options: Partial<ServiceOptions> = { mode: 'report', log, observeFinding: fail };
    await using app = await serveOperation(
      { reply: '{ type: integer }' },
      (_request, reply) => reply(200, 'a'),
      {},
      options,
    );
    for (let count = 0; count < 2; count++) await postJson(app, '').expect(200, '"a"');
    await until(() => lines().includes('a bug of the team'));
    expect(lines().match(/observeFinding failed/g)).toHaveLength(1);
    expect(lines().match(/not as the contract says/g)).toHaveLength(2);
  });

  test.each([
    ['the server of the kit', startThings],
    ['any other server', (parts: Partial<ServiceOptions>) => startExisting(behind(), parts)],
  ])('reportOverflow, on %s', async (_server, start) => {
    const { log, lines } = createKeptLog();
    await using app = await start({ log, reportOverflow: fail });
    const client = openClient(app.port);
    client.socket.write(
      'POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer junk\r\n\r\n'.repeat(MAX_IN_FLIGHT + 6),
    );
    await client.closed;
    await until(() => lines().includes('reportOverflow failed'));
    await postThing(app.server, ROSE).expect(200);
  });
});

test('a log that fails changes no reply, and ends neither the process nor a job', async () => {
  let failures = 0;
  const write = (): never => {
    failures++;
    throw new Error('the disk is full');
  };
  const log = createLog('info', { write });
  const observed: Finding[] = [];
  const options: Partial<ServiceOptions> = { log, mode: 'report', observeFinding: (found) => observed.push(found) };
  await using app = await serveOperation({ reply: '{ type: integer }' }, (_, reply) => reply(200, 'a'), {}, options);
  await postJson(app, '').expect(200, '"a"');
  expect(observed).toHaveLength(1);
  await using other = await startExisting(behind(), { log, report: undefined });
  await postThing(other.server, ROSE).expect(200);
  let runs = 0;
  const stop = startJob(log, 1, () => Promise.reject(new Error(`run ${String(++runs)}`)));
  await until(() => runs >= 3);
  await stop();
  expect(failures).toBeGreaterThan(3);
});

test.each(FAILURES)('an error is a 500 with its cause in the log where isUnavailable %s', async (_, isUnavailable) => {
  const handler = (): never => {
    throw new Error('a bug of the handler');
  };
  await using app = await serveOperation({}, handler, {}, { isUnavailable });
  expect((await postJson(app, '').expect(500)).body).toMatchObject({ error: 50000 });
  await until(() => app.outcomes.length === 1);
  const cause = app.outcomes[0]?.refusal?.cause as Error;
  expect(`${cause.message} ${String(cause.cause)}`).toContain('a bug of the handler');
});
