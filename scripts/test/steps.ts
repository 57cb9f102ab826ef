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

/** What `npm test` runs: two to three minutes on two quiet cores. */
export const QUICK_STEPS: readonly Step[] = [
  toStep('lint'),
  toStep('generate'),
  toStep('contract:check'),
  toStep('format'),
  toStep('types'),
  { ...toStep('unit', '-- --testPathIgnorePatterns [.]slow[.]'), isAlone: true },
];

/** What `npm run test:all` runs: everything else but what measures a clock or takes longer. */
export const ALL_STEPS: readonly Step[] = [
  { ...toStep('coverage'), isAlone: true },
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
