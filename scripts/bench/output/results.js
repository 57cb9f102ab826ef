// @ts-check
'use strict';
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { toChart } = require('./chart.js');
const { toMarkdown } = require('./markdown.js');

/** @typedef {import('../parts.js').Measured & { date: string, machine: import('../machine.js').Machine, load: string }} Part */
/** @typedef {{ parts: Record<string, Part> }} Results */

const FOLDER = resolve(__dirname, '../../../docs/bench');

/**
 * Writes docs/bench. Parts that were not measured now are left as they were.
 *
 * @param {Record<string, Part>} measured
 * @param {string[]} order of the parts
 */
function writeResults(measured, order) {
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, 'results.json');
  /** @type {Results} */
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { parts: {} };
  const all = { ...before.parts, ...measured };
  const known = order.filter((name) => Object.hasOwn(all, name));
  const results = { parts: Object.fromEntries(known.map((name) => [name, /** @type {Part} */ (all[name])])) };
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(join(FOLDER, 'results.md'), toMarkdown(results));
  const durable = /** @type {any} */ (results.parts['durable']?.data);
  if (durable) writeFileSync(join(FOLDER, 'creations.svg'), toChart(durable.groups));
}

module.exports = { writeResults };
