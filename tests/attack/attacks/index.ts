import type { Attack } from '../attack';
import { connectionAttacks } from './connections';
import { contractAttacks } from './contracts';
import { costlyBodies } from './costly-bodies';
import { databaseFileAttacks } from './database-file';
import { lockAttacks } from './held-locks';
import { refusedMessages } from './refused-messages';
import { sigtermAttacks } from './sigterm';
import { tokenAttacks } from './tokens';

/** All of them, in the order in which they are tried. */
export const attacks: readonly Attack[] = [
  ...connectionAttacks,
  ...costlyBodies,
  ...refusedMessages,
  ...tokenAttacks,
  ...databaseFileAttacks,
  ...lockAttacks,
  ...sigtermAttacks,
  ...contractAttacks,
];
