import { hash } from 'node:crypto';
import { DatabaseError } from 'pg';
import { createGroupCommit, LIMITS, type Committer, type Failures } from './group-commit';
import { StoreUnavailable, type OpenStore, type StoredPlant, type ObserveCommit } from './plant-store';
import { TIMES, type PostgresTimes } from './postgres-pool';
import { prepareSchema } from './postgres-schema';
import { createPostgresServers, type PostgresServers } from './postgres-servers';

// Classes of SQLSTATE (PostgreSQL, appendix A) for a bad plant: data exception, constraint violation, limit exceeded.
const OF_THE_PLANT = new Set(['22', '23', '54']);
// Classes for an unavailable store: connection, transaction state (such as read-only), authorization, no such database,
// rollback, resources, object in use, operator intervention, system.
const UNAVAILABLE = new Set(['08', '25', '28', '3D', '40', '53', '55', '57', '58']);
const ROLLBACK = '40';

const TRIES = 3;
// Concurrent commits, each on a connection of its own. One more connection is for the check.
const COMMITS = 2;

type Row = readonly [id: bigint, name: string, tag: string | undefined, digest: Buffer];

/**
 * A store in PostgreSQL, or in a database with the same protocol.
 *
 * @param urls one for each server; the store uses the one that accepts writes
 * @throws StoreUnavailable, with a message of one line without the password, when the store cannot be used
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
    // One check at a time, so that two connections are always left for the commits.
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

/** Stores a batch with one statement. If one plant cannot be stored, tries each half, down to that plant. */
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
  // In the order of the key: all servers lock rows in this order, so that they never deadlock.
  const rows = batch.map(toRow).sort(([a, , , x], [b, , , y]) => (a === b ? x.compare(y) : a < b ? -1 : 1));
  const places = rows.map((_, row) => `(${[1, 2, 3, 4].map((column) => `$${String(4 * row + column)}`).join()})`);
  // Not a named statement: a pooler in transaction mode may run the next statement on another connection.
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

// Any error that the database did not report is an error of the connection.
function isUnavailable(error: unknown): boolean {
  return !(error instanceof DatabaseError) || UNAVAILABLE.has(classOf(error));
}
