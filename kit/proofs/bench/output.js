'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
const { resolve } = require('node:path');

const FOLDER = resolve(__dirname, '../../docs/bench');
const HEAD = `# Benchmark results

This page is for teams that want to compare the service's speed with that of other servers of the same contract.
[The benchmark's page](../../proofs/bench/README.md) says what is measured, and [results.json](results.json) has ranges,
latencies and more rows.
`;
/** What the page has of each part: columns of its tables, which become one, and what tells these apart in their titles. */
const ON_PAGE = {
  handling: { columns: ['requests/s', '/ eov', 'p99 ms', 'main us'] },
  durable: { columns: ['creations/s', '/ one by one', '/ grouped'], difference: /, (\d+ connections)/ },
  cpu: { columns: ['us', '/ creation'] },
};

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
    return `${title}: ${name} ${valueOf('creations/s')} a second, ${valueOf('/ one by one')} times the best rival that commits one by one`;
  });
  return [...durable, `measured: ${Object.keys(measured).join(', ')}`].join('; ');
}

function toColumns(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd : cell.padStart).call(cell, widths[column])).join('  '),
  );
}

/** Writes docs/bench. Parts that were not measured now stay if the same machine measured them: a page has one machine. */
function writeResults(measured) {
  const [{ machine }] = Object.values(measured);
  const before = Object.entries(JSON.parse(readFileSync(`${FOLDER}/results.json`, 'utf8')));
  const all = { ...Object.fromEntries(before.filter(([, part]) => part.machine === machine)), ...measured };
  const parts = Object.fromEntries(Object.keys(ON_PAGE).flatMap((name) => (all[name] ? [[name, all[name]]] : [])));
  writeFileSync(`${FOLDER}/results.json`, `${JSON.stringify(parts, null, 2)}\n`);
  writeFileSync(`${FOLDER}/results.md`, toMarkdown(parts));
}

function toMarkdown(parts) {
  const [{ machine }] = Object.values(parts);
  const lines = [HEAD.trimEnd(), `The machine: ${machine}.`];
  const toLine = (cells) => `| ${cells.map(toCell).join(' | ')} |`;
  for (const [name, { date, load, tables }] of Object.entries(parts)) {
    const { columns, difference = '' } = ON_PAGE[name];
    const [head, ...rows] = joinTables(tables, columns, difference);
    lines.push(`\n## ${tables[0].title.replace(difference, '')}\n`);
    lines.push(
      `Measured on ${date} in ${load}.\n`,
      toLine(head),
      `|---${'|--:'.repeat(head.length - 1)}|`,
      ...rows.map(toLine),
      '',
      ...(name === 'durable' ? toChart(head, rows) : []),
    );
    const notes = tables.flatMap((table) => table.notes.filter((note) => isOnPage(note, table.head, columns)));
    lines.push(...[...new Set(notes)].map((note) => `- ${escape(note)}`));
  }
  return `${lines.join('\n')}\n`;
}

/** A chart of the first column of numbers, in thousands, for Mermaid. */
function toChart([, title], rows) {
  const thousands = rows.map(([, cell]) => Math.round(Number(cell) / 100) / 10);
  const theme = { theme: 'base', themeVariables: { xyChart: { plotColorPalette: '#1a5cb0' } } };
  const bars = [
    `x-axis ${JSON.stringify(rows.map(([name]) => name))}`,
    `y-axis "thousands of ${title}" 0 --> ${Math.ceil(Math.max(...thousands))}`,
    `bar ${JSON.stringify(thousands)}`,
  ];
  return ['```mermaid', `%%{init: ${JSON.stringify(theme)}}%%`, 'xychart-beta horizontal', ...bars, '```', ''];
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
  return !names(head).includes(subject) || names(columns).includes(subject);
}

/** A heading such as `times eov` or `main µs`, or a number such as 40,674. */
function toCell(text) {
  return escape(text.replace(/^\/ /, 'times ').replace(/^\d{4,}/, (digits) => Number(digits).toLocaleString('en')));
}

function escape(text) {
  return text.replaceAll(/[*_|]/g, String.raw`\$&`).replaceAll(/\bus\b/g, 'µs');
}

module.exports = { summarize, toText, writeResults };
