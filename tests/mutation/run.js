'use strict';
// Runs Stryker. `--sample N` tries N mutants chosen at random by `--seed S`, `--minutes M` as many as that time allows, in
// a random order; any other argument is Stryker's.
const { spawnSync } = require('node:child_process');

const args = process.argv.slice(2);
const options = {};
for (const name of ['sample', 'seed', 'minutes']) {
  const index = args.indexOf(`--${name}`);
  if (index >= 0) [, options[name]] = args.splice(index, 2);
}
const { sample, minutes, seed = Date.now() % 1_000_000 } = options;
const env = { ...process.env };
if (sample !== undefined || minutes !== undefined) {
  Object.assign(env, { MUTATION_SAMPLE: sample ?? 'Infinity', MUTATION_SEED: seed });
  if (minutes !== undefined) env.MUTATION_DEADLINE = Date.now() + minutes * 60_000;
  console.log(`The seed of the sample is ${seed}.`);
}
const stryker = 'tests/mutation/node_modules/@stryker-mutator/core/bin/stryker.js';
const config = 'tests/mutation/stryker.config.json';
process.exitCode =
  spawnSync(process.execPath, [stryker, 'run', config, ...args], { env, stdio: 'inherit' }).status ?? 1;
