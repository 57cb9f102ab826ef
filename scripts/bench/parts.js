// @ts-check
'use strict';
const { measureDurable } = require('./durable/durable.js');
const { measureGrowth } = require('./growth/growth.js');
const { measureHandling } = require('./handling/handling.js');
const { measureLone } = require('./lone/lone.js');
const { measureMemory } = require('./memory/memory.js');
const { measureOperations } = require('./operations/operations.js');
const { measureOverload } = require('./overload/overload.js');

/**
 * The first column is to the left, the others to the right. `load` says how it was loaded, where the usual words do not.
 *
 * @typedef {{ title: string, head: string[], rows: string[][], notes: string[] }} Table
 * @typedef {{ what: string, value: string, isMet: boolean }} Target
 * @typedef {{ tables: Table[], targets: Target[], data: unknown, load?: string }} Measured
 * @typedef {(options: import('./options.js').Options, tell: (step: string) => void) => Promise<Measured>} Measure
 */

/** @type {Record<string, Measure>} */
const PARTS = {
  durable: measureDurable,
  lone: measureLone,
  memory: measureMemory,
  growth: measureGrowth,
  handling: measureHandling,
  overload: measureOverload,
  operations: measureOperations,
};

module.exports = { PARTS };
