'use strict';
const { createHistogram, performance } = require('node:perf_hooks');

/** Collects latencies in milliseconds, and what this process has to do meanwhile. A histogram takes whole numbers. */
function createMeter() {
  const microseconds = createHistogram();
  const [before, cpu, begin] = [performance.eventLoopUtilization(), process.cpuUsage(), performance.now()];
  return {
    record: (milliseconds) => microseconds.record(Math.max(1, Math.round(1000 * milliseconds))),
    read(requests, elapsed = performance.now() - begin) {
      const [p50, p99, p999] = [50, 99, 99.9].map((part) => microseconds.percentile(part) / 1000);
      const { utilization: busy } = performance.eventLoopUtilization(before);
      const requestsPerSecond = (1000 * requests) / elapsed;
      return { requests, requestsPerSecond, p50, p99, p999, busy, cpu: process.cpuUsage(cpu) };
    },
  };
}

/** Makes this process a load generator: each message is an order, and its answer what was measured, or the problem. */
function answerOrders(load) {
  process.on('message', async (order) => {
    process.send(await load(order).catch(({ message }) => ({ problem: message })));
  });
  process.on('disconnect', () => process.exit());
  process.send('ready');
}

module.exports = { answerOrders, createMeter };
