// @ts-check
'use strict';
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { toChart } = require('./chart.js');
const { toMarkdown } = require('./markdown.js');

/** @typedef {import('../parts.js').Measured & { date: string, machine: import('../machine.js').Machine, load: string }} Measurement */
/** @typedef {Omit<Measurement, 'data'>} Part */
/** @typedef {{ parts: Record<string, Part> }} Results */

const FOLDER = resolve(__dirname, '../../../docs/bench');
const RAW = resolve(__dirname, '../../../reports/bench');

/**
 * Writes docs/bench, and the raw data to reports/bench. Parts that were not measured now are left as they were.
 *
 * @param {Record<string, Measurement>} measured
 * @param {string[]} order of the parts
 */
function writeResults(measured, order) {
  for (const folder of [FOLDER, RAW]) mkdirSync(folder, { recursive: true });
  /** @type {Record<string, Part>} */
  const parts = {};
  for (const [name, { data, ...part }] of Object.entries(measured)) {
    parts[name] = part;
    writeJson(join(RAW, `${name}.json`), data);
  }
  const file = join(FOLDER, 'results.json');
  /** @type {Results} */
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { parts: {} };
  const all = { ...before.parts, ...parts };
  const known = order.filter((name) => Object.hasOwn(all, name));
  const results = { parts: Object.fromEntries(known.map((name) => [name, /** @type {Part} */ (all[name])])) };
  writeJson(file, results);
  writeFileSync(join(FOLDER, 'results.md'), toMarkdown(results));
  const durable = /** @type {any} */ (measured['durable']?.data);
  if (durable) writeFileSync(join(FOLDER, 'creations.svg'), toChart(durable.groups));
}

/** @param {string} file @param {unknown} value */
function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

module.exports = { writeResults };
