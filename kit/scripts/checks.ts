// The proofs that `npm run check` runs.

/** A proof that is not a script of package.json. */
export interface Check {
  /** How long it takes on two idle cores. */
  readonly takes: string;
  readonly what: string;
  /** The command for a shell, as in a script of package.json; arguments are appended. */
  readonly command: string;
  /** Whether docs/proofs.md has a row for its result, which is the last line that it prints after `result: `. */
  readonly isRecorded?: true;
  /** The file that it writes with `--write`, if its result is more than a line. */
  readonly page?: string;
}

const NODE = 'node $npm_package_config_source';
const JEST = 'npm run unit -- --config';
const toJest = (folder: string): string =>
  `npm run unit -- --roots proofs/${folder} --testMatch '**/proofs/${folder}/*.proof.ts' --ci`;

const OF_SERVICE = ': "${SERVICE:?must be the folder of a service}" && ';

/** All proofs, by the name that `npm run check -- NAME` takes. */
export const CHECKS: Readonly<Record<string, Check>> = {
  format: {
    takes: 'seconds',
    what: 'fails when `npm run format` would change a file',
    command: 'prettier --check --log-level warn .',
  },
  generate: {
    takes: 'seconds',
    what: 'fails when `npm run generate` would change a file',
    command: 'npm run generate -- --check',
  },
  judges: {
    takes: 'seconds',
    what: 'judges how the kit reads JSON, forms, contracts, signatures and more by test data from other projects, in --data DIR, and schemas by their official suite, in --suite DIR; words choose judges',
    command: `${NODE} proofs/judges/run.ts`,
    isRecorded: true,
  },
  'random-schemas': {
    takes: 'a minute',
    what: 'compares the verdicts of a service, the suite, another validator and the types on random schemas and values, and on schemas that refer to themselves; options: --minutes 60, --types 200, --seed N',
    command: `npm ci --ignore-scripts --prefix proofs/specificity && ${NODE} proofs/random-schemas/run.ts`,
    isRecorded: true,
  },
  release: {
    takes: 'minutes',
    what: 'makes a release in reports/release/, installs it, publishes it to a registry on this machine, compiles and tests an application with it, has clients call a project made for a contract of another team, and tests a copy of the kit that is alone; with --dry-run, it ends before the project',
    command: `npm ci --ignore-scripts --prefix proofs/release && ${NODE} proofs/release/run.ts`,
    isRecorded: true,
  },
  remake: {
    takes: 'minutes',
    what: 'makes the service in SERVICE, a folder, anew from its contract, counts and adds its own lines, and runs its tests with packed packages',
    command: `${OF_SERVICE}${NODE} proofs/release/remake.ts`,
  },
  attack: {
    takes: 'minutes',
    what: 'attacks the built service, and prints which defences held; words that you add choose attacks by name',
    command: `npm run build && ${NODE} proofs/attack/run.ts`,
    isRecorded: true,
  },
  browser: {
    takes: 'minutes',
    what: 'tests /docs in Chromium, which must be installed, with axe-core, too',
    command: `npm ci --ignore-scripts --prefix proofs/browser && tsc -p proofs/browser && oxlint proofs/browser && ${toJest('browser')}`,
  },
  coverage: {
    takes: 'minutes',
    what: 'runs all tests, slow and long ones too, and fails unless they cover 100 % of the contract, the server and the store',
    // What Jest does not count is what runs in processes of their own.
    command:
      `npm run build && rm -rf coverage && npm run unit -- --coverage && ` +
      `c8 report --temp-directory coverage/process --exclude-after-remap --100 --include 'packages/server/src/runtime/{run-service,node-version}.ts' ` +
      `--include 'packages/server/src/http/trace.ts'`,
  },
  deploy: {
    takes: 'minutes',
    what: 'validates the manifests and, with what is installed: makes the alerts fire (promtool), rates the unit (systemd-analyze), puts nginx in front of servers, and builds the image and runs it as the pod of the manifest (Buildah); a word such as image chooses a part',
    command: `${OF_SERVICE}npm run build && npm ci --ignore-scripts --prefix proofs/deploy && tsc -p proofs/deploy && oxlint proofs/deploy && ${toJest('deploy')}`,
  },
  specificity: {
    takes: 'minutes',
    what: 'judges correct servers and servers with known faults, and fails if the suite reports anything else',
    command: `npm run build && npm ci --ignore-scripts --prefix proofs/specificity && ${NODE} proofs/specificity/run.ts`,
    isRecorded: true,
  },
  'team-bugs': {
    takes: 'minutes',
    what: 'plants the bugs that teams write in a service, and fails unless the suite finds those that it should; words that you add choose bugs by name',
    command: `tsc -b packages/conformance && ${NODE} packages/conformance/tests/team-bugs/run.ts`,
    isRecorded: true,
  },
  bench: {
    takes: 'half an hour',
    what: 'compares the speed of the service with that of other servers of this contract; --help lists options',
    command:
      'npm run build && tsc -p examples/nursery/src && npm ci --ignore-scripts --prefix proofs/bench && node --disable-warning=MODULE_TYPELESS_PACKAGE_JSON proofs/bench/run.js',
    isRecorded: true,
    page: 'docs/bench/results.md',
  },
  corpus: {
    takes: 'half an hour',
    what: 'makes a project for each contract of other teams in its packages, and judges it; --sample takes fewer, --start-only does not judge, a part of a name chooses contracts, such as api.github.com for the largest',
    command: `npm run build && npm ci --ignore-scripts --prefix proofs/corpus && ${NODE} proofs/corpus/run.ts`,
    isRecorded: true,
    page: 'docs/corpus.md',
  },
  pages: {
    takes: 'minutes',
    what: 'follows the links of the pages of the service in SERVICE, a folder, and does what README.md and docs/stores.md tell people to do',
    command: OF_SERVICE + toJest('pages'),
  },
  durability: {
    takes: 'half an hour',
    what: 'kills the process, cuts the power, fills the disk, fails over, and counts lost changes; DURABILITY_ROUNDS sets how often, -t nursery chooses parts',
    command: `npm run build && tsc -p examples/nursery/src && ${JEST} proofs/durability/jest.config.js --runInBand --verbose`,
    isRecorded: true,
  },
};
