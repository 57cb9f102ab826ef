import { copyFileSync, rmSync, renameSync, writeFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOKEN, startLoad } from '../../durability/load';
import { createLedger, createPlants, type Row } from '../../durability/ledger';
import { createRandom } from '../../durability/random';
import { readRows } from '../../support/start-app';
import type { Figure, Attack } from '../attack';
import { startTarget } from '../target';

const PLANTS_BEFORE = 100;
const LOAD_MS = 3_000;
// The plants of the second load have ids of their own.
const SECOND_ID = 10n ** 15n;

/** What is done to the SQLite file of a service under load. */
interface Deed {
  readonly act: (file: string) => void;
  /** Where all that was acknowledged has to be, in one file alone. Without it: what is acknowledged after the deed counts. */
  readonly findKept?: (file: string) => string;
}

/** Does it, lets the load go on, kills the service, and counts what is lost of what was acknowledged. */
async function takeFile({ act, findKept }: Deed): Promise<Figure[]> {
  using target = await startTarget({ API_TOKENS: TOKEN });
  const file = join(target.process.folder, 'data/plants.db');
  const [before, after] = [createLedger(), createLedger()];
  const load = startLoad(target.url, before, createPlants(createRandom('before')));
  for (let count = 0; count < PLANTS_BEFORE; count++) await load.next(200);
  act(file);
  const second = startLoad(target.url, after, createPlants(createRandom('after'), SECOND_ID));
  await sleep(LOAD_MS);
  await Promise.all([load.stop(), second.stop()]);
  const ready = await fetch(`${target.admin}/readyz`);
  target.process.child.kill('SIGKILL');
  await target.process.ended;
  const rows = readAlone(findKept?.(file) ?? file, join(target.process.folder, 'alone.db'));
  const audits = await Promise.all([before, after].map((ledger) => ledger.audit(() => rows)));
  const counted = audits.filter((_, index) => findKept !== undefined || index === 1);
  const lost = counted.reduce((sum, audit) => sum + audit.lost, 0);
  return [
    { what: 'acknowledged and lost', value: lost, atMost: 0, unit: 'plants' },
    { what: 'readiness that says ready', value: ready.status === 200 ? 1 : 0, atMost: 0, unit: 'replies' },
  ];
}

// Without the log beside it. What is no database any more has no rows.
function readAlone(path: string, copy: string): readonly Row[] {
  try {
    copyFileSync(path, copy);
    return readRows(copy);
  } catch {
    return [];
  }
}

const toAway = (file: string): string => `${file}.away`;

/** Each needs write access to the file or its folder. */
const DEEDS: Readonly<Record<string, Deed>> = {
  // What was in the file before is gone; nothing more may be acknowledged.
  'the SQLite file removed under load': { act: rmSync },
  'the SQLite file truncated under load': { act: truncateSync },
  // As a restore does that does not stop the service: the file that was renamed has all that was acknowledged.
  'the SQLite file renamed and replaced under load': {
    act: (file) => {
      renameSync(file, toAway(file));
      writeFileSync(file, '');
    },
    findKept: toAway,
  },
  // The file itself has all that was acknowledged.
  'the -wal of the SQLite file removed under load': {
    act: (file) => {
      rmSync(`${file}-wal`);
    },
    findKept: (file) => file,
  },
};

export const databaseFileAttacks: readonly Attack[] = Object.entries(DEEDS).map(([name, deed]) => ({
  name,
  run: () => takeFile(deed),
}));
