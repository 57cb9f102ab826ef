// The steps of `npm test` and `npm run test:all`.

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
  ...['lint', 'generate:check', 'contract:check', 'format:check', 'types'].map((name) => toStep(name, false)),
  { name: 'unit', npm: 'run unit -- --testPathIgnorePatterns [.]slow[.]', isAlone: true },
];

/** What `npm run test:all` runs: everything else but what measures a clock or takes longer. */
export const ALL_STEPS: readonly Step[] = [
  toStep('unit:coverage', true),
  { name: 'conformance:teeth', npm: 'run conformance:teeth -- --sample', isAlone: false },
  toStep('conformance:specificity', false),
  { ...toStep('durability', false), env: { DURABILITY_ROUNDS: '5' } },
  // image:check installs the same packages.
  toStep('deploy:check', true),
  ...['image:check', 'browser:check', 'clients:check', 'new:check', 'nursery:check', 'sbom'].map((name) =>
    toStep(name, false),
  ),
  { name: 'corpus', npm: 'run corpus -- --sample', isAlone: false },
];

function toStep(name: string, isAlone: boolean): Step {
  return { name, npm: `run ${name}`, isAlone };
}
