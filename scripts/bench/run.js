// @ts-check
'use strict';
const { describeMachine } = require('./machine.js');
const { readOptions } = require('./options.js');
const { writeResults } = require('./output/results.js');
const { toText } = require('./output/text.js');
const { PARTS } = require('./parts.js');
const { createProgress } = require('./progress.js');

async function main() {
  const options = readOptions();
  if (!options) return;
  const { tell, end } = createProgress(process.stderr);
  /** @type {Record<string, import('./output/results.js').Measurement>} */
  const measured = {};
  try {
    for (const [name, measure] of Object.entries(PARTS)) {
      if (!options.parts.includes(name)) continue;
      const result = await measure(options, (step) => tell(`${name}: ${step}`));
      end();
      const { rounds, seconds } = options;
      const load = `POST /plants, rounds: ${String(rounds)}, seconds each: ${String(seconds)}`;
      measured[name] = { date: new Date().toISOString(), machine: describeMachine(), load, ...result };
      process.stdout.write(toText(measured[name]));
      // At once: what was measured stays when a later part fails.
      if (options.write) writeResults(measured, Object.keys(PARTS));
    }
  } finally {
    end();
  }
}

// A missed target is a result; only what could not be measured is a failure.
main().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
