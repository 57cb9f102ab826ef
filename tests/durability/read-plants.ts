import type { PostgresDatabase } from '../support/start-postgres';
import type { Row } from './ledger';

/** The plants in a database. */
export async function readPlants({ query }: PostgresDatabase): Promise<Row[]> {
  return (await query('SELECT id, name, tag FROM plants')) as unknown as Row[];
}
