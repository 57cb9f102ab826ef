// @ts-check
'use strict';
const { readFileSync } = require('node:fs');

const SAMPLE_MS = 100;
const MB = 1024;

/** @typedef {{ before: number, most: number, after: number }} Resident MB, or NaN on systems without /proc */

/**
 * Samples the memory of a process while something is done. The system is asked, not the process, which has no time.
 *
 * @template T
 * @param {number} pid
 * @param {() => Promise<T>} act
 * @returns {Promise<{ result: T, resident: Resident }>}
 */
async function watchResident(pid, act) {
  const before = readResident(pid);
  let most = before;
  const sample = () => (most = Math.max(most, readResident(pid)));
  const timer = setInterval(sample, SAMPLE_MS);
  try {
    const result = await act();
    sample();
    return { result, resident: { before, most, after: readResident(pid) } };
  } finally {
    clearInterval(timer);
  }
}

/** @param {number} pid */
function readResident(pid) {
  try {
    const [, kilobytes] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / MB;
  } catch {
    return NaN;
  }
}

module.exports = { watchResident };
