'use strict';
// Runs Stryker, and says which share of the mutants the tests detect. It runs twice, with what serves and with what a
// developer runs: a mutant meets the tests of its half, of which `--mutate` chooses files. `--sample N` tries N mutants
// chosen at random by `--seed S`, a half of them in each, `--minutes M` as many as that time allows, in a random order;
// `--write` writes docs/mutation.txt; any other argument is Stryker's. `--only tools` tries the second half alone, and
// counts the last run of the first.
const { spawnSync } = require('node:child_process');
const { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { HALVES, chooseSources } = require('./choose-tests');
const { summarize } = require('./result.ts');

const args = process.argv.slice(2);
const options = {};
for (const name of ['sample', 'seed', 'minutes', 'only', 'mutate']) {
  const index = args.indexOf(`--${name}`);
  if (index >= 0) [, options[name]] = args.splice(index, 2);
}
const isWritten = args.includes('--write');
const { sample, minutes, only, mutate = '**', seed = Date.now() % 1_000_000 } = options;
const isSample = sample !== undefined || minutes !== undefined;
if (isSample) console.log(`The seed of the sample is ${seed}.`);
mkdirSync('reports/mutation', { recursive: true });

const halves = Object.keys(HALVES).filter(
  (half) => (only === undefined || only === half) && chooseSources(half, mutate).length > 0,
);
const runs = Object.keys(HALVES).flatMap((half) => {
  if (halves.includes(half)) return [run(half, halves.length)];
  return only !== undefined && existsSync(outcomesOf(half)) ? [readOutcomes(half)] : [];
});
if (runs.every((outcomes) => outcomes !== undefined)) {
  const { line, isEnough, files } = summarize(...runs);
  if (isWritten) writeFileSync('docs/mutation.txt', toTable(files));
  console.log(`result: ${line}${isSample ? `, seed ${seed}` : ''}`);
  if (!isEnough) process.exitCode = 1;
}

/** @returns what became of its mutants, unless Stryker failed */
function run(half, count) {
  const outcomes = outcomesOf(half);
  rmSync(outcomes, { force: true });
  const env = {
    ...process.env,
    MUTATION_HALF: half,
    MUTATION_OUTCOMES: outcomes,
    MUTATION_SAMPLE: sample === undefined ? 'Infinity' : Math.ceil(sample / count),
    MUTATION_SEED: seed,
    ...(minutes !== undefined && { MUTATION_DEADLINE: Date.now() + (minutes * 60_000) / count }),
  };
  const stryker = [
    'proofs/mutation/node_modules/@stryker-mutator/core/bin/stryker.js',
    ...['run', 'proofs/mutation/stryker.config.mjs'],
    ...['--mutate', chooseSources(half, mutate).join()],
    ...args.filter((arg) => arg !== '--write'),
  ];
  const { status } = spawnSync(process.execPath, stryker, { env, stdio: 'inherit' });
  if (status === 0) return readOutcomes(half);
  process.exitCode = status ?? 1;
  return undefined;
}

function outcomesOf(half) {
  return `reports/mutation/${half}.json`;
}

function readOutcomes(half) {
  return JSON.parse(readFileSync(outcomesOf(half), 'utf8'));
}

function toTable(files) {
  const rows = files.map(({ file, tried, survived }) => [survived, tried, file]);
  const lines = [['survived', 'tried', 'file'], ...rows].map(([own, of, file]) =>
    [String(own).padStart(8), String(of).padStart(5), file].join('  '),
  );
  return `${lines.join('\n')}\n`;
}
