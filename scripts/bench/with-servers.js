'use strict';
const { fork } = require('node:child_process');
const { once } = require('node:events');
const { closeSync, mkdtempSync, openSync, rmSync } = require('node:fs');
const { cpus, tmpdir } = require('node:os');
const { join } = require('node:path');
const { performance } = require('node:perf_hooks');
const { check } = require('./load/request.js');

// The digits of ids as clients make them up; exact also where integers are read as numbers of JavaScript.
const FIRST_ID = 1e15;
const START_MS = 20_000;
const STOP_MS = 5_000;
const NO_CPU = { user: 0, system: 0 };

/**
 * Starts a script of this folder in a process of its own.
 *
 * @returns once the script has said its first word: that, and how to ask and stop it
 */
async function start(script, { args = [], execArgv = [], stdout = 2 } = {}) {
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = fork(require.resolve(script), args, { execArgv, env, stdio: ['ignore', stdout, 'inherit', 'ipc'] });

  async function hear(milliseconds) {
    const end = new AbortController();
    const signal = AbortSignal.any([end.signal, AbortSignal.timeout(milliseconds)]);
    const exit = once(child, 'exit', { signal }).then(([code]) => {
      throw new Error(`${script} ended with ${code}`);
    });
    try {
      const [answer] = await Promise.race([once(child, 'message', { signal }), exit]);
      return answer;
    } catch (cause) {
      throw signal.aborted ? new Error(`${script} did not answer in ${milliseconds} ms`, { cause }) : cause;
    } finally {
      exit.catch(() => undefined);
      end.abort();
    }
  }

  async function stop() {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    const exit = once(child, 'exit');
    // The scripts end when they lose their parent.
    if (child.connected) child.disconnect();
    await exit;
    clearTimeout(kill);
  }

  async function ask(question, milliseconds = START_MS) {
    if (!child.connected) throw new Error(`${script} ended early`);
    const answer = hear(milliseconds);
    child.send(question);
    return answer;
  }

  try {
    return { hello: await hear(START_MS), ask, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Makes a folder, and removes it after use. */
async function withFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Starts servers, makes sure that they do what they are measured for, and stops them after use.
 *
 * @param contenders each with its name, its script in servers/ and the script's arguments; `enforces: false` for one that
 *   neither authenticates nor validates, `check` for one of another contract
 */
async function withServers({ contenders, generator: script = './load/sockets.js', tell }, use) {
  return withFolder(async (folder) => {
    // What is logged goes to a file, as it would behind a service manager.
    const stdout = openSync(join(folder, 'stdout'), 'a');
    const generator = await start(script);
    const children = [generator];
    try {
      const servers = [];
      for (const contender of contenders) {
        tell(`start ${contender.name}`);
        const child = await start(`./servers/${contender.script}.js`, { args: contender.args ?? [], stdout });
        children.push(child);
        const { port } = child.hello;
        await (contender.check?.(port) ?? check(contender.name, port, contender.enforces ?? true));
        servers.push(toServer(contender, child, generator));
      }
      return await use(servers);
    } finally {
      await Promise.all(children.map(({ stop }) => stop()));
      closeSync(stdout);
    }
  });
}

function toServer({ name, databaseCpu = () => NO_CPU }, { hello, ask }, generator) {
  // One was the valid request of the check.
  let replies = 1;
  return {
    name,
    replies: () => replies,
    async load(order) {
      const [before, database, toOthers] = [await ask('usage'), databaseCpu(), watchProcessors()];
      const milliseconds = 30_000 + 2_000 * order.seconds;
      const answer = await generator.ask({ firstId: FIRST_ID + replies, ...order, port: hello.port }, milliseconds);
      if ('problem' in answer) throw new Error(`${name}: ${answer.problem}`);
      replies += answer.requests;
      const [serverCpu, ofDatabase] = [spent(before, await ask('usage')), spent(database, databaseCpu())];
      return { ...answer, serverCpu, databaseCpu: ofDatabase, others: toOthers([answer.cpu, serverCpu, ofDatabase]) };
    },
  };
}

/**
 * Measures each in turn, again and again, so that whatever slows the machine down for a while meets them all.
 *
 * @returns of each its name and results
 */
async function inRounds({ rounds, tell }, contenders, { warmUp = () => undefined, measure }) {
  const rows = contenders.map((contender) => ({ contender, results: [] }));
  for (let round = 1; round <= rounds; round++) {
    for (const { contender, results } of rows) {
      tell(`round ${round} of ${rounds}: ${contender.name}`);
      if (round === 1) await warmUp(contender);
      results.push(await measure(contender));
    }
  }
  return rows.map(({ contender: { name }, results }) => ({ name, results }));
}

/** @returns a function that says how many cores were busy since now with other things than what is known of */
function watchProcessors() {
  const idle = () => cpus().reduce((sum, { times }) => sum + times.idle, 0);
  const [begin, idleBefore, own] = [performance.now(), idle(), process.cpuUsage()];
  return (known) => {
    const elapsed = performance.now() - begin;
    const used = [...known, process.cpuUsage(own)].reduce((sum, { user, system }) => sum + user + system, 0) / 1000;
    return Math.max(0, cpus().length - (idle() - idleBefore + used) / elapsed);
  };
}

function spent(before, after) {
  return { user: after.user - before.user, system: after.system - before.system };
}

module.exports = { FIRST_ID, inRounds, start, withFolder, withServers };
