import type { StoreSchema } from '@contract-kit/store';
import { hash } from 'node:crypto';

// The tables as release 1.0.0 knows them, and a database as it leaves one. Never edited.

interface Plant {
  readonly id: bigint;
  readonly name: string;
  readonly tag?: string;
}

const VERSION_1 = {
  sqlite: `
    CREATE TABLE plants (id INTEGER NOT NULL, name TEXT NOT NULL, tag TEXT) STRICT;
    CREATE UNIQUE INDEX plants_once ON plants (id, name, ifnull(tag, x''))`,
  postgres: `
    CREATE TABLE plants (
      id bigint NOT NULL,
      name text NOT NULL,
      tag text,
      digest bytea NOT NULL,
      PRIMARY KEY (id, digest)
    )`,
};

export const schema: StoreSchema<{ plants: Plant }> = {
  name: 'plant-store',
  id: 0x506c6e74,
  versionTable: 'plants_version',
  migrations: [VERSION_1],
  tables: {
    plants: {
      sqlite: {
        columns: ['id', 'name', 'tag'],
        key: ['id', 'name', `ifnull(tag, x'')`],
        toRow: ({ id, name, tag }) => [id, name, tag ?? null],
      },
      postgres: {
        columns: ['id', 'name', 'tag', 'digest'],
        key: ['id', 'digest'],
        toRow: ({ id, name, tag }) => [id, name, tag ?? null, digestOf(name, tag)],
      },
    },
  },
};

function digestOf(name: string, tag: string | undefined): Buffer {
  const text = `${String(Buffer.byteLength(name))}:${name}${tag === undefined ? '' : `:${tag}`}`;
  return hash('sha256', text, 'buffer');
}

export const plants: readonly Plant[] = [
  { id: -(2n ** 63n), name: '', tag: '' },
  { id: 1n, name: 'Rose', tag: 'flower' },
  { id: 2n, name: 'Fern' },
];

export const sqlite = `${VERSION_1.sqlite};
  PRAGMA application_id = 1349283444;
  PRAGMA user_version = 1;
  PRAGMA journal_mode = WAL;
  INSERT INTO plants VALUES (1, 'Rose', 'flower'), (2, 'Fern', NULL), (-9223372036854775808, '', '')`;

export const postgres = `${VERSION_1.postgres};
  CREATE TABLE plants_version (version integer PRIMARY KEY);
  INSERT INTO plants_version VALUES (1);
  INSERT INTO plants VALUES (1, 'Rose', 'flower', sha256('4:Rose:flower')), (2, 'Fern', NULL, sha256('4:Fern')),
    (-9223372036854775808, '', '', sha256('0::'))`;
