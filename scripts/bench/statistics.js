// @ts-check
'use strict';

/** @typedef {{ median: number, min: number, max: number }} Range */

/** @param {number[]} values @returns {number} */
function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** @param {number[]} values @returns {Range} */
function range(values) {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

// Round by round, since what slows one server down in a round is likely to slow down the other.
/** @param {number[]} values @param {number[]} others @returns {number} */
function medianRatio(values, others) {
  return median(values.map((value, round) => value / (others[round] ?? NaN)));
}

module.exports = { median, medianRatio, range };
