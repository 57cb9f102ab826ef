'use strict';
// A reporter of Stryker that leaves only a random sample of the mutants in its plan, in a random order, and writes what
// became of each.
const { writeFileSync } = require('node:fs');
const { declareFactoryPlugin, PluginKind } = require('@stryker-mutator/api/plugin');

const { MUTATION_SAMPLE, MUTATION_SEED } = process.env;

function createSample(logger) {
  let candidates = [];
  return {
    // The plan is carried out as it is after this. What is left of it at a deadline is a sample, too.
    onMutationTestingPlanReady({ mutantPlans }) {
      const random = createRandom(Number(MUTATION_SEED));
      const ranks = new Map(mutantPlans.map((plan) => [plan, random()]));
      mutantPlans.sort((one, other) => ranks.get(one) - ranks.get(other));
      candidates = mutantPlans.filter(({ plan }) => plan === 'Run');
      const longest = Math.max(...candidates.map(({ runOptions }) => runOptions.timeout));
      for (const { mutant, runOptions } of candidates) {
        // Stryker would put those last that need a new environment, as if Jest did not make one for each.
        runOptions.reloadEnvironment = false;
        // What runs when a file is loaded is seen by all tests, not by those alone whose processes told that they load it.
        if (mutant.static) Object.assign(runOptions, { testFilter: undefined, timeout: longest });
      }
      const others = candidates.slice(Number(MUTATION_SAMPLE));
      for (const plan of others) {
        const { coveredBy: _, ...mutant } = plan.mutant;
        Object.assign(plan, {
          plan: 'EarlyResult',
          mutant: { ...mutant, status: 'Ignored', statusReason: 'not in the sample' },
        });
      }
      const chosen = candidates.length - others.length;
      logger.info('A sample of %d of %d mutants, by the seed %s.', chosen, candidates.length, MUTATION_SEED);
    },
    onMutationTestReportReady({ files }) {
      const mutants = Object.entries(files).flatMap(([file, own]) =>
        own.mutants.map((mutant) => ({ ...mutant, file })),
      );
      const byId = new Map(mutants.map(({ id, file, status }) => [id, { file, status }]));
      writeFileSync(process.env.MUTATION_OUTCOMES, JSON.stringify(candidates.map(({ mutant }) => byId.get(mutant.id))));
    },
  };
}
createSample.inject = ['logger'];

/** Numbers from 0 to 1 that follow from a seed, by a linear congruential generator modulo 2^32. */
function createRandom(seed) {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

exports.strykerPlugins = [declareFactoryPlugin(PluginKind.Reporter, 'sample', createSample)];
