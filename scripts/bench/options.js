// @ts-check
'use strict';
const { parseArgs } = require('node:util');

const NAMES = ['durable', 'lone', 'memory', 'growth', 'handling', 'overload', 'operations'];

const USAGE = `npm run check -- bench [options]
  --only PARTS      of ${NAMES.join(', ')}, separated by commas (all)
  --rounds N        how often each server is loaded (5)
  --seconds S       how long each time (3)
  --connections C   how many at once, separated by commas (32,256)
  --creations N     of the memory part (1000000)
  --rows N          of the largest table of the growth part (10000000)
  --quick           one round of one second, small numbers
  --write           write docs/bench (parts that are not measured now stay as they are), and raw data to reports/bench`;

/**
 * @typedef {{ parts: string[], rounds: number, seconds: number, connections: number[], warmUp: number, creations: number, rows: number, write: boolean }} Options
 */

/** @returns {Options | undefined} undefined when only the usage was asked for */
function readOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: NAMES.join() },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      connections: { type: 'string', default: '32,256' },
      creations: { type: 'string' },
      rows: { type: 'string' },
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return undefined;
  }
  const { quick, write } = values;
  const parts = values.only.split(',');
  const unknown = parts.find((part) => !NAMES.includes(part));
  if (unknown !== undefined) throw new Error(`there is no part ${unknown}\n${USAGE}`);
  return {
    parts,
    rounds: count('rounds', values.rounds ?? (quick ? '1' : '5')),
    seconds: count('seconds', values.seconds ?? (quick ? '1' : '3')),
    connections: values.connections.split(',').map((text) => count('connections', text)),
    warmUp: quick ? 1 : 2,
    creations: count('creations', values.creations ?? (quick ? '50000' : '1000000')),
    rows: count('rows', values.rows ?? (quick ? '200000' : '10000000')),
    write,
  };
}

/** @param {string} name @param {string} text */
function count(name, text) {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name} must be a whole number from 1 to 999999999\n${USAGE}`);
  return Number(text);
}

module.exports = { readOptions };
