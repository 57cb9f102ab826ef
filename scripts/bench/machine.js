// @ts-check
'use strict';
const { readFileSync } = require('node:fs');
const { cpus, release, tmpdir, totalmem, type } = require('node:os');

/** Where it is measured. @typedef {ReturnType<typeof describeMachine>} Machine */

function describeMachine() {
  const cores = cpus();
  return {
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memory: `${(totalmem() / 1024 ** 3).toFixed(0)} GB`,
    node: process.version,
    system: `${type()} ${release()}`,
    filesystem: filesystemOf(tmpdir()),
  };
}

/** Of the deepest mount that the folder is in. @param {string} folder */
function filesystemOf(folder) {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '));
    const holding = mounts.filter(([, at = '']) => `${folder}/`.startsWith(at.endsWith('/') ? at : `${at}/`));
    return holding.toSorted(([, a = ''], [, b = '']) => b.length - a.length)[0]?.[2] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

module.exports = { describeMachine };
