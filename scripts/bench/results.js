// @ts-check
'use strict';
const { cpus } = require('node:os');

/** @typedef {import('./throughput.js').Result} Result */
/** @typedef {{ name: string, results: Result[] }} Rounds */
/** @typedef {{ throughput: Rounds[], startUp: number[], memory: import('./memory.js').Growth[] }} Measured */
/** @typedef {ReturnType<typeof summarize>} Summary */

/**
 * What was measured, as the numbers that count.
 *
 * @param {Measured} measured
 * @param {import('./options.js').Options} options
 */
function summarize({ throughput, startUp, memory }, { rounds, seconds, connections }) {
  const rows = throughput.map(({ name, results }) => {
    const speeds = results.map(({ requestsPerSecond }) => requestsPerSecond);
    return {
      name,
      median: median(speeds),
      min: Math.min(...speeds),
      max: Math.max(...speeds),
      toEov: medianRatio(results, resultsOf(throughput, 'eov documented')),
      toExpress: medianRatio(results, resultsOf(throughput, 'bare express')),
      p50: median(results.map(({ p50 }) => p50)),
      p99: median(results.map(({ p99 }) => p99)),
      microseconds: median(results.map(({ serverCpu, requests }) => (serverCpu.user + serverCpu.system) / requests)),
      generatorBusy: median(results.map(({ busy }) => busy)),
    };
  });
  const cores = cpus();
  const machine = { cpu: cores[0]?.model.trim() ?? 'unknown', cores: cores.length, node: process.version };
  return {
    date: new Date().toISOString(),
    machine,
    load: { rounds, seconds, connections },
    rows,
    others: median(throughput.flatMap(({ results }) => results.map(({ others }) => others))),
    startUp: { median: median(startUp), min: Math.min(...startUp), max: Math.max(...startUp) },
    memory,
    targets: toTargets(rows, median(startUp), memory),
  };
}

/**
 * @param {{ name: string, toEov: number, toExpress: number }[]} rows
 * @param {number} startUp
 * @param {{ name: string, rss: number }[]} memory
 */
function toTargets(rows, startUp, memory) {
  const { toEov = NaN, toExpress = NaN } = rows.find(({ name }) => name === 'ours') ?? {};
  const { rss = NaN } = memory.find(({ name }) => name === 'ours') ?? {};
  return [
    { what: 'ours / eov documented, at least 1.8', value: toEov.toFixed(2), isMet: toEov >= 1.8 },
    { what: 'ours / bare express, at least 0.8', value: toExpress.toFixed(2), isMet: toExpress >= 0.8 },
    { what: 'start-up, less than 500 ms', value: `${startUp.toFixed(0)} ms`, isMet: startUp < 500 },
    { what: 'memory, less than 20 MB', value: `${rss.toFixed(1)} MB`, isMet: rss < 20 },
  ];
}

/** @param {Rounds[]} throughput @param {string} wanted */
function resultsOf(throughput, wanted) {
  return throughput.find(({ name }) => name === wanted)?.results ?? [];
}

// Round by round, since what slows one server down in a round is likely to slow down the other.
/** @param {Result[]} results @param {Result[]} others */
function medianRatio(results, others) {
  return median(results.map((result, round) => result.requestsPerSecond / (others[round]?.requestsPerSecond ?? NaN)));
}

/** @param {number[]} values @returns {number} */
function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

module.exports = { summarize };
