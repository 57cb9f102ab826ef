import type { StoredPlant } from '@contract-kit/test-support/plants/src/store/plant-store';
import type { Random } from './random';
import type { PostgresDatabase } from '@contract-kit/test-support/start-postgres';

/** A row of the table, as any program reads it. */
export interface Row {
  readonly id: bigint | string;
  readonly name: string;
  readonly tag: string | null;
}

/** What a database has to do with what was sent to it. */
export interface Audit {
  readonly acknowledged: number;
  /** Acknowledged and not there. */
  readonly lost: number;
  /** There under an id that was sent, with something else than was sent. */
  readonly half: number;
  /** There and never sent, or there more than once. */
  readonly strange: number;
}

/** What each audit has to find. */
export const SOUND = { lost: 0, half: 0, strange: 0 };

/** Before the first. */
export const NOTHING: Audit = { acknowledged: 0, ...SOUND };

/** Whether an audit found that. */
export function isSound({ lost, half, strange }: Audit): boolean {
  return lost + half + strange === 0;
}

export type Ledger = ReturnType<typeof createLedger>;

/** Keeps which plants were sent, and which of them were acknowledged. */
export function createLedger() {
  const sent = new Set<string>();
  const ids = new Set<string>();
  const acknowledged = new Set<string>();
  return {
    send(plant: StoredPlant): void {
      sent.add(toKey(plant));
      ids.add(String(plant.id));
    },
    acknowledge(plant: StoredPlant): void {
      acknowledged.add(toKey(plant));
    },
    /** How many plants were acknowledged. */
    acknowledged: () => acknowledged.size,
    /** Plants may be sent and acknowledged while it reads. */
    async audit(read: () => readonly Row[] | Promise<readonly Row[]>): Promise<Audit> {
      const promised = new Set(acknowledged);
      const rows = await read();
      const kept = new Set(rows.map(toKey));
      const others = [...kept].filter((key) => !sent.has(key));
      const half = others.filter((key) => ids.has((JSON.parse(key) as [string])[0])).length;
      return {
        acknowledged: promised.size,
        lost: [...promised].filter((key) => !kept.has(key)).length,
        half,
        strange: others.length - half + rows.length - kept.size,
      };
    },
  };
}

function toKey({ id, name, tag }: { id: bigint | string; name: string; tag?: string | null }): string {
  return JSON.stringify([String(id), name, tag ?? null]);
}

const LETTERS = Array.from(`aZ09 '"\\%;\n\u0001é\u{1f331}`);
// Numbers that are not exact, and rows that take several pages, would show a store that keeps half of a plant.
const FIRST_ID = 2n ** 53n + 1n;
const LONG = 6_000;

/** Makes plants of which no two have the same id. */
export function createPlants(random: Random, firstId = FIRST_ID): () => StoredPlant {
  let id = firstId;

  function text(): string {
    const length = random.integer(1, 50) === 1 ? random.integer(1, LONG) : random.integer(1, 40);
    return Array.from({ length }, () => random.pick(LETTERS)).join('');
  }

  return () => ({ id: id++, name: text(), ...(random.integer(1, 3) === 1 ? {} : { tag: text() }) });
}

/** The body of the request that creates a plant. */
export function toBody({ id, name, tag }: StoredPlant): string {
  return `{"id":${String(id)},${JSON.stringify({ name, tag }).slice(1)}`;
}

/** The body of its reply. */
export function toReply({ name, tag }: StoredPlant): string {
  return JSON.stringify({ name, tag });
}

/** The plants in a database. */
export async function readPlants({ query }: Pick<PostgresDatabase, 'query'>): Promise<Row[]> {
  return (await query('SELECT id, name, tag FROM plants')) as unknown as Row[];
}
