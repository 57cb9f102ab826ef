// @ts-check
'use strict';
const { range } = require('../statistics.js');

/** @typedef {{ name: string, kind: string, median: number, min: number, max: number }} Bar */

/** @type {Record<string, string>} */
const COLORS = { ours: '#2e7d4f', rival: '#a8b0b8', limit: '#5b6b7b' };
const TEXT = '#22272e';
const FONT = 'Helvetica, Arial, sans-serif';

/** @param {import('../durable/durable.js').Row} row @returns {Bar} */
function toBar({ name, kind, results }) {
  return { name, kind, ...range(results.map(({ requestsPerSecond }) => requestsPerSecond)) };
}

/** @param {Bar[]} of @param {number} place */
function toBars(of, place) {
  return {
    type: 'bar',
    xAxisIndex: place,
    yAxisIndex: place,
    barWidth: 20,
    data: of.map(({ kind, median }) => ({ value: median, itemStyle: { color: COLORS[kind] } })),
  };
}

// The number stands behind the whisker, which it would otherwise be under.
/** @param {Bar[]} of @param {number} place */
function toWhiskers(of, place) {
  return {
    type: 'custom',
    z: 3,
    xAxisIndex: place,
    yAxisIndex: place,
    data: of.map(({ min, max, median }, row) => [row, min, max, median]),
    encode: { y: 0, x: [1, 2] },
    renderItem: (/** @type {any} */ _, /** @type {any} */ api) => {
      const [left, y] = api.coord([api.value(1), api.value(0)]);
      const [right] = api.coord([api.value(2), api.value(0)]);
      const style = { stroke: TEXT, lineWidth: 1.2, opacity: 0.75 };
      const line = (/** @type {number[]} */ [x1, y1, x2, y2]) => ({ type: 'line', shape: { x1, y1, x2, y2 }, style });
      const text = Math.round(api.value(3)).toLocaleString('en-US');
      const label = { text, x: right + 8, y, verticalAlign: 'middle', fontSize: 13, fontFamily: FONT, fill: TEXT };
      return {
        type: 'group',
        children: [
          line([left, y, right, y]),
          line([left, y - 4, left, y + 4]),
          line([right, y - 4, right, y + 4]),
          { type: 'text', style: label },
        ],
      };
    },
  };
}

module.exports = { FONT, TEXT, toBar, toBars, toWhiskers };
