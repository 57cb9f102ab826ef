// @ts-check
'use strict';
const echarts = require('echarts');
const { FONT, TEXT, toBar, toBars, toWhiskers } = require('./bars.js');

/** @typedef {import('../durable/durable.js').Group} Group */
/** @typedef {import('./bars.js').Bar} Bar */

const [WIDTH, HEAD, GAP, BAR, LABELS] = [900, 100, 56, 32, 230];

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

module.exports = { toChart };
