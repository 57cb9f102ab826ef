// @ts-check
'use strict';
const { parseArgs } = require('node:util');

const USAGE = `npm run bench -- [options]
  --rounds N       how often each server is loaded (5)
  --seconds S      how long each time (4)
  --connections C  how many at once (32)
  --quick          one round of one second
  --json FILE      write the results to a file, too`;

/** @typedef {{ rounds: number, seconds: number, connections: number, warmUp: number, json: string | undefined }} Options */

/** @returns {Options | undefined} undefined when only the usage was asked for */
function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return undefined;
  }
  return {
    rounds: count('rounds', values.rounds ?? (values.quick ? '1' : '5')),
    seconds: count('seconds', values.seconds ?? (values.quick ? '1' : '4')),
    connections: count('connections', values.connections ?? '32'),
    warmUp: values.quick ? 1 : 3,
    json: values.json,
  };
}

/** @param {string} name @param {string} text */
function count(name, text) {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error(`--${name} must be a whole number from 1 to 9999\n${USAGE}`);
  return Number(text);
}

module.exports = { readOptions };
