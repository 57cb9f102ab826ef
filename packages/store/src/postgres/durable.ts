/**
 * Makes the transaction around it wait for the disk, though the settings of its role, database or server do not; others of
 * their values stay. By itself, since a pooler in transaction mode may run the next one on a connection of other settings.
 */
export const MAKE_DURABLE = `SELECT set_config('synchronous_commit', 'on', true)
  WHERE current_setting('synchronous_commit', true) = 'off'`;
