// A service whose requests are traced: its handlers ask a database and another service.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { runService, serveContract, type Service } from '@contract-kit/server';
import * as OpenApiValidator from 'express-openapi-validator';
import { openStore, parseLocation, StoreUnavailable, type Store, type StoreSchema } from '@contract-kit/store';
import express from 'express';

interface Note {
  readonly number: bigint;
  readonly text: string;
}

interface Call {
  readonly log: { info: (message: string) => void };
  readonly signal: AbortSignal;
  readonly body: Note;
  readonly path: { readonly number: bigint; readonly kind: string };
}

type Reply = (status: number, body?: unknown, headers?: object) => unknown;

const table = 'CREATE TABLE notes (number bigint PRIMARY KEY, text text NOT NULL)';
const schema: StoreSchema<{ notes: Note }> = {
  name: 'traced-notes',
  id: 0x74726163,
  versionTable: 'notes_version',
  migrations: [{ sql: table }],
  tables: { notes: { columns: ['number', 'text'], key: ['number'] } },
};

/** Another service. */
const PEER = String(process.env['PEER']);

function createHandlers(store: Store<{ notes: Note }>) {
  return {
    async createNote({ body }: Call, reply: Reply) {
      await store.add.notes(body);
      return reply(201);
    },
    async readNote({ path: { number }, log }: Call, reply: Reply) {
      const [note] = await store.read({
        // Long enough that others wait for the connection.
        sql: 'SELECT number, text, pg_sleep(0.02) FROM notes WHERE number = $1 LIMIT 1',
        values: [number],
        toItem: ({ text }: { text: string }) => text,
      });
      await fetch(`${PEER}/fetched`);
      await new Promise((resolve, reject) => {
        get(`${PEER}/got`, (response) => response.resume().on('end', resolve)).on('error', reject);
      });
      log.info('asked');
      return reply(200, { text: note ?? null });
    },
    async fail({ path: { kind }, signal }: Call, reply: Reply) {
      if (kind === 'away') throw new StoreUnavailable('it is away');
      if (kind === 'declared') return reply(507);
      if (kind === 'waiting') await sleep(600_000, undefined, { signal });
      if (kind === 'cut') return reply(200, Readable.from(brokenText()));
      throw new Error('a bug');
    },
  };
}

async function* brokenText(): AsyncGenerator<string> {
  yield 'the beginning';
  await sleep(1);
  throw new Error('broken');
}

const service: Service<string> = {
  title: 'The traced service',
  example: { purpose: 'read a note', path: '/notes/1', options: '' },
  readSettings: (setting) => setting('DATABASE_URL', '', String),
  describe: () => ({}),
  createVerifiers: (bearer) => ({ bearerAuth: bearer }),
  createApp: async (options) => express().use(await serveContract({ ...options, validator: OpenApiValidator })),
  isUnavailable: (cause) => cause instanceof StoreUnavailable,
  async open(location) {
    const store = await openStore(parseLocation(location), schema);
    return { handlers: createHandlers(store), check: () => store.check(), close: () => store.close() };
  },
};

const file = join(__dirname, 'openapi.yaml');
const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
void runService(service, { file, sha256 });
