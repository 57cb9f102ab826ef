import type { RunningPostgres } from '../start-postgres';
import type { Row } from './ledger';

/** The plants in a database of a server. */
export async function readPlants(postgres: RunningPostgres, database?: string): Promise<Row[]> {
  return (await postgres.query('SELECT id, name, tag FROM plants', database)) as unknown as Row[];
}
