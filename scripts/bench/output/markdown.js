// @ts-check
'use strict';

const HEAD = `# Benchmark results

Made by \`npm run check -- bench --write\`; [how it measures](../../scripts/bench/README.md), [the same as JSON](results.json).

![Durable creations a second](creations.svg)
`;

/** @param {import('./results.js').Results} results */
function toMarkdown({ parts }) {
  const targets = Object.values(parts).flatMap((part) => part.targets);
  const rows = targets.map(({ what, value, isMet }) => [what, value, isMet ? 'met' : 'missed']);
  return [
    HEAD,
    '## Targets\n',
    ...toTable([['target', 'measured', ''], ...rows]),
    ...Object.values(parts).flatMap(toSection),
    '',
  ].join('\n');
}

/** @param {import('./results.js').Part} part */
function toSection({ date, machine, load, tables }) {
  const { cpu, cores, memory, node, system, filesystem } = machine;
  const on = `${cpu}, ${String(cores)} cores, ${memory}, Node ${node}, ${system}, databases on ${filesystem}, ${date.slice(0, 10)}.`;
  return tables.flatMap(({ title, head, rows, notes }, place) => [
    `\n## ${title}\n`,
    ...(place === 0 ? [`${on}\n${sentence(load)}\n`] : []),
    ...toTable([head, ...rows]),
    '',
    ...notes.map((note) => `- ${escape(note)}`),
  ]);
}

/** @param {string[][]} rows */
function toTable([head = [], ...rows]) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.map(escape).join(' | ')} |`;
  return [line(head), `|${head.map((_, column) => (column === 0 ? ' --- ' : ' --: ')).join('|')}|`, ...rows.map(line)];
}

/** @param {string} text */
function escape(text) {
  return text.replaceAll(/[*_|]/g, String.raw`\$&`);
}

/** @param {string} text */
function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

module.exports = { toMarkdown };
