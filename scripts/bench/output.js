'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
const { resolve } = require('node:path');

const FOLDER = resolve(__dirname, '../../docs/bench');
const HEAD = `# Benchmark results

For those who ask how fast the service is beside other ways to serve the same contract. Made by
\`npm run check -- bench --write\`; [how it measures](../../scripts/bench/README.md), [ranges, latencies, processor
times and more rows](results.json). A line about the machine is about the tables below it, too.

![Durable creations a second](creations.svg)
`;
/** What the page has of each part: columns of its tables, which become one, and what tells these apart in their titles. */
const ON_PAGE = {
  durable: { columns: ['creations/s', '/ best rival'], difference: /, (\d+ connections)/ },
  lone: { columns: ['median us', '/ node:http'] },
  half: { columns: ['a second', 'p99 ms'] },
  handling: { columns: ['requests/s', '/ eov', 'p99 ms'] },
  operations: { columns: ['requests/s', '/ 1', 'first 200 ms', 'resident MB'] },
  reads: { columns: ['requests/s'], difference: /: ([^,]+)/ },
};
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

/** Writes docs/bench. Parts that were not measured now are left as they were: with none, the page is drawn again. */
function writeResults(measured) {
  const all = { ...JSON.parse(readFileSync(`${FOLDER}/results.json`, 'utf8')), ...measured };
  const parts = Object.fromEntries(Object.keys(ON_PAGE).flatMap((name) => (all[name] ? [[name, all[name]]] : [])));
  writeFileSync(`${FOLDER}/results.json`, `${JSON.stringify(parts, null, 2)}\n`);
  writeFileSync(`${FOLDER}/results.md`, toMarkdown(parts));
  if (parts.durable) writeFileSync(`${FOLDER}/creations.svg`, toChart(parts.durable.tables));
}

function toMarkdown(parts) {
  const lines = [HEAD.trimEnd()];
  let told = '';
  const toLine = (cells) => `| ${cells.map(escape).join(' | ')} |`;
  for (const [name, { date, machine, load, tables }] of Object.entries(parts)) {
    const { columns, difference = '' } = ON_PAGE[name];
    const [head, ...rows] = joinTables(tables, columns, difference);
    lines.push(`\n## ${tables[0].title.replace(difference, '')}\n`);
    const measured = `${machine}, ${date}; ${load}.\n`;
    if (measured !== told) lines.push(measured);
    told = measured;
    lines.push(toLine(head), `|---${'|--:'.repeat(head.length - 1)}|`, ...rows.map(toLine), '');
    const notes = tables.flatMap((table) => table.notes.filter((note) => isOnPage(note, table.head, columns)));
    lines.push(...[...new Set(notes)].map((note) => `- ${escape(note)}`));
  }
  return `${lines.join('\n')}\n`;
}

/** One table: a row for each name that all have, and of each table those of the columns that it has. */
function joinTables(tables, columns, difference) {
  const picked = tables.flatMap((table) => {
    const [, variant] = table.title.match(difference) ?? [];
    return columns
      .filter((column) => table.head.includes(column))
      .map((column) => ({
        heading: variant === undefined ? column : `${column}, ${variant}`,
        cells: new Map(table.rows.map((row) => [row[0], row[table.head.indexOf(column)]])),
      }));
  });
  const names = tables[0].rows.map(([name]) => name).filter((name) => picked.every(({ cells }) => cells.has(name)));
  return [
    [tables[0].head[0], ...picked.map(({ heading }) => heading)],
    ...names.map((name) => [name, ...picked.map(({ cells }) => cells.get(name))]),
  ];
}

/** Whether a note is about what the page shows. */
function isOnPage(note, head, columns) {
  const subject = note.split(': ')[0];
  const names = (list) => list.map((column) => column.replace(/^\/ (?=\D)/, ''));
  return !note.startsWith('other processes') && (!names(head).includes(subject) || names(columns).includes(subject));
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
