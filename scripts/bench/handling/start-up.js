// @ts-check
'use strict';
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { performance } = require('node:perf_hooks');
const { createInterface } = require('node:readline');
const { request } = require('../load/request.js');
const { MAIN, TOKEN } = require('../workload.js');

const TIMES = 5;
const TIMEOUT_MS = 20_000;

/**
 * How long the service takes from nothing to its first 200, its database included.
 *
 * @param {(step: string) => void} tell
 * @returns {Promise<number[]>} milliseconds, one for each start
 */
async function measureStartUp(tell) {
  const times = [];
  for (let time = 1; time <= TIMES; time++) {
    tell(`start-up ${String(time)} of ${String(TIMES)}`);
    times.push(await measureOnce());
  }
  return times;
}

async function measureOnce() {
  // The database goes to the working directory; a new one each time.
  const cwd = mkdtempSync(join(tmpdir(), 'bench-'));
  const env = { PATH: process.env.PATH, PORT: '0', API_TOKENS: TOKEN };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const begin = performance.now();
  const child = spawn(process.execPath, [MAIN], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  try {
    const [line] = await once(createInterface({ input: child.stdout }), 'line', { signal });
    const { status } = await request(Number(new URL(JSON.parse(line).url).port));
    const milliseconds = performance.now() - begin;
    if (status !== 200) throw new Error(`the first reply was ${String(status)}`);
    return milliseconds;
  } finally {
    const kill = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    child.kill('SIGTERM');
    await exit;
    clearTimeout(kill);
    rmSync(cwd, { recursive: true, force: true });
  }
}

module.exports = { measureStartUp };
