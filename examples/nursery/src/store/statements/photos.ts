import type { Statement } from '@contract-kit/store';
import type { Photo } from '../nursery-store';

const toPhoto = ({ type, bytes }: Photo): Photo => ({ type, bytes });

export function findPhoto(plantId: string): Statement<Photo> {
  return { sql: 'SELECT type, bytes FROM photos WHERE plant = $1', values: [plantId], toItem: toPhoto };
}

/** Changes nothing when there is no such plant. */
export function keepPhoto(plantId: string, { type, bytes }: Photo): Statement<string> {
  return {
    sql: `INSERT INTO photos (plant, type, bytes) SELECT id, $2, $3 FROM plants WHERE id = $1
      ON CONFLICT (plant) DO UPDATE SET type = excluded.type, bytes = excluded.bytes RETURNING plant`,
    values: [plantId, type, bytes],
    toItem: ({ plant }: { plant: string }) => plant,
  };
}

export function removePhoto(plantId: string): Statement<string> {
  return {
    sql: 'DELETE FROM photos WHERE plant = $1 RETURNING plant',
    values: [plantId],
    toItem: ({ plant }: { plant: string }) => plant,
    isOptional: true,
  };
}
