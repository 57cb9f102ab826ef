// The proofs that `npm run check` runs.

/** A proof, which is not a script of package.json. */
export interface Check {
  /** How long it takes on two idle cores. */
  readonly takes: string;
  readonly what: string;
  /** A shell command, to which arguments are appended. */
  readonly command: string;
  /** Whether docs/proofs.md records its result, which is the last line that it prints after `result: `. */
  readonly isRecorded?: true;
  /** The file with the details of its result, which it writes with `--write`. */
  readonly page?: string;
}

const NODE = 'node $npm_package_config_source';
const JEST = 'npm run unit -- --config';
const toJest = (folder: string): string =>
  `npm run unit -- --roots proofs/${folder} --testMatch '**/proofs/${folder}/*.proof.ts'`;

/** The proofs by the NAME in `npm run check -- NAME`. */
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
  picture: {
    takes: 'seconds',
    what: 'draws docs/session.svg from a session with the service',
    command: `npm run build && ${NODE} proofs/picture/run.ts`,
  },
  sbom: {
    takes: 'seconds',
    what: 'writes the bill of materials to reports/sbom.json',
    command: `${NODE} proofs/sbom/run.ts`,
  },
  'schema-suite': {
    takes: 'seconds',
    what: 'compares verdicts on requests and responses with the official JSON Schema test suite, cloned into --suite DIR',
    command: `${NODE} proofs/schema-suite/run.ts`,
    isRecorded: true,
  },
  judges: {
    takes: 'seconds',
    what: 'tests JSON, contracts, signatures, media types, forms, styles and merge patches with test data from other projects, in --data DIR; WORDS select some',
    command: `${NODE} proofs/judges/run.ts`,
    isRecorded: true,
  },
  'random-schemas': {
    takes: 'a minute',
    what: 'compares the verdicts of a service, the suite and another validator on random schemas; --minutes 60, --seed N',
    command: `npm ci --ignore-scripts --prefix proofs/specificity && ${NODE} proofs/random-schemas/run.ts`,
    isRecorded: true,
  },
  release: {
    takes: 'a minute',
    what: 'makes the files of a release in reports/release/, publishes them to a local registry, and installs them in a project (not with --dry-run)',
    command: `npm ci --ignore-scripts --prefix proofs/release && ${NODE} proofs/release/run.ts`,
  },
  clients: {
    takes: 'a minute',
    what: 'generates clients with four tools and runs them, and compares .github/SECURITY.md with the findings of a linter',
    command: `npm ci --ignore-scripts --prefix proofs/clients && ${toJest('clients')}`,
  },
  attack: {
    takes: 'minutes',
    what: 'attacks the built service, and prints which defences held; WORDS select attacks by name',
    command: `npm run build && ${NODE} proofs/attack/run.ts`,
    isRecorded: true,
  },
  browser: {
    takes: 'minutes',
    what: 'tests /docs and the page of the conformance report in Chromium, which must be installed, with axe-core',
    command: `npm ci --ignore-scripts --prefix proofs/browser && tsc -p proofs/browser && eslint --no-ignore --max-warnings 0 proofs/browser && ${toJest('browser')}`,
  },
  'corpus:large': {
    takes: 'minutes',
    what: "measures the time and memory that GitHub's whole contract takes",
    command: `npm run build && npm ci --ignore-scripts --prefix proofs/corpus && ${NODE} proofs/corpus/run.ts api.github.com --start-only`,
  },
  coverage: {
    takes: 'minutes',
    what: 'runs all tests, including slow ones, and requires 100 % coverage of src/, the contract, the server and the store',
    // Jest does not count code that runs in child processes.
    command:
      `npm run build && rm -rf coverage && npm run unit -- --coverage && ` +
      `c8 report --temp-directory coverage/process --exclude-after-remap --100 --include src/main.ts ` +
      `--include 'packages/server/src/runtime/{run-service,node-version}.ts' ` +
      `--include packages/server/src/http/trace.ts`,
  },
  deploy: {
    takes: 'minutes',
    what: 'lints the files in deploy/, starts the service with the environment of each, and makes alerts fire in Prometheus if it is installed',
    command: `npm run build && npm ci --ignore-scripts --prefix proofs/deploy && tsc -p proofs/deploy && eslint --no-ignore --max-warnings 0 proofs/deploy && ${toJest('deploy')}`,
  },
  image: {
    takes: 'minutes',
    what: 'builds the Dockerfile with buildah if it is installed, and tests the image',
    command: `${NODE} proofs/deploy/image-check.ts`,
  },
  new: {
    takes: 'minutes',
    what: 'creates a project, installs it, runs its checks, writes a handler, and updates it to a newer kit',
    command: `${NODE} proofs/new/run.ts`,
  },
  nursery: {
    takes: 'minutes',
    what: 'starts examples/nursery as its README says, recreates it from packed packages, and runs its checks; DIR, a new folder, keeps it',
    command: `${NODE} proofs/nursery/run.ts`,
  },
  specificity: {
    takes: 'minutes',
    what: 'judges servers from elsewhere, some of which are correct',
    command: `npm run build && npm ci --ignore-scripts --prefix proofs/specificity && ${NODE} proofs/specificity/run.ts`,
  },
  'team-bugs': {
    takes: 'minutes',
    what: 'seeds typical bugs in a service, and compares those that the suite finds with the expected ones; WORDS select bugs by name',
    command: `tsc -b packages/conformance && ${NODE} packages/conformance/tests/team-bugs/run.ts`,
  },
  busy: {
    takes: 'minutes',
    what: 'runs `npm test` while busy loops use the cores; --times 5, --loops 8, --npm "run check -- coverage"',
    command: `${NODE} proofs/busy/run.ts`,
    isRecorded: true,
  },
  bench: {
    takes: 'half an hour',
    what: 'compares the service with other ways to serve this contract, in docs/bench/results.md; --help lists options',
    command:
      'npm run build && npm ci --ignore-scripts --prefix proofs/bench && node --disable-warning=MODULE_TYPELESS_PACKAGE_JSON proofs/bench/run.js',
    isRecorded: true,
    page: 'docs/bench/results.md',
  },
  corpus: {
    takes: 'half an hour',
    what: 'creates a project for each of 86 contracts from other teams; --sample, --start-only, or part of a name',
    command: `npm run build && npm ci --ignore-scripts --prefix proofs/corpus && ${NODE} proofs/corpus/run.ts`,
    isRecorded: true,
    page: 'docs/corpus.md',
  },
  durability: {
    takes: 'half an hour',
    what: 'kills the service and the nursery, cuts the power, fills the disk and fails over, and counts lost changes; DURABILITY_ROUNDS sets the number of kills, -t nursery',
    command: `npm run build && tsc -p examples/nursery/src && ${JEST} proofs/durability/jest.config.js --runInBand --verbose`,
    isRecorded: true,
  },
  'durability:cluster': {
    takes: 'half an hour',
    what: 'kills the leader of three PostgreSQL servers; needs patroni, etcd and haproxy from Debian',
    command: `npm run build && ${JEST} proofs/durability/jest.config.js --testMatch '**/*.cluster.ts' --runInBand --verbose`,
    isRecorded: true,
  },
  mutation: {
    takes: 'hours',
    what: 'mutates the sources, and fails if the tests detect fewer than 90 % of the mutants of contract, server and store, or 85 % of the others; --sample N, --seed S, --minutes M, --only service or tools, --mutate GLOBS',
    command: 'npm run build && npm ci --ignore-scripts --prefix proofs/mutation && node proofs/mutation/run.js',
    isRecorded: true,
    page: 'docs/mutation.txt',
  },
  sensitivity: {
    takes: 'hours',
    what: 'seeds faults in the contract, in responses and in the server, and counts those that the suite detects; --sample',
    command: `${NODE} proofs/sensitivity/run.ts`,
    isRecorded: true,
  },
};
