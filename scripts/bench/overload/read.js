// @ts-check
'use strict';
const { median, medianRatio } = require('../statistics.js');

/** @typedef {import('./overload.js').Row} Row */
/** @typedef {import('./overload.js').Result} Result */
/** @typedef {import('./slow.js').Row} SlowRow */

/** The median of the rounds. @param {Row} row @param {(result: Result) => number} read */
function of({ results }, read) {
  return median(results.map(read));
}

/** @param {Result} result */
function toGrowth({ resident: { before, most } }) {
  return most / before;
}

/** @param {SlowRow} row */
function toSlowRatio({ results }) {
  const p99 = (/** @type {'without' | 'beside'} */ when) => results.map((result) => result[when].p99);
  return medianRatio(p99('beside'), p99('without'));
}

module.exports = { of, toGrowth, toSlowRatio };
