// Who may import whom, type imports included. Imports go one way: main -> app -> the kit in src/contract/, which knows
// nobody, and main -> service -> handlers -> store.

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

// What else of src/ and generated/ a folder or file of src/ imports.
const ALLOWED = {
  'auth/': [],
  'store/': [],
  'admin/': ['contract/'],
  'docs/': ['contract/'],
  'process/': ['contract/', 'auth/'],
  'handlers/': ['contract/', 'store/', 'generated/'],
  'service-interface.ts': ['contract/', 'auth/', 'admin/', 'process/'],
  'service.ts': ['service-interface.ts', 'handlers/', 'store/', 'contract/', 'auth/', 'process/', 'generated/'],
  'app.ts': ['contract/', 'docs/', 'process/'],
  'main.ts': ['app.ts', 'service.ts', 'contract/', 'auth/', 'admin/', 'process/', 'generated/'],
};

const toPattern = (name) => (name === 'generated/' ? '^generated/' : `^src/${name}`);

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    ...STAGES.map((stage, index) => ({
      name: `below-${stage}`,
      severity: 'error',
      from: { path: `^src/contract/${stage}/` },
      to: {
        path: '^(src|generated)/',
        pathNot: STAGES.slice(0, index + 1).map((lower) => `^src/contract/${lower}/`),
      },
    })),
    {
      name: 'the-kit-knows-nobody',
      severity: 'error',
      from: { path: '^src/contract/' },
      to: { path: '^(src|generated)/', pathNot: '^src/contract/' },
    },
    ...Object.entries(ALLOWED).map(([name, others]) => ({
      name: `${name.replace(/\W.*/, '')}-imports`,
      severity: 'error',
      from: { path: toPattern(name) },
      to: { path: '^(src|generated)/', pathNot: [name, ...others].map(toPattern) },
    })),
    {
      // Its verdict is worth something because it shares nothing with the server that it judges.
      name: 'the-suite-knows-no-server',
      severity: 'error',
      from: { path: '^packages/conformance/src/' },
      to: { path: '^(src|generated|scripts|tests)/' },
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
      from: { path: '^src/', pathNot: '^src/contract/eov/' },
      to: { path: 'node_modules/express-openapi-validator/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(scripts/bench|tests/(browser|deploy|mutation)|packages/[^/]+/dist)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
  },
};
