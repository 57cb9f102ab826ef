'use strict';
const { fork } = require('node:child_process');
const { once } = require('node:events');

const START_MS = 20_000;
const STOP_MS = 5_000;

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

module.exports = { start };
