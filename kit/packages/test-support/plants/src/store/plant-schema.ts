// The table of plants, and its migrations.
import { hash } from 'node:crypto';
import type { Migration, StoreSchema } from '@contract-kit/store';

/** A plant in the store. Two plants are the same if all fields are equal. */
export interface StoredPlant {
  /** In the range of int64. */
  readonly id: bigint;
  readonly name: string;
  readonly tag?: string;
}

const VERSION_1: Migration = {
  // Plants are the same if all columns are equal. In an index, two NULL tags are different: index an empty blob instead,
  // which equals itself and no text.
  sqlite: `
    CREATE TABLE plants (id INTEGER NOT NULL, name TEXT NOT NULL, tag TEXT) STRICT;
    CREATE UNIQUE INDEX plants_once ON plants (id, name, ifnull(tag, x''))`,
  // The key identifies a row, and begins with the id, so that the table can be partitioned by id. The digest stands for
  // name and tag, which may be too long for an index. It is the SHA-256 of `5:Alder:tree`, or of `5:Alder` without a tag:
  // the name's length in bytes of UTF-8, the name, the tag.
  postgres: `
    CREATE TABLE plants (
      id bigint NOT NULL,
      name text NOT NULL,
      tag text,
      digest bytea NOT NULL,
      PRIMARY KEY (id, digest)
    )`,
};

/** The table of plants. */
export const plantSchema: StoreSchema<{ plants: StoredPlant }> = {
  name: 'plant-store',
  // "Plnt"
  id: 0x506c6e74,
  versionTable: 'plants_version',
  migrations: [VERSION_1],
  tables: {
    plants: {
      sqlite: {
        columns: ['id', 'name', 'tag'],
        key: ['id', 'name', `ifnull(tag, x'')`],
      },
      postgres: {
        columns: ['id', 'name', 'tag', 'digest'],
        key: ['id', 'digest'],
        toRow: (plant) => [plant.id, plant.name, plant.tag ?? null, digestOf(plant)],
      },
    },
  },
};

function digestOf({ name, tag }: StoredPlant): Buffer {
  const text = `${String(Buffer.byteLength(name))}:${name}${tag === undefined ? '' : `:${tag}`}`;
  return hash('sha256', text, 'buffer');
}
