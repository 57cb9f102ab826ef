// @ts-check
'use strict';
const { closeSync, openSync } = require('node:fs');
const { join } = require('node:path');
const { start } = require('./child.js');
const { check } = require('./load/check.js');
const { add, spent, watchProcessors } = require('./processor.js');
const { withFolder } = require('./with-folder.js');

// The digits of ids as clients make them up; exact also where integers are read as numbers of JavaScript.
const FIRST_ID = 1e15;

/**
 * Servers of another contract are checked in a way of their own.
 *
 * @typedef {import('./processor.js').Cpu} Cpu
 * @typedef {{ connections: number, seconds?: number, requests?: number, rate?: number, ids?: import('./load/ids.js').Ids, texts?: import('./load/requests.js').Text[] }} Order
 * @typedef {import('./load/sockets.js').Load & { serverCpu: Cpu, databaseCpu: Cpu, others: number }} Result
 * @typedef {{ name: string, script: string, args?: string[], enforces?: boolean, firstId?: number, databaseCpu?: () => Cpu, check?: (port: number) => Promise<void> }} Contender
 * @typedef {{ name: string, port: number, pid: number, replies: () => number, ask: import('./child.js').Child['ask'], load: (order: Order) => Promise<Result> }} Server
 */

/**
 * Starts servers, makes sure that they do what they are measured for, and stops them after use.
 *
 * @template T
 * @param {{ contenders: readonly Contender[], generator?: string, tell: (step: string) => void }} options
 * @param {(servers: Server[]) => Promise<T>} use
 * @returns {Promise<T>}
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

/**
 * @param {Contender} contender
 * @param {import('./child.js').Child & { hello: any }} child
 * @param {import('./child.js').Child} generator
 * @returns {Server}
 */
function toServer(
  { name, firstId = FIRST_ID, databaseCpu = () => ({ user: 0, system: 0 }) },
  { hello, pid, ask },
  generator,
) {
  // One was the valid request of the check.
  let replies = 1;
  return {
    name,
    port: hello.port,
    pid,
    ask,
    replies: () => replies,
    async load(order) {
      const { seconds = 0, requests = 0 } = order;
      const milliseconds = 30_000 + 2_000 * seconds + 5 * requests;
      const [before, database, toOthers] = [await ask('usage'), databaseCpu(), watchProcessors()];
      const ids = { first: firstId + replies };
      const answer = await generator.ask({ ids, ...order, port: hello.port }, milliseconds);
      if ('problem' in answer) throw new Error(`${name}: ${answer.problem}`);
      replies += answer.requests;
      const [serverCpu, ofDatabase] = [spent(before, await ask('usage')), spent(database, databaseCpu())];
      const others = toOthers([answer.cpu, serverCpu, ofDatabase]);
      return { ...answer, serverCpu, databaseCpu: ofDatabase, others };
    },
  };
}

/** Microseconds of processor time a request. @param {Result} result */
function serverMicroseconds({ serverCpu, requests }) {
  return add(serverCpu) / requests;
}

module.exports = { FIRST_ID, serverMicroseconds, withServers };
