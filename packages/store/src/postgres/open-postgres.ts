import { DatabaseError } from 'pg';
import { createGroupCommit, LIMITS, type Committer, type Failures, type RowStore } from '../group-commit';
import type { AnySchema, PostgresValue, Row } from '../schema';
import { StoreUnavailable, type StoreObserver } from '../store';
import { createInserts, runInserts, type Inserts } from './inserts';
import { TIMES, type PostgresTimes } from './pool';
import { prepareSchema } from './prepare-schema';
import { createPostgresServers, type PostgresServers } from './servers';

// Classes of SQLSTATE (PostgreSQL, appendix A) for a bad row: data exception, constraint violation, limit exceeded.
const OF_THE_ROW = new Set(['22', '23', '54']);
// Classes for an unavailable store: connection, transaction state (such as read-only), authorization, no such database,
// rollback, resources, object in use, operator intervention, system.
const UNAVAILABLE = new Set(['08', '25', '28', '3D', '40', '53', '55', '57', '58']);
const ROLLBACK = '40';

const TRIES = 3;
// Concurrent commits, each on a connection of its own. One more connection is for the check.
const COMMITS = 2;

/**
 * A store in PostgreSQL, or in a database with the same protocol.
 *
 * @param urls one for each server; the store uses the one that accepts writes
 * @throws StoreUnavailable, with a message of one line without the password, when the store cannot be used
 */
export async function openPostgres(
  urls: readonly string[],
  schema: AnySchema,
  { observeCommit }: StoreObserver,
  times: PostgresTimes = TIMES,
): Promise<RowStore<PostgresValue>> {
  const servers = createPostgresServers(urls, { name: schema.name, connections: COMMITS + 1, times });
  try {
    await prepareSchema(servers, schema);
  } catch (error) {
    await servers.close();
    throw new StoreUnavailable(`the database cannot be used: ${(error as Error).message}`);
  }
  const toInserts = createInserts(schema);
  let checking: Promise<void> | undefined;
  const committer: Committer<PostgresValue> = {
    commit: (batch) => keep(servers, toInserts, batch),
    // One check at a time, so that two connections are always left for the commits.
    check: () => (checking ??= check(servers, schema).finally(() => (checking = undefined))),
    close: () => servers.close(),
  };
  return createGroupCommit(committer, { ...LIMITS, commits: COMMITS }, observeCommit);
}

async function check(servers: PostgresServers, { tables }: AnySchema): Promise<void> {
  const selects = Object.keys(tables).map((table) => `SELECT 1 FROM ${table} LIMIT 0`);
  try {
    await servers.use((client) => client.query(selects.join('; ')));
  } catch (error) {
    throw new StoreUnavailable((error as Error).message, { cause: error });
  }
}

type ToInserts = (rows: readonly Row<PostgresValue>[]) => Inserts;

/** Stores a batch in one transaction. If one row cannot be stored, tries each half, down to that row. */
async function keep(
  servers: PostgresServers,
  toInserts: ToInserts,
  batch: readonly Row<PostgresValue>[],
): Promise<Failures> {
  try {
    await insert(servers, toInserts(batch));
    return new Map();
  } catch (error) {
    if (!(error instanceof DatabaseError) || !OF_THE_ROW.has(classOf(error))) throw error;
    if (batch.length === 1) return new Map([[0, error]]);
    const middle = Math.ceil(batch.length / 2);
    const first = await keep(servers, toInserts, batch.slice(0, middle));
    const second = await keep(servers, toInserts, batch.slice(middle));
    return new Map([...first, ...[...second].map(([place, failure]) => [place + middle, failure] as const)]);
  }
}

async function insert(servers: PostgresServers, inserts: Inserts): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await servers.use((client) => runInserts(client, inserts));
      return;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (!(error instanceof DatabaseError) || classOf(error) !== ROLLBACK || tries === TRIES) {
        throw new StoreUnavailable('the database cannot be written', { cause: error });
      }
    }
  }
}

function classOf(error: DatabaseError): string {
  return String(error.code).slice(0, 2);
}

// Any error that the database did not report is an error of the connection.
function isUnavailable(error: unknown): boolean {
  return !(error instanceof DatabaseError) || UNAVAILABLE.has(classOf(error));
}
