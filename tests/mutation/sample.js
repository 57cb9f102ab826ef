'use strict';
// A checker of Stryker that lets a random sample of the mutants pass, in a random order.
const { declareFactoryPlugin, PluginKind } = require('@stryker-mutator/api/plugin');

const { MUTATION_SAMPLE, MUTATION_SEED } = process.env;

function createSample(logger) {
  const sample = new Set();
  return {
    init: () => Promise.resolve(),
    // Called once, with all mutants. They run in the order of the groups, so those that a deadline leaves are a sample, too.
    group(mutants) {
      const random = createRandom(Number(MUTATION_SEED));
      const ranks = new Map(mutants.map(({ id }) => [id, random()]));
      const ids = [...ranks.keys()].sort((one, other) => ranks.get(one) - ranks.get(other));
      for (const id of ids.slice(0, Number(MUTATION_SAMPLE))) sample.add(id);
      logger.info('A sample of %d of %d mutants, by the seed %s.', sample.size, ids.length, MUTATION_SEED);
      const others = ids.filter((id) => !sample.has(id));
      return Promise.resolve([...[...sample].map((id) => [id]), ...(others.length > 0 ? [others] : [])]);
    },
    check(mutants) {
      const leftOut = { status: 'compileError', reason: 'not in the sample' };
      const results = mutants.map(({ id }) => [id, sample.has(id) ? { status: 'passed' } : leftOut]);
      return Promise.resolve(Object.fromEntries(results));
    },
  };
}
createSample.inject = ['logger'];

/** Numbers from 0 to 1 that follow from a seed, by a linear congruential generator modulo 2^32. */
function createRandom(seed) {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

exports.strykerPlugins = [declareFactoryPlugin(PluginKind.Checker, 'sample', createSample)];
