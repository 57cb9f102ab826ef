// Who may import whom, type imports included. Imports go one way, and a package knows others by their public names only:
// its tests, too.

// The layers of packages/contract/src, which reads a document and knows nothing about HTTP; the first ones know least.
// Each imports itself and those above it in the list.
const LAYERS = [
  'text/', // of URIs, headers and JSON pointers
  '1-parse/', // the file
  '2-resolve/', // the document as it is written, its schemas, and what is malformed in it
  '3-plain/', // the document with its discriminators and shorthands written out
  '4-shape/', // which types a schema allows, and where it has int64s
  'json/', // with exact int64s
  '5-messages/', // the document as it is served
  'load-contract.ts', // all passes
  'sample/', // values that a schema allows
  'advice.ts',
];

// The folders of packages/server/src, and what each imports besides itself.
const SERVER_FOLDERS = {
  errors: [],
  validate: ['errors'],
  auth: ['errors', 'validate'],
  http: ['errors'],
  items: [],
  request: ['errors', 'validate', 'http', 'items'],
  reply: ['errors', 'validate', 'http', 'items'],
  pipeline: ['errors', 'auth', 'validate', 'http', 'request', 'reply', 'watch'],
  docs: ['errors', 'http', 'pipeline'],
  admin: ['http'],
  watch: ['errors', 'validate', 'http', 'request', 'reply'],
  runtime: ['errors', 'auth', 'http', 'request', 'pipeline', 'docs', 'admin'],
};

// The folders of packages/tools/src, the lowest first. Each imports itself and those below it.
const TOOLS = ['diagnostics', 'write', 'compile', 'bundle', 'lint', 'generate', 'check', 'dev', 'new'];
// The folders of packages/conformance, the lowest first. Each imports itself and those below it.
const CONFORMANCE_FOLDERS = [
  'terminal.ts',
  'wire/',
  'contract/',
  'validation/',
  'values/',
  'generators/',
  'oracle/',
  'exchange/',
  'suite.ts',
  'stateful/',
  'runner/',
  'report/',
  'cli/',
];

// What else of packages/ a package imports, by its public name.
const PACKAGES = {
  contract: [],
  server: ['contract'],
  store: [],
  conformance: [],
  tools: ['contract', 'server', 'conformance'],
};

// Without the number of a pass and the ending of a file.
const toName = (folder) => folder.replace(/^\d-|[/.].*/g, '');

const PUBLIC = '^packages/[^/]+/src/(index|errors|testing|new|cli|terminal|runtime/node-version)\\.ts$';
const SERVER = '^packages/server/src/';
const CONTRACT = '^packages/contract/src/';
const IN_TOOLS = '^packages/tools/src/';
const CONFORMANCE = '^packages/conformance/src/';

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    ...LAYERS.map((layer, index) => ({
      name: `below-${toName(layer)}-of-contract`,
      severity: 'error',
      from: { path: CONTRACT + layer },
      to: { path: CONTRACT, pathNot: LAYERS.slice(0, index + 1).map((lower) => CONTRACT + lower) },
    })),
    ...Object.entries(SERVER_FOLDERS).map(([folder, others]) => ({
      name: `${folder}-of-server`,
      severity: 'error',
      from: { path: `${SERVER}${folder}/` },
      to: { path: SERVER, pathNot: [folder, ...others].map((other) => `${SERVER}${other}/`) },
    })),
    {
      name: 'the-contract-knows-no-http',
      severity: 'error',
      from: { path: CONTRACT },
      to: { path: ['^(node:)?(http2?|https|net)$', 'node_modules/express/'] },
    },
    ...TOOLS.map((folder, index) => ({
      name: `below-${folder}-of-tools`,
      severity: 'error',
      from: { path: `${IN_TOOLS}${folder}/` },
      to: { path: IN_TOOLS, pathNot: TOOLS.slice(0, index + 1).map((lower) => `${IN_TOOLS}${lower}/`) },
    })),
    ...CONFORMANCE_FOLDERS.map((folder, index) => ({
      name: `below-${toName(folder)}-of-conformance`,
      severity: 'error',
      from: { path: CONFORMANCE + folder },
      to: { path: CONFORMANCE, pathNot: CONFORMANCE_FOLDERS.slice(0, index + 1).map((lower) => CONFORMANCE + lower) },
    })),
    ...Object.entries(PACKAGES).map(([name, others]) => ({
      // The verdict of conformance is worth something because it shares nothing with the server that it judges.
      name: `${name}-is-a-package`,
      severity: 'error',
      from: { path: `^packages/${name}/src/` },
      to: {
        path: '^(scripts|proofs|packages|examples)/',
        pathNot: [
          `^packages/${name}/src/`,
          ...others.map((other) => `^packages/${other}/src/(index|errors|terminal|runtime/node-version)\\.ts$`),
        ],
      },
    })),
    ...[...Object.keys(PACKAGES), 'test-support'].map((name) => ({
      name: `tests-of-${name}-use-public-names`,
      severity: 'error',
      from: { path: `^packages/${name}/` },
      to: { path: '^packages/[^/]+/(src|tests)/', pathNot: [`^packages/${name}/`, PUBLIC, '^packages/test-support/'] },
    })),
    {
      name: 'the-inside-of-a-package-is-private',
      severity: 'error',
      from: { path: '^(scripts|examples)/' },
      to: { path: '^packages/[^/]+/(src|tests)/', pathNot: [PUBLIC, '^packages/test-support/'] },
    },
    {
      name: 'nothing-rests-on-its-proof',
      severity: 'error',
      from: { pathNot: '^proofs/' },
      to: { path: '^proofs/' },
    },
    {
      name: 'one-folder-knows-the-validator',
      severity: 'error',
      from: { path: '^packages/(?!test-support/)[^/]+/src/', pathNot: `${SERVER}validate/(eov/|validator\\.ts$)` },
      to: { path: 'node_modules/express-openapi-validator/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(proofs/(bench|browser|deploy|release/application)|packages/[^/]+(/plants)?/dist)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ['source', 'import', 'require', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
  },
};
