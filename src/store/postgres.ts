import { hash } from 'node:crypto';
import { DatabaseError } from 'pg';
import { createGroupCommit, LIMITS, type Committer, type Failures } from './group-commit';
import { StoreUnavailable, type OpenStore, type StoredPlant, type ObserveCommit } from './plant-store';
import { TIMES, type PostgresTimes } from './postgres-pool';
import { prepareSchema } from './postgres-schema';
import { createPostgresServers, type PostgresServers } from './postgres-servers';

// Classes of SQLSTATE (PostgreSQL, appendix A). Those of a plant: data exception, constraint violated, limit exceeded.
const OF_THE_PLANT = new Set(['22', '23', '54']);
// Those that say nothing against it: connection, transaction state (such as read-only), authorization, no such
// database, rollback, resources, object in use, operator, system.
const UNAVAILABLE = new Set(['08', '25', '28', '3D', '40', '53', '55', '57', '58']);
const ROLLBACK = '40';

const TRIES = 3;
// So many are under way at once, each on a connection of its own; one more is for the check.
const COMMITS = 2;

type Row = readonly [id: bigint, name: string, tag: string | undefined, digest: Buffer];

/**
 * A store in PostgreSQL, or in what speaks its protocol.
 *
 * @param urls one for each server; the one that takes writes is used
 * @throws StoreUnavailable, one line without the password, when it cannot be used
 */
export async function openPostgresStore(
  urls: readonly string[],
  observe?: ObserveCommit,
  times: PostgresTimes = TIMES,
): Promise<OpenStore> {
  const servers = createPostgresServers(urls, COMMITS + 1, times);
  try {
    await servers.use(prepareSchema);
  } catch (error) {
    await servers.close();
    throw new StoreUnavailable(`the database cannot be used: ${(error as Error).message}`);
  }
  let checking: Promise<void> | undefined;
  const committer: Committer = {
    commit: (batch) => keep(servers, batch),
    // One at a time: however often it is asked, two connections are left to the commits.
    check: () => (checking ??= check(servers).finally(() => (checking = undefined))),
    close: () => servers.close(),
  };
  return createGroupCommit(committer, { ...LIMITS, commits: COMMITS }, observe);
}

async function check(servers: PostgresServers): Promise<void> {
  try {
    await servers.use((client) => client.query('SELECT id FROM plants LIMIT 0'));
  } catch (error) {
    throw new StoreUnavailable((error as Error).message, { cause: error });
  }
}

/** Keeps a batch with one statement. When a plant of it cannot be kept, the halves are tried, down to that plant. */
async function keep(servers: PostgresServers, batch: readonly StoredPlant[]): Promise<Failures> {
  try {
    await insert(servers, batch);
    return new Map();
  } catch (error) {
    if (!(error instanceof DatabaseError) || !OF_THE_PLANT.has(classOf(error))) throw error;
    if (batch.length === 1) return new Map([[0, error]]);
    const middle = Math.ceil(batch.length / 2);
    const first = await keep(servers, batch.slice(0, middle));
    const second = await keep(servers, batch.slice(middle));
    return new Map([...first, ...[...second].map(([place, failure]) => [place + middle, failure] as const)]);
  }
}

async function insert(servers: PostgresServers, batch: readonly StoredPlant[]): Promise<void> {
  // In the order of the key, in which all servers lock: they never wait for each other in a circle.
  const rows = batch.map(toRow).sort(([a, , , x], [b, , , y]) => (a === b ? x.compare(y) : a < b ? -1 : 1));
  const places = rows.map((_, row) => `(${[1, 2, 3, 4].map((column) => `$${String(4 * row + column)}`).join()})`);
  // Not prepared by name: a pooler in transaction mode may run the next statement on another connection.
  const text = `INSERT INTO plants (id, name, tag, digest) VALUES ${places.join()} ON CONFLICT (id, digest) DO NOTHING`;
  for (let tries = 1; ; tries++) {
    try {
      await servers.use((client) => client.query(text, rows.flat()));
      return;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (!(error instanceof DatabaseError) || classOf(error) !== ROLLBACK || tries === TRIES) {
        throw new StoreUnavailable('the database cannot be written', { cause: error });
      }
    }
  }
}

function toRow({ id, name, tag }: StoredPlant): Row {
  const digest = hash(
    'sha256',
    `${String(Buffer.byteLength(name))}:${name}${tag === undefined ? '' : `:${tag}`}`,
    'buffer',
  );
  return [id, name, tag, digest];
}

function classOf(error: DatabaseError): string {
  return String(error.code).slice(0, 2);
}

// What is not of the database is of the way there.
function isUnavailable(error: unknown): boolean {
  return !(error instanceof DatabaseError) || UNAVAILABLE.has(classOf(error));
}
