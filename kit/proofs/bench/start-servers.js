'use strict';
const { fork } = require('node:child_process');
const { once } = require('node:events');
const { closeSync, mkdtempDisposableSync, openSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { checkPlants } = require('./workload.js');

// The digits of ids as clients make them up; exact also where integers are read as numbers of JavaScript.
const FIRST_ID = 1e15;
const START_MS = 20_000;
const STOP_MS = 5_000;

/** Makes a folder, which is removed when it is disposed of. */
const makeFolder = () => mkdtempDisposableSync(join(tmpdir(), 'bench-'));

/**
 * Starts a script of this folder in a process of its own, which ends when it is disposed of.
 *
 * @returns once the script has said its first word: that, and how to ask it
 */
async function start(script, { args = [], execArgv = [], stdout = 2 } = {}) {
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = fork(require.resolve(script), args, { execArgv, env, stdio: ['ignore', stdout, 'inherit', 'ipc'] });

  function hear(milliseconds) {
    const { promise, resolve, reject } = Promise.withResolvers();
    const onExit = (code) => reject(new Error(`${script} ended with ${code}`));
    const onLate = () => reject(new Error(`${script} did not answer in ${milliseconds} ms`));
    const timer = setTimeout(onLate, milliseconds);
    child.once('message', resolve).once('exit', onExit);
    return promise.finally(() => {
      clearTimeout(timer);
      child.off('message', resolve).off('exit', onExit);
    });
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

  function ask(question, milliseconds = START_MS) {
    if (!child.connected) throw new Error(`${script} ended early`);
    const answer = hear(milliseconds);
    child.send(question);
    return answer;
  }

  try {
    return { hello: await hear(START_MS), ask, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Starts the load generator and servers, and makes sure that these do what they are measured for. They end when they are
 * disposed of.
 *
 * @param contenders each with its name, its script in servers/ and the script's arguments; `enforces: false` for one that
 *   neither authenticates nor validates
 */
async function startServers(contenders, tell) {
  await using started = new AsyncDisposableStack();
  // What is logged goes to a file, as it would behind a service manager.
  const stdout = openSync(join(started.use(makeFolder()).path, 'stdout'), 'a');
  started.defer(() => closeSync(stdout));
  const generator = started.use(await start('./load.js'));
  const load = async (order) => {
    const answer = await generator.ask(order, 30_000 + 2_000 * order.seconds);
    if ('problem' in answer) throw new Error(answer.problem);
    return answer;
  };
  const servers = [];
  for (const { name, script, args, enforces } of contenders) {
    tell(`start ${name}`);
    const server = started.use(await start(`./servers/${script}.js`, { args, stdout }));
    await checkPlants(name, server.hello.port, enforces);
    servers.push(toServer(name, server, load));
  }
  const all = started.move();
  return { servers, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

function toServer(name, { hello, ask }, load) {
  // One was the valid request of the check.
  let replies = 1;
  return {
    name,
    replies: () => replies,
    async load(order) {
      const before = await ask('usage');
      const answer = await load({ firstId: FIRST_ID + replies, ...order, port: hello.port });
      replies += answer.requests;
      const after = await ask('usage');
      return { ...answer, serverCpu: after.cpu - before.cpu, mainCpu: after.main - before.main };
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

/** Loads each in turn with the same order. */
function loadInRounds(options, servers, order) {
  return inRounds(options, servers, {
    warmUp: ({ load }) => load({ ...order, seconds: 2 }),
    measure: ({ load }) => load({ ...order, seconds: options.seconds }),
  });
}

module.exports = { inRounds, loadInRounds, makeFolder, start, startServers };
