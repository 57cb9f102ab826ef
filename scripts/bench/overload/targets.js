// @ts-check
'use strict';
const { of, toGrowth, toSlowRatio } = require('./read.js');

/** @typedef {import('./overload.js').Row} Row */
/** @typedef {import('./slow.js').Row} SlowRow */

/** @param {Row[]} floods @param {SlowRow[]} slow @returns {import('../parts.js').Target[]} of ours, the first row */
function toTargets([flood], [slow]) {
  if (!flood || !slow) return [];
  const [p99, growth] = [of(flood, (one) => one.flood.fromSent.p99), of(flood, toGrowth)];
  const [recovery, ratio] = [of(flood, (one) => one.flood.recovery), toSlowRatio(slow)];
  return [
    { what: 'overload, p99 of accepted requests, less than 250 ms', value: `${p99.toFixed(0)} ms`, isMet: p99 < 250 },
    { what: 'overload, most resident memory / before, at most 1.5', value: growth.toFixed(2), isMet: growth <= 1.5 },
    { what: 'overload, first 200 after it, within 1 s', value: `${recovery.toFixed(0)} ms`, isMet: recovery <= 1000 },
    { what: 'p99 beside slow sockets / without, at most 2', value: ratio.toFixed(2), isMet: ratio <= 2 },
  ];
}

module.exports = { toTargets };
