// A database as release 1.0.0 leaves it. Never edited.
export const sqlite = `
  CREATE TABLE plants (id INTEGER NOT NULL, name TEXT NOT NULL, tag TEXT) STRICT;
  CREATE UNIQUE INDEX plants_once ON plants (id, name, ifnull(tag, x''));
  PRAGMA application_id = 1349283444;
  PRAGMA user_version = 1;
  PRAGMA journal_mode = WAL;
  INSERT INTO plants VALUES (1, 'Rose', 'flower'), (2, 'Fern', NULL), (-9223372036854775808, '', '')`;
export const postgres = `
  CREATE TABLE plants (id bigint NOT NULL, name text NOT NULL, tag text, digest bytea NOT NULL, PRIMARY KEY (id, digest));
  CREATE TABLE plants_version (version integer PRIMARY KEY);
  INSERT INTO plants_version VALUES (1);
  INSERT INTO plants VALUES (1, 'Rose', 'flower', sha256('4:Rose:flower')), (2, 'Fern', NULL, sha256('4:Fern')),
    (-9223372036854775808, '', '', sha256('0::'))`;
