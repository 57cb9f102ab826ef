// @ts-check
'use strict';
const { cpus } = require('node:os');
const { performance } = require('node:perf_hooks');

/** @typedef {{ user: number, system: number }} Cpu microseconds */

/**
 * Starts to watch the processors.
 *
 * @returns {(known: Cpu[]) => number} how many cores were busy since then with other things than what is known of
 */
function watchProcessors() {
  const begin = performance.now();
  const idleBefore = idle();
  const own = process.cpuUsage();
  return (known) => {
    const elapsed = performance.now() - begin;
    const used = [...known, process.cpuUsage(own)].reduce((sum, cpu) => sum + add(cpu), 0) / 1000;
    return Math.max(0, cpus().length - (idle() - idleBefore + used) / elapsed);
  };
}

/** In milliseconds, of all cores together. */
function idle() {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0);
}

/** @param {Cpu} before @param {Cpu} after @returns {Cpu} */
function spent(before, after) {
  return { user: after.user - before.user, system: after.system - before.system };
}

/** @param {Cpu} cpu */
function add({ user, system }) {
  return user + system;
}

module.exports = { add, spent, watchProcessors };
