// The proofs that `npm run check` runs.

/** A proof that is no script of package.json. */
export interface Check {
  /** On two quiet cores. */
  readonly takes: string;
  readonly what: string;
  /** For a shell, as a script of package.json: arguments come behind it. */
  readonly command: string;
  /** Whether docs/proofs.md has its result: the last line that it prints behind `result: `. */
  readonly isRecorded?: true;
  /** The file that it writes with `--write`: more of its result than a line. */
  readonly page?: string;
}

const NODE = 'node $npm_package_config_source';
const JEST = 'npm run unit -- --config';
const toJest = (folder: string): string =>
  `npm run unit -- --roots proofs/${folder} --testMatch '**/proofs/${folder}/*.proof.ts'`;

/** Each by the name that `npm run check -- NAME` has for it. */
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
    what: 'draws docs/session.svg from what the service replies',
    command: `npm run build && ${NODE} proofs/picture/run.ts`,
  },
  sbom: {
    takes: 'seconds',
    what: 'writes the bill of materials to reports/sbom.json',
    command: `${NODE} proofs/sbom/run.ts`,
  },
  'schema-suite': {
    takes: 'seconds',
    what: 'judges requests and replies by the official test suite of JSON Schema, a clone in the folder of --suite DIR',
    command: `${NODE} proofs/schema-suite/run.ts`,
    isRecorded: true,
  },
  judges: {
    takes: 'seconds',
    what: 'judges JSON, contracts, signatures, media types, forms, styles and merge patches by test data of others, in the folder of --data DIR; WORDS choose some',
    command: `${NODE} proofs/judges/run.ts`,
    isRecorded: true,
  },
  'random-schemas': {
    takes: 'a minute',
    what: 'compares the verdicts of a service, of the suite and of another validator; --minutes 60, --seed N',
    command: `npm ci --ignore-scripts --prefix proofs/specificity && ${NODE} proofs/random-schemas/run.ts`,
    isRecorded: true,
  },
  release: {
    takes: 'a minute',
    what: 'makes the files of a release in reports/release/, publishes them on this machine, and tries a project that installs them, with --dry-run none',
    command: `npm ci --ignore-scripts --prefix proofs/release && ${NODE} proofs/release/run.ts`,
  },
  clients: {
    takes: 'a minute',
    what: 'makes clients with four tools and runs them, and compares .github/SECURITY.md with what a linter finds',
    command: `npm ci --ignore-scripts --prefix proofs/clients && ${toJest('clients')}`,
  },
  attack: {
    takes: 'minutes',
    what: 'attacks the built service, and prints which defences held; WORDS choose attacks by name',
    command: `npm run build && ${NODE} proofs/attack/run.ts`,
    isRecorded: true,
  },
  browser: {
    takes: 'minutes',
    what: 'tests /docs, with axe-core, and the page of the conformance report in Chromium, which must be installed',
    command: `npm ci --ignore-scripts --prefix proofs/browser && tsc -p proofs/browser && eslint --no-ignore --max-warnings 0 proofs/browser && ${toJest('browser')}`,
  },
  'corpus:large': {
    takes: 'minutes',
    what: "prints what GitHub's whole contract takes",
    command: `npm run build && npm ci --ignore-scripts --prefix proofs/corpus && ${NODE} proofs/corpus/run.ts api.github.com --start-only`,
  },
  coverage: {
    takes: 'minutes',
    what: 'runs all tests, the slow ones too, and holds src/, the contract, the server and the store to 100 %',
    // What Jest does not count is what runs in processes of their own.
    command:
      `npm run build && rm -rf coverage && npm run unit -- --coverage && ` +
      `c8 report --temp-directory coverage/process --exclude-after-remap --100 --include src/main.ts ` +
      `--include 'packages/server/src/runtime/{run-service,node-version}.ts' ` +
      `--include packages/server/src/http/trace.ts`,
  },
  deploy: {
    takes: 'minutes',
    what: 'lints the files of deploy/, starts the service with the environment of each, and makes alerts fire in Prometheus, if it is installed',
    command: `npm run build && npm ci --ignore-scripts --prefix proofs/deploy && tsc -p proofs/deploy && eslint --no-ignore --max-warnings 0 proofs/deploy && ${toJest('deploy')}`,
  },
  image: {
    takes: 'minutes',
    what: 'builds the Dockerfile with buildah, if it is installed, and tries what it makes',
    command: `${NODE} proofs/deploy/image-check.ts`,
  },
  new: {
    takes: 'minutes',
    what: 'makes a project, installs it, runs its checks, builds a handler, updates it to a newer kit',
    command: `${NODE} proofs/new/run.ts`,
  },
  nursery: {
    takes: 'minutes',
    what: 'starts examples/nursery as its README says, makes it anew with packed packages, and runs its checks; with a new folder as DIR it stays there',
    command: `${NODE} proofs/nursery/run.ts`,
  },
  specificity: {
    takes: 'minutes',
    what: 'judges servers that are not ours, of which some are right',
    command: `npm run build && npm ci --ignore-scripts --prefix proofs/specificity && ${NODE} proofs/specificity/run.ts`,
  },
  'team-bugs': {
    takes: 'minutes',
    what: 'seeds the bugs that teams write in a service, and compares which of them the suite finds with what is expected; WORDS choose bugs by name',
    command: `tsc -b packages/conformance && ${NODE} packages/conformance/tests/team-bugs/run.ts`,
  },
  busy: {
    takes: 'minutes',
    what: 'runs `npm test` beside busy loops; --times 5, --loops 8, --npm "run check -- coverage"',
    command: `${NODE} proofs/busy/run.ts`,
    isRecorded: true,
  },
  bench: {
    takes: 'half an hour',
    what: 'compares the service with other ways to serve this contract: docs/bench/results.md; --help lists options',
    command:
      'npm run build && npm ci --ignore-scripts --prefix proofs/bench && node --disable-warning=MODULE_TYPELESS_PACKAGE_JSON proofs/bench/run.js',
    isRecorded: true,
    page: 'docs/bench/results.md',
  },
  corpus: {
    takes: 'half an hour',
    what: 'makes a project for each of 86 contracts of other teams; --sample, --start-only, a part of a name',
    command: `npm run build && npm ci --ignore-scripts --prefix proofs/corpus && ${NODE} proofs/corpus/run.ts`,
    isRecorded: true,
    page: 'docs/corpus.md',
  },
  durability: {
    takes: 'half an hour',
    what: 'kills the process, of the nursery too, cuts the power, fills the disk and fails over, and counts lost changes; DURABILITY_ROUNDS kills each, -t nursery',
    command: `npm run build && tsc -p examples/nursery/src && ${JEST} proofs/durability/jest.config.js --runInBand --verbose`,
    isRecorded: true,
  },
  'durability:cluster': {
    takes: 'half an hour',
    what: 'kills the leader of three PostgreSQL servers; it needs patroni, etcd and haproxy of Debian',
    command: `npm run build && ${JEST} proofs/durability/jest.config.js --testMatch '**/*.cluster.ts' --runInBand --verbose`,
    isRecorded: true,
  },
  mutation: {
    takes: 'hours',
    what: 'changes the sources, one place at a time, and fails if the tests detect fewer than 90 % of the changes of contract, server and store, or 85 % of the others; --sample N, --seed S, --minutes M, --only service or tools, --mutate GLOBS',
    command: 'npm run build && npm ci --ignore-scripts --prefix proofs/mutation && node proofs/mutation/run.js',
    isRecorded: true,
    page: 'docs/mutation.txt',
  },
  sensitivity: {
    takes: 'hours',
    what: 'seeds faults in the contract, in replies and in the server, and counts those that the suite detects; --sample',
    command: `${NODE} proofs/sensitivity/run.ts`,
    isRecorded: true,
  },
};
