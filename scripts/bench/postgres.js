'use strict';
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

// Of /proc/PID/stat, counted from what follows the name, which may contain anything.
const PARENT = 1;
const TIMES = { user: 11, system: 12, userOfEnded: 13, systemOfEnded: 14 };
const MICROSECONDS_A_TICK = 10_000;

/** A PostgreSQL of its own, with the defaults it comes with. */
async function withPostgres(use) {
  const { startPostgres } = await import('../../tests/support/start-postgres.ts');
  const postgres = await startPostgres();
  try {
    const [pid = ''] = readFileSync(join(postgres.folder, 'postmaster.pid'), 'utf8').split('\n');
    return await use({ createDatabase: () => postgres.createDatabase(), cpu: () => cpuOfFamily(pid) });
  } finally {
    await postgres[Symbol.asyncDispose]();
  }
}

/** Of a process and its children, also those that ended; 0 on systems without /proc. */
function cpuOfFamily(pid) {
  const cpu = { user: 0, system: 0 };
  for (const entry of listProcesses()) {
    const stat = readStat(entry);
    if (entry !== pid && stat[PARENT] !== pid) continue;
    cpu.user += (Number(stat[TIMES.user]) + Number(stat[TIMES.userOfEnded])) * MICROSECONDS_A_TICK;
    cpu.system += (Number(stat[TIMES.system]) + Number(stat[TIMES.systemOfEnded])) * MICROSECONDS_A_TICK;
  }
  return cpu;
}

function listProcesses() {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

module.exports = { withPostgres };
