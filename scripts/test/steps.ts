/** One command among the checks of this project. */
export interface Step {
  readonly name: string;
  /** As npm runs it, such as `run lint`. */
  readonly npm: string;
  /** A step that needs both cores, or what the steps before it made, waits until they have ended. */
  readonly isAlone: boolean;
}

/** What `npm test` runs: under 90 s on two quiet cores. */
export const QUICK_STEPS: readonly Step[] = [
  ...['lint', 'generate:check', 'contract:check', 'format:check', 'types'].map((name) => toStep(name, false)),
  { name: 'unit', npm: 'run unit -- --testPathIgnorePatterns [.]slow[.]', isAlone: true },
];

/** What `npm run test:all` runs: everything else but what measures a clock or takes longer. */
export const ALL_STEPS: readonly Step[] = [
  'unit:coverage',
  'conformance:teeth',
  'durability',
  'deploy:check',
  'browser:check',
  'image:check',
  'new:check',
  'sbom',
].map((name) => toStep(name, true));

function toStep(name: string, isAlone: boolean): Step {
  return { name, npm: `run ${name}`, isAlone };
}
