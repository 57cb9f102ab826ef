// @ts-check
'use strict';
const { start } = require('../child.js');
const { inRounds } = require('../in-rounds.js');

/** @typedef {import('../with-servers.js').Result} Load */
/** @typedef {{ name: string, results: { without: Load, beside: Load, cut: number }[] }} Row */

const SLOW = 50;
const GOOD = 16;

/**
 * What clients wait that do nothing wrong, without and beside slow ones.
 *
 * @param {import('../with-servers.js').Server[]} servers
 * @param {import('../options.js').Options} options
 * @param {(step: string) => void} tell
 * @returns {Promise<Row[]>}
 */
async function measureSlow(servers, { rounds, seconds, warmUp }, tell) {
  const slow = await start('./load/slow-sockets.js');
  const told = (/** @type {string} */ step) => tell(`slow sockets, ${step}`);
  try {
    return await inRounds({ rounds, tell: told }, servers, {
      warmUp: ({ load }) => load({ connections: GOOD, seconds: warmUp }),
      async measure({ name, port, load }) {
        const without = await load({ connections: GOOD, seconds });
        const answer = await slow.ask({ port, sockets: SLOW });
        if ('problem' in answer) throw new Error(`${name}: ${answer.problem}`);
        const beside = await load({ connections: GOOD, seconds });
        const { cut } = await slow.ask('end');
        return { without, beside, cut };
      },
    });
  } finally {
    await slow.stop();
  }
}

module.exports = { GOOD, measureSlow, SLOW };
