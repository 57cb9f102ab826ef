// Refuses views and triggers, which could lose rows.
// A test runs this file in processes: it may import only Node's modules.
import type { DatabaseSync } from 'node:sqlite';
import type { AnySchema } from '../schema.ts';

export function assertPlainTables(database: DatabaseSync, { tables }: AnySchema): void {
  const findViewOrTrigger = database.prepare(
    `SELECT type, name FROM sqlite_schema WHERE lower(tbl_name) = ? AND type IN ('view', 'trigger')`,
  );
  // Names in the schema are lower case; tbl_name may have upper case, as it is written in the definition of a trigger.
  for (const table of Object.keys(tables)) {
    const found = findViewOrTrigger.get(table);
    if (found === undefined) continue;
    if (found['type'] === 'view') throw new Error(`${table} is a view, which need not keep what is acknowledged`);
    throw new Error(`the trigger ${JSON.stringify(found['name'])} may change or drop what is acknowledged`);
  }
}
