import { resolve } from 'node:path';

/** The service that tests and proofs start: the one in `SERVICE`, a folder, or else the one that comes with them. */
export const SERVICE_FOLDER = resolve(process.env['SERVICE'] ?? 'packages/test-support/plants');
