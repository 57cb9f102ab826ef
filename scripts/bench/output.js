'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
const { resolve } = require('node:path');

const FOLDER = resolve(__dirname, '../../docs/bench');
const HEAD = `# Benchmark results

Made by \`npm run check -- bench --write\`; [how it measures](../../scripts/bench/README.md), [all columns as JSON](results.json). A line
about the machine, or under a table, is about the tables below it, too.

![Durable creations a second](creations.svg)
`;
const ONLY_IN_JSON = new Set(['p50 ms', 'p99.9 ms']);
const COLOURS = { ours: '#2e7d4f', rival: '#a8b0b8', 'node:http': '#5b6b7b' };
const [WIDTH, TOP, GAP, BAR, LABELS, LONGEST] = [900, 60, 44, 30, 230, 560];

/** Tables for a terminal. */
function toText({ date, machine, load, tables }) {
  return [
    `${machine}, ${date}\n${load}`,
    ...tables.map(({ title, head, rows, notes }) =>
      [`\n${title}\n`, ...toColumns([head, ...rows]), ...notes].join('\n'),
    ),
    '',
  ].join('\n');
}

/** All of it in one line. */
function summarize(measured) {
  const durable = (measured.durable?.tables ?? []).map(({ title, head, rows }) => {
    const [name, ...cells] = rows[0];
    const valueOf = (column) => cells[head.indexOf(column) - 1];
    return `${title}: ${name} ${valueOf('creations/s')} a second, ${valueOf('/ best rival')} times the best rival`;
  });
  return [...durable, `measured: ${Object.keys(measured).join(', ')}`].join('; ');
}

function toColumns(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd : cell.padStart).call(cell, widths[column])).join('  '),
  );
}

/** Writes docs/bench. Parts that were not measured now are left as they were. */
function writeResults(measured, order) {
  const all = { ...JSON.parse(readFileSync(`${FOLDER}/results.json`, 'utf8')), ...measured };
  const parts = Object.fromEntries(order.flatMap((name) => (all[name] ? [[name, all[name]]] : [])));
  writeFileSync(`${FOLDER}/results.json`, `${JSON.stringify(parts, null, 2)}\n`);
  writeFileSync(`${FOLDER}/results.md`, toMarkdown(parts));
  if (parts.durable) writeFileSync(`${FOLDER}/creations.svg`, toChart(parts.durable.tables));
}

function toMarkdown(parts) {
  const lines = [HEAD.trimEnd()];
  const told = new Map();
  const toLine = (cells) => `| ${cells.map(escape).join(' | ')} |`;
  // What was told last about a subject is not repeated.
  const tell = (subject, text) => {
    if (told.get(subject) !== text) lines.push(text);
    told.set(subject, text);
  };
  for (const { date, machine, load, tables } of Object.values(parts)) {
    for (const [place, { title, head, rows, notes }] of tables.entries()) {
      const pick = (cells) => cells.filter((_, column) => !ONLY_IN_JSON.has(head[column]));
      lines.push(`\n## ${title}\n`);
      if (place === 0) tell('machine', `${machine}, ${date}; ${load}.\n`);
      lines.push(
        toLine(pick(head)),
        `|${pick(head)
          .map((_, column) => (column === 0 ? '---' : '--:'))
          .join('|')}|`,
      );
      lines.push(...rows.map((row) => toLine(pick(row))), '');
      for (const note of notes) tell(note.split(/[:\d]/)[0], `- ${escape(note)}`);
    }
  }
  return `${lines.join('\n').replaceAll(/\n{3,}/g, '\n\n')}\n`;
}

function escape(text) {
  return text.replaceAll(/[*_|]/g, String.raw`\$&`);
}

/** Creations a second of each server, with their range, as the tables have them. */
function toChart(tables) {
  const bars = tables.map(({ rows }) => rows.map(toBar));
  const most = Math.max(...bars.flat().map(({ max }) => max));
  const toX = (value) => (LABELS + (LONGEST * value) / most).toFixed(1);
  let y = TOP;
  const parts = [
    text(16, 28, 'Durable creations a second', 'font-size="18"'),
    text(16, 48, 'each plant on disk before its reply; the median of the rounds, and their range', 'fill="#57606a"'),
  ];
  for (const [place, { title }] of tables.entries()) {
    y += GAP;
    parts.push(text(LABELS, y - 10, title.replace(/^.*, /, ''), 'font-size="14"'));
    for (const { name, colour, median, min, max } of bars[place]) {
      const middle = y + BAR / 2;
      parts.push(
        text(LABELS - 8, middle + 4, name, 'text-anchor="end"'),
        `<path d="M${LABELS} ${y + 5}H${toX(median)}V${y + BAR - 5}H${LABELS}z" fill="${colour}"/>`,
        `<path d="M${toX(min)} ${middle - 4}v8m0-4H${toX(max)}m0-4v8" stroke="#22272e" fill="none"/>`,
        text(Number(toX(max)) + 8, middle + 4, median.toLocaleString('en-US')),
      );
      y += BAR;
    }
  }
  const size = `width="${WIDTH}" height="${y + 20}" viewBox="0 0 ${WIDTH} ${y + 20}"`;
  const style = 'font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#22272e"';
  const lines = [`<rect width="100%" height="100%" fill="#ffffff"/>`, ...parts];
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${style}>\n${lines.join('\n')}\n</svg>\n`;
}

function toBar([name, median, range]) {
  const [min, max] = range.split('-').map(Number);
  const kind = Object.keys(COLOURS).find((one) => name.startsWith(one)) ?? 'rival';
  return { name, colour: COLOURS[kind], median: Number(median), min, max };
}

function text(x, y, content, attributes = '') {
  return `<text x="${x}" y="${y}" ${attributes}>${content}</text>`;
}

module.exports = { summarize, toText, writeResults };
