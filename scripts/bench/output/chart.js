// @ts-check
'use strict';
const echarts = require('echarts');
const { range } = require('../statistics.js');

/** @typedef {import('../durable/durable.js').Group} Group */
/** @typedef {{ name: string, kind: string, median: number, min: number, max: number }} Bar */

const [WIDTH, HEAD, GAP, BAR, LABELS] = [900, 100, 56, 32, 230];
/** @type {Record<string, string>} */
const COLORS = { ours: '#2e7d4f', rival: '#a8b0b8', limit: '#5b6b7b' };
const TEXT = '#22272e';
const FONT = 'Helvetica, Arial, sans-serif';

/** Creations a second of each server, with their range. @param {Group[]} groups @returns {string} SVG */
function toChart(groups) {
  const bars = groups.map(({ rows }) => rows.map(toBar));
  const most = Math.max(...bars.flat().map(({ max }) => max));
  const height = HEAD + bars.reduce((sum, of) => sum + of.length * BAR + GAP, 0) - GAP / 2;
  const tops = bars.map((_, place) => bars.slice(0, place).reduce((sum, of) => sum + of.length * BAR + GAP, HEAD));
  const each = (/** @type {(of: Bar[], place: number) => object} */ make) => bars.map(make);
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    textStyle: { fontFamily: FONT, color: TEXT },
    title: [
      {
        text: 'Durable creations a second',
        subtext: 'each plant on disk before its reply; the median of the rounds, and their range',
        left: 16,
        top: 10,
        textStyle: { fontSize: 18, color: TEXT },
        subtextStyle: { fontSize: 13, color: '#57606a' },
      },
      ...groups.map(({ connections }, place) => ({
        text: `${String(connections)} connections`,
        left: LABELS,
        top: (tops[place] ?? 0) - 24,
        padding: 0,
        textStyle: { fontSize: 14, color: TEXT },
      })),
    ],
    grid: each((of, place) => ({ left: LABELS, right: 90, top: tops[place], height: of.length * BAR })),
    xAxis: each((_, gridIndex) => ({
      type: 'value',
      gridIndex,
      max: most,
      axisLabel: { show: false },
      splitLine: { show: false },
    })),
    yAxis: each((of, gridIndex) => ({
      type: 'category',
      gridIndex,
      inverse: true,
      data: of.map(({ name }) => name),
      axisTick: { show: false },
      axisLine: { lineStyle: { color: '#8c959f' } },
      axisLabel: { fontSize: 13, color: TEXT },
    })),
    series: bars.flatMap((of, place) => [toBars(of, place), toWhiskers(of, place)]),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return `${svg}\n`;
}

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

module.exports = { toChart };
