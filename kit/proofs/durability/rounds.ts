import { setTimeout as sleep } from 'node:timers/promises';
import { createLedger, createPlants, isSound, NOTHING, SOUND, type Audit } from './ledger';
import { startLoad, type Load } from './load';
import { createRandom, nameOfTest, type Random } from './random';
import { record, showProgress } from './results';
import { startService, type Database, type Service } from './service';

/** What a service stands on, and how it ends with it. */
export interface Ground extends Pick<Database, 'url' | 'rows'> {
  readonly kill?: () => Promise<void>;
}

/** A service, its clients, and what its database has to have of what was acknowledged to them. */
export interface Subject {
  start(database: string): Promise<Service>;
  startLoad(url: string): Load;
  audit(ground: Ground): Promise<Audit>;
}

function createPlantStore(random: Random): Subject {
  const next = createPlants(random);
  const ledger = createLedger();
  return {
    start: startService,
    startLoad: (url) => startLoad(url, ledger, next),
    audit: ({ rows }) => ledger.audit(rows),
  };
}

/**
 * Kills a service under load at random moments, with what it stands on, and starts it again.
 *
 * @param rounds how many there are, when nothing is lost before
 */
export async function killAgainAndAgain(
  rounds: number,
  begin: () => Ground | Promise<Ground>,
  cutPower: () => void = () => undefined,
  createSubject: (random: Random) => Subject = createPlantStore,
): Promise<void> {
  const random = createRandom();
  const subject = createSubject(random);
  let ground = await begin();
  let service = await subject.start(ground.url);
  let audit = NOTHING;
  let round = 0;
  let unavailable = 0;
  let recoveryMs = 0;
  // On a machine that is busy with other things, a round may end before its first change: then there are more rounds.
  while ((round < rounds || (audit.acknowledged <= round && round < 5 * rounds)) && isSound(audit)) {
    const load = subject.startLoad(service.url);
    await sleep(random.integer(50, 300));
    await Promise.all([ground.kill?.(), service.end('SIGKILL')]);
    await load.stop();
    unavailable += load.statuses.get(503) ?? 0;
    cutPower();
    ground = await begin();
    service = await subject.start(ground.url);
    recoveryMs = Math.max(recoveryMs, service.startMs);
    audit = await subject.audit(ground);
    showProgress(nameOfTest(), ++round, rounds);
  }
  await service.end('SIGTERM');
  await ground.kill?.();
  record({ rounds: round, ...audit, unavailable, recoveryMs });
  expect(audit).toMatchObject(SOUND);
  expect(audit.acknowledged).toBeGreaterThan(round);
}

/** A database that ends under a service which goes on. */
interface Outage {
  /** In milliseconds, of load before each. */
  readonly pause: readonly [number, number];
  readonly begin: () => Promise<void>;
  readonly end?: () => Promise<void>;
  /** Makes it whole again, once it serves. */
  readonly mend?: () => Promise<void>;
}

/** Takes the database away from a service under load, and waits until all is well. */
export async function takeAgainAndAgain(
  rounds: number,
  { url, rows }: Pick<Database, 'url' | 'rows'>,
  { pause, begin, end, mend }: Outage,
): Promise<void> {
  const random = createRandom();
  const ledger = createLedger();
  using service = await startService(url);
  const load = startLoad(service.url, ledger, createPlants(random));
  let audit = NOTHING;
  let round = 0;
  let recoveryMs = 0;
  let outageMs = 0;
  while (round < rounds && isSound(audit)) {
    await load.next(200);
    await sleep(random.integer(...pause));
    const begun = performance.now();
    await begin();
    await load.next(503);
    await end?.();
    const ended = performance.now();
    await load.next(200);
    recoveryMs = Math.max(recoveryMs, performance.now() - ended);
    outageMs = Math.max(outageMs, performance.now() - begun);
    audit = await ledger.audit(rows);
    await mend?.();
    showProgress(nameOfTest(), ++round, rounds);
  }
  await load.stop();
  audit = await ledger.audit(rows);
  const note = `longest outage ${(outageMs / 1000).toFixed(2)} s`;
  record({ rounds: round, ...audit, unavailable: load.statuses.get(503) ?? 0, recoveryMs, note });
  expect(audit).toMatchObject(SOUND);
  expect([...load.statuses.keys()].sort()).toEqual([200, 503]);
}
