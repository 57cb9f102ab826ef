// @ts-check
'use strict';
const { createHistogram } = require('node:perf_hooks');

/** Milliseconds; 0 where there was none. @typedef {{ p50: number, p99: number, p999: number }} Latencies */

/** Collects latencies. They are kept as whole microseconds, which is what a histogram can do. */
function createLatencies() {
  const microseconds = createHistogram();
  return {
    /** @param {number} milliseconds */
    record: (milliseconds) => microseconds.record(Math.max(1, Math.round(1000 * milliseconds))),
    /** @returns {Latencies} */
    read() {
      const at = (/** @type {number} */ part) => (microseconds.count === 0 ? 0 : microseconds.percentile(part) / 1000);
      return { p50: at(50), p99: at(99), p999: at(99.9) };
    },
  };
}

module.exports = { createLatencies };
