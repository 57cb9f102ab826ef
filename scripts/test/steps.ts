// The steps of `npm test` and `npm run test:all`.
import { CHECKS } from '../checks';

/** One command among the checks of this project. */
export interface Step {
  readonly name: string;
  /** As npm runs it, such as `run lint`. */
  readonly npm: string;
  /** A step that needs both cores, or what other steps write, runs when no other does. */
  readonly isAlone: boolean;
  /** Environment variables that make it shorter than the command alone. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The tests of the plant store, without the slow ones: of its handlers, its tables, its process, and the suite. */
const PLANT_STORE = 'tests/(handlers/|store/|(conformance|service|main-with-plants|error-catalogue)[.])';
const SLOW = '[.]slow[.]';

/** What the plant store promises: all that a change of `openapi.yaml` or `src/` has to pass. */
const PLANT_STORE_STEPS: readonly Step[] = [
  ...['generate', 'contract:check', 'build'].map((name) => toStep(name)),
  { name: 'plant-store', npm: `run unit -- ${PLANT_STORE} --testPathIgnorePatterns ${SLOW}`, isAlone: true },
];

/** What the packages promise. Pages may be formatted otherwise. */
const PACKAGE_STEPS: readonly Step[] = [
  toStep('lint'),
  toStep('types'),
  toStep('format', '-- !**/*.md'),
  { name: 'packages', npm: `run unit -- --testPathIgnorePatterns ${SLOW} ${PLANT_STORE}`, isAlone: true },
];

/** What `npm test` runs: a minute and a half on two quiet cores, a quarter of it for the plant store, which comes first. */
export const QUICK_STEPS: readonly Step[] = [...PLANT_STORE_STEPS, ...PACKAGE_STEPS];

/** What `npm run test:all` runs: everything else but what measures a clock or takes longer. */
export const ALL_STEPS: readonly Step[] = [
  { ...toStep('coverage'), isAlone: true },
  toStep('format'),
  toStep('teeth', '--sample'),
  toStep('specificity'),
  { ...toStep('durability'), env: { DURABILITY_ROUNDS: '5' } },
  // The image is tried with the same packages.
  { ...toStep('deploy'), isAlone: true },
  ...['image', 'browser', 'clients', 'new', 'nursery', 'sbom'].map((name) => toStep(name)),
  toStep('corpus', '--sample'),
];

function toStep(name: string, args = ''): Step {
  return { name, npm: `run ${name in CHECKS ? 'check -- ' : ''}${name} ${args}`.trimEnd(), isAlone: false };
}
