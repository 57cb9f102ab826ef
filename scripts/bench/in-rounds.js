// @ts-check
'use strict';

/**
 * Measures each in turn, again and again, so that whatever slows the machine down for a while meets them all.
 *
 * @template {{ name: string }} T
 * @template R
 * @param {{ rounds: number, tell: (step: string) => void }} options
 * @param {readonly T[]} contenders
 * @param {{ warmUp: (contender: T) => Promise<unknown>, measure: (contender: T) => Promise<R> }} how
 * @returns {Promise<{ name: string, results: R[] }[]>}
 */
async function inRounds({ rounds, tell }, contenders, { warmUp, measure }) {
  const rows = contenders.map((contender) => ({ contender, results: /** @type {R[]} */ ([]) }));
  for (let round = 1; round <= rounds; round++) {
    for (const { contender, results } of rows) {
      tell(`round ${String(round)} of ${String(rounds)}: ${contender.name}`);
      if (round === 1) await warmUp(contender);
      results.push(await measure(contender));
    }
  }
  return rows.map(({ contender: { name }, results }) => ({ name, results }));
}

module.exports = { inRounds };
