import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { FIXTURE_ERRORS } from '../../../tests/support/fixture-errors';
import { createAppBehind } from '../../../tests/support/serve-app';
import { until } from '../../../tests/support/until';
import { createLog } from '../src/runtime/log';
import type { Service } from '../src/runtime/service';
import { startService } from '../src/testing';
import { startJob } from './background-job';

const FILE = 'tests/fixtures/things.yaml';
const sha256 = createHash('sha256').update(readFileSync(FILE)).digest('hex');

/** A service with a job, and what the job logs. */
function createService(run: Parameters<typeof startJob>[2], pause = 1) {
  const lines: object[] = [];
  const log = createLog('info', { write: (line) => lines.push(JSON.parse(line) as object) }).child({ job: 'clean up' });
  const service: Service<undefined> = {
    title: 'Things',
    example: { purpose: 'create a thing', path: '/things', options: '' },
    readSettings: () => undefined,
    describe: () => ({}),
    createVerifiers: () => ({}),
    createApp: (options) => createAppBehind([], options),
    isUnavailable: () => false,
    open: () => {
      const stopJob = startJob(log, pause, run);
      const handlers = { createThing: () => Promise.reject(new Error('not asked for')) };
      return Promise.resolve({ handlers, check: () => Promise.resolve(), close: stopJob });
    },
  };
  return {
    lines,
    start: () => startService(service, { file: FILE, sha256, errors: FIXTURE_ERRORS }, { bearerAuth: 'a' }),
  };
}

test('a job that is started in open runs again and again, also after a run that failed, until close', async () => {
  let runs = 0;
  const { lines, start } = createService(() => {
    runs++;
    return runs === 1 ? Promise.reject(new Error('a bug')) : Promise.resolve();
  });
  {
    await using started = await start();
    expect(started.base.hostname).toBe('127.0.0.1');
    await until(() => runs >= 3);
  }
  const runsAtClose = runs;
  await sleep(20);
  expect(runs).toBe(runsAtClose);
  const err = expect.stringContaining('a bug') as string;
  expect(lines).toMatchObject([{ level: 50, job: 'clean up', msg: 'the job failed', err }]);
});

test('close aborts the signal of a run, and waits for its end', async () => {
  const steps: string[] = [];
  const { lines, start } = createService(async (signal) => {
    steps.push('run');
    await sleep(2 ** 30, undefined, { signal }).catch(() => steps.push(`aborted: ${String(signal.aborted)}`));
    await sleep(20);
    steps.push('over');
    throw new Error('a run that was stopped may fail');
  });
  {
    await using started = await start();
    expect(started.base.hostname).toBe('127.0.0.1');
    await until(() => steps.length > 0);
  }
  expect(steps).toEqual(['run', 'aborted: true', 'over']);
  expect(lines).toEqual([]);
});

test('close ends the pause of a job', async () => {
  const { start } = createService(() => Promise.reject(new Error('not asked for')), 2 ** 30);
  await using started = await start();
  expect(started.base.hostname).toBe('127.0.0.1');
});
