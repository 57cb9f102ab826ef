// @ts-check
'use strict';
const { writeFileSync } = require('node:fs');
const { measureMemory } = require('./memory.js');
const { readOptions } = require('./options.js');
const { createProgress } = require('./progress.js');
const { toText } = require('./report.js');
const { summarize } = require('./results.js');
const { measureStartUp } = require('./start-up.js');
const { measureThroughput } = require('./throughput.js');

async function main() {
  const options = readOptions();
  if (!options) return;
  const { tell, end } = createProgress(process.stderr);
  try {
    const measured = {
      throughput: await measureThroughput(options, tell),
      startUp: await measureStartUp(tell),
      memory: await measureMemory(tell),
    };
    end();
    const summary = summarize(measured, options);
    process.stdout.write(toText(summary));
    if (options.json !== undefined)
      writeFileSync(options.json, `${JSON.stringify({ ...summary, measured }, null, 2)}\n`);
  } finally {
    end();
  }
}

// A missed target is a result; only what could not be measured is a failure.
main().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
