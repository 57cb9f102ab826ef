import jest from 'eslint-plugin-jest';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  {
    ignores: ['dist/', '{packages,examples}/*/dist/', 'coverage/', 'reports/', '.stryker-tmp/', '**/generated/'],
  },
  {
    files: ['proofs/bench/**/*.js'],
    extends: [tseslint.configs.recommended],
    languageOptions: { sourceType: 'commonjs' },
    rules: {
      '@typescript-eslint/no-require-imports': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'prefer-const': 'error',
      'no-var': 'error',
      'max-lines': ['error', 500],
    },
  },
  // They have packages of their own: the commands that install these lint them.
  { ignores: ['proofs/browser/', 'proofs/deploy/'] },
  // Compiled where the clients are that they import.
  { ignores: ['proofs/clients/{as-they-come,exact}/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    // One program for all: sources of packages, which need not be built.
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: 'tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      // There are no enums: tsconfig.json has erasableSyntaxOnly. It takes a quarter of the time.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      // What a contract has none of, such as security schemes, is an empty type.
      '@typescript-eslint/no-generated-empty-object-type': 'off',
      'max-params': ['error', 4],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
    },
  },
  ...['proofs/browser', 'proofs/deploy'].map((folder) => ({
    files: [`${folder}/**/*.ts`],
    languageOptions: { parserOptions: { project: `${folder}/tsconfig.json` } },
  })),
  {
    files: ['{src,packages/{contract,server,store}/src,examples/*/src}/**/*.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only runtime/config.ts reads the environment.' },
        { object: 'process', property: 'exit', message: 'Only runtime/run-service.ts ends the process.' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'CallExpression[callee.object.name=/^(res|socket)$/][callee.property.name=/^(writeHead|json|send|sendStatus|end|write)$/]',
          message: 'Only http/write.ts writes.',
        },
        {
          selector: 'CallExpression[callee.property.name="listen"]',
          message: 'Only runtime/create-server.ts listens.',
        },
      ],
      'no-console': 'error',
    },
  },
  { files: ['packages/{contract,server,store}/src/**/*.ts'], rules: { 'max-lines': ['error', 500] } },
  { files: ['packages/contract/src/[1-5]-*/*.ts'], rules: { 'max-lines-per-function': ['error', 60] } },
  // diagnostics/print.ts prints, and a server under development says what it likes.
  {
    files: ['packages/tools/src/**/*.ts'],
    ignores: ['packages/tools/src/{diagnostics/print,dev/server-process,cli}.ts'],
    rules: { 'no-console': 'error' },
  },
  // The admin port has nothing to do with the contract.
  {
    files: ['packages/server/src/{http/write,admin/admin-server}.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  { files: ['packages/server/src/runtime/config.ts'], rules: { 'no-restricted-properties': 'off' } },
  {
    files: ['packages/server/src/runtime/{run-service,create-server,node-version}.ts'],
    rules: { 'no-restricted-properties': 'off', 'no-restricted-syntax': 'off', 'no-console': 'off' },
  },
  {
    files: [
      'packages/conformance/**',
      '{proofs/specificity/**/*,tests/{conformance.test,support/start-target}}.ts',
      'packages/tools/src/new/**',
    ],
    rules: {
      // It overflows the stack on types that hold themselves, as JSON does.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  {
    files: [
      '{tests,proofs,packages/*/tests,examples/*/tests}/**/*.test.ts',
      'proofs/{browser,clients,deploy}/*.proof.ts',
    ],
    extends: [jest.configs['flat/recommended'], jest.configs['flat/style']],
    rules: {
      'jest/expect-expect': [
        'error',
        {
          assertFunctionNames: ['expect', 'expectRefusal', 'expectSeen', 'expectNoFailure', 'expectPhoto', '**.expect'],
        },
      ],
    },
  },
  // As a new project has it: it throws what the suite finds.
  { files: ['{examples/*/tests,tests}/conformance.test.ts'], rules: { 'jest/expect-expect': 'off' } },
);
