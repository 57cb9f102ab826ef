import { hash } from 'node:crypto';
import type { Store, StoreSchema } from '@contract-kit/store';
import type { NewPlant } from '../generated/schemas';

/** A plant in the store. Two plants are the same if all properties are equal. */
export type StoredPlant = Readonly<NewPlant>;

/** The store that handlers use. A plant is on disk once `add.plants` is fulfilled; the same plant again changes nothing. */
export type ServiceStore = Store<{ plants: StoredPlant }>;

/** The tables of this service. */
export const schema: StoreSchema<{ plants: StoredPlant }> = {
  name: 'plant-store',
  id: 0x506c6e74, // "Plnt"
  versionTable: 'plants_version',
  // Never change a migration that was released; add the next one.
  migrations: [
    {
      // In an index, two NULL tags are different: index an empty blob instead, which equals itself and no text.
      sqlite: `
        CREATE TABLE plants (id INTEGER NOT NULL, name TEXT NOT NULL, tag TEXT) STRICT;
        CREATE UNIQUE INDEX plants_once ON plants (id, name, ifnull(tag, x''))`,
      // The digest stands for name and tag, which may be too long for an index. The key begins with the id, so that the
      // table can be partitioned by it.
      postgres: `
        CREATE TABLE plants (
          id bigint NOT NULL,
          name text NOT NULL,
          tag text,
          digest bytea NOT NULL,
          PRIMARY KEY (id, digest)
        )`,
    },
  ],
  tables: {
    plants: {
      sqlite: { columns: ['id', 'name', 'tag'], key: ['id', 'name', `ifnull(tag, x'')`] },
      postgres: {
        columns: ['id', 'name', 'tag', 'digest'],
        key: ['id', 'digest'],
        toRow: (plant) => [plant.id, plant.name, plant.tag ?? null, digestOf(plant)],
      },
    },
  },
};

/** The SHA-256 of `5:Alder:tree`, or of `5:Alder` without a tag: the bytes of the name in UTF-8, the name, the tag. */
function digestOf({ id, name, tag, ...others }: StoredPlant): Buffer {
  // A new property of the contract does not compile here. Plants that differ in it are different plants, so add it to
  // the columns, to both keys with a migration, and to this digest, whose values for stored plants must not change. The
  // digests of two different plants must always differ.
  others satisfies Record<string, never>;
  const text = `${String(Buffer.byteLength(name))}:${name}${tag === undefined ? '' : `:${tag}`}`;
  return hash('sha256', text, 'buffer');
}
