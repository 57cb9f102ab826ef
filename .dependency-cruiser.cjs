// Who may import whom, type imports included. Imports go one way: what is about plants, in src/, imports the packages by
// their public names, and no package imports it.

// The stages of the kit, the lowest first. A stage imports itself and those below it.
const STAGES = [
  'text', // of HTTP and URIs
  'document', // the contract as it is written
  'operation', // the contract as it is served
  'refusal',
  'json', // with exact int64s
  'eov', // express-openapi-validator
  'http',
  'request',
  'reply',
  'enforcement',
  'handler',
];

// The folders of packages/tools/src, the lowest first. Each imports itself and those below it.
const TOOLS = ['diagnostics', 'compile', 'bundle', 'lint', 'generate', 'check', 'dev', 'new'];
// The rooms of packages/conformance, the lowest first: each imports itself and those below it.
const ROOMS = [
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

// What else of its package a folder or file of packages/server imports.
const IN_SERVER = {
  'contract/': [],
  'auth/': [],
  'admin/': ['contract/'],
  'docs/': ['contract/'],
  'process/': ['contract/', 'auth/'],
  'service.ts': ['contract/', 'auth/', 'admin/', 'process/'],
};

// What else of src/ and generated/ a folder or file of src/ imports.
const IN_SRC = {
  'store/': [],
  'handlers/': ['store/', 'generated/'],
  'app.ts': [],
  'service.ts': ['app.ts', 'handlers/', 'store/', 'generated/'],
};

// What else of packages/ a package imports, by its public name.
const PACKAGES = {
  server: [],
  store: [],
  conformance: [],
  tools: ['server', 'conformance'],
};

const SERVER = '^packages/server/src/';
const IN_TOOLS = '^packages/tools/src/';
const CONFORMANCE = '^packages/conformance/src/';
const toPattern = (name) => (name === 'generated/' ? '^generated/' : `^src/${name}`);

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    ...STAGES.map((stage, index) => ({
      name: `below-${stage}`,
      severity: 'error',
      from: { path: `${SERVER}contract/${stage}/` },
      to: { path: SERVER, pathNot: STAGES.slice(0, index + 1).map((lower) => `${SERVER}contract/${lower}/`) },
    })),
    ...TOOLS.map((folder, index) => ({
      name: `below-${folder}-of-tools`,
      severity: 'error',
      from: { path: `${IN_TOOLS}${folder}/` },
      to: { path: IN_TOOLS, pathNot: TOOLS.slice(0, index + 1).map((lower) => `${IN_TOOLS}${lower}/`) },
    })),
    ...ROOMS.map((room, index) => ({
      name: `below-${room.replace(/\W.*/, '')}-of-conformance`,
      severity: 'error',
      from: { path: CONFORMANCE + room },
      to: { path: CONFORMANCE, pathNot: ROOMS.slice(0, index + 1).map((lower) => CONFORMANCE + lower) },
    })),
    ...Object.entries(IN_SERVER).map(([name, others]) => ({
      name: `${name.replace(/\W.*/, '')}-of-server`,
      severity: 'error',
      from: { path: SERVER + name },
      to: { path: SERVER, pathNot: [name, ...others].map((other) => SERVER + other) },
    })),
    ...Object.entries(IN_SRC).map(([name, others]) => ({
      name: `${name.replace(/\W.*/, '')}-imports`,
      severity: 'error',
      from: { path: toPattern(name) },
      to: { path: '^(src|generated)/', pathNot: [name, ...others].map(toPattern) },
    })),
    ...Object.entries(PACKAGES).map(([name, others]) => ({
      // The verdict of conformance is worth something because it shares nothing with the server that it judges.
      name: `${name}-is-a-package`,
      severity: 'error',
      from: { path: `^packages/${name}/src/` },
      to: {
        path: '^(src|generated|scripts|tests|packages)/',
        pathNot: [
          `^packages/${name}/src/`,
          ...others.map((other) => `^packages/${other}/src/(index|contract|process/node-version)\\.ts$`),
        ],
      },
    })),
    {
      name: 'the-inside-of-a-package-is-private',
      severity: 'error',
      from: { path: '^(src|generated)/|^scripts/[^/]+\\.ts$' },
      to: {
        path: '^packages/[^/]+/src/',
        pathNot:
          '^packages/[^/]+/src/(index|contract|express-openapi-validator|testing|new|process/node-version)\\.ts$',
      },
    },
    {
      name: 'the-store-knows-no-service',
      severity: 'error',
      from: { path: '^packages/store/src/' },
      to: { path: '^(src|generated|scripts|tests|packages/(?!store/src/))' },
    },
    {
      name: 'one-folder-knows-the-validator',
      severity: 'error',
      from: { path: '^(src|packages/[^/]+/src)/', pathNot: `${SERVER}contract/eov/` },
      to: { path: 'node_modules/express-openapi-validator/' },
    },
    {
      name: 'the-validator-is-passed-in',
      severity: 'error',
      from: { path: SERVER, pathNot: [`${SERVER}contract/eov/`, `${SERVER}express-openapi-validator\\.ts$`] },
      to: { path: `${SERVER}contract/eov/` },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(scripts/bench|tests/(browser|deploy|mutation)|packages/[^/]+/dist)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ['source', 'import', 'require', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
  },
};
