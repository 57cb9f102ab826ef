'use strict';
const { spawnSync } = require('node:child_process');
const { cpus, release, tmpdir, totalmem, type } = require('node:os');
const { parseArgs } = require('node:util');
const { summarize, toText, writeResults } = require('./output.js');
const { measureCpu } = require('./parts/cpu.js');
const { measureDurable } = require('./parts/durable.js');
const { measureHandling } = require('./parts/handling.js');

// Each takes the options, and makes tables.
const PARTS = {
  handling: measureHandling,
  durable: measureDurable,
  cpu: measureCpu,
};

const USAGE = `npm run check -- bench [options]
  --only PARTS      of ${Object.keys(PARTS).join(', ')}, separated by commas (all)
  --against FOLDER  the built checkout of another commit, which cpu compares with
  --rounds N        how often each server is loaded (5)
  --seconds S       how long each time (3)
  --connections C   how many at once, separated by commas (32,256); durable takes all of them, the others the first
  --write           write docs/bench; other parts stay as they are, unless another machine measured them`;

async function main() {
  const { against, help, only, write, ...counts } = parseArgs({
    options: {
      against: { type: 'string' },
      only: { type: 'string', default: Object.keys(PARTS).join() },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '32,256' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values;
  if (help) return console.log(USAGE);
  const names = only.split(',');
  const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown !== undefined) throw new Error(`there is no part ${unknown}\n${USAGE}`);
  const [[rounds], [seconds], connections] = ['rounds', 'seconds', 'connections'].map((name) =>
    counts[name].split(',').map((text) => toCount(name, text)),
  );
  const measured = {};
  for (const name of Object.keys(PARTS).filter((part) => names.includes(part))) {
    const tell = (step) => console.error(`${name}: ${step}`);
    const tables = await PARTS[name]({ against, rounds, seconds, connections, tell });
    const load = `${rounds} rounds of ${seconds} s`;
    measured[name] = { date: new Date().toISOString().slice(0, 10), machine: describeMachine(), load, tables };
    console.log(toText(measured[name]));
    // At once: what was measured stays when a later part fails.
    if (write) writeResults(measured);
  }
  console.log(`result: ${summarize(measured)}`);
}

function toCount(name, text) {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--${name} must be a whole number from 1 to 999999999\n${USAGE}`);
  return Number(text);
}

function describeMachine() {
  const memory = `${(totalmem() / 1024 ** 3).toFixed(0)} GB`;
  const { stdout } = spawnSync('findmnt', ['--noheadings', '--output=FSTYPE', '--target', tmpdir()], {
    encoding: 'utf8',
  });
  const system = `Node ${process.version}, ${type()} ${release()}, databases on ${stdout?.trim() || 'unknown'}`;
  return `${cpus()[0]?.model.trim() ?? 'unknown'}, ${cpus().length} cores, ${memory}, ${system}`;
}

main().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
