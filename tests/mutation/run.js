'use strict';
// Runs Stryker, and says which share of the mutants the tests detect. `--sample N` tries N mutants chosen at random by
// `--seed S`, `--minutes M` as many as that time allows, in a random order; `--write` writes docs/mutation.md; any other
// argument is Stryker's.
const { spawnSync } = require('node:child_process');
const { mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { summarize } = require('./result.ts');

const args = process.argv.slice(2);
const options = {};
for (const name of ['sample', 'seed', 'minutes']) {
  const index = args.indexOf(`--${name}`);
  if (index >= 0) [, options[name]] = args.splice(index, 2);
}
const isWritten = args.includes('--write');
const { sample, minutes, seed = Date.now() % 1_000_000 } = options;
const outcomes = 'reports/mutation/outcomes.json';
const env = { ...process.env, MUTATION_OUTCOMES: outcomes, MUTATION_SAMPLE: sample ?? 'Infinity', MUTATION_SEED: seed };
const isSample = sample !== undefined || minutes !== undefined;
if (isSample) {
  if (minutes !== undefined) env.MUTATION_DEADLINE = Date.now() + minutes * 60_000;
  console.log(`The seed of the sample is ${seed}.`);
}
mkdirSync('reports/mutation', { recursive: true });
rmSync(outcomes, { force: true });
const stryker = [
  'tests/mutation/node_modules/@stryker-mutator/core/bin/stryker.js',
  ...['run', 'tests/mutation/stryker.config.json'],
  ...args.filter((arg) => arg !== '--write'),
];
const { status } = spawnSync(process.execPath, stryker, { env, stdio: 'inherit' });
process.exitCode = status ?? 1;
if (status === 0) {
  const { line, isEnough, files } = summarize(JSON.parse(readFileSync(outcomes, 'utf8')));
  if (isWritten) writeFileSync('docs/mutation.md', toPage(files));
  console.log(`result: ${line}${isSample ? `, seed ${seed}` : ''}`);
  if (!isEnough) process.exitCode = 1;
}

function toPage(files) {
  const rows = files.map(({ file, tried, survived }) => `| \`${file}\` | ${tried} | ${survived} |`);
  return `# Survivors

For those who write tests: the files of the mutants that survived [the last run](proofs.md), where a change of the source
failed no test. \`reports/mutation\` has each.

| file | tried | survived |
|---|--:|--:|
${rows.join('\n')}
`;
}
