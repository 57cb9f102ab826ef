import jest from 'eslint-plugin-jest';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

// The architecture: imports go one way, main -> app -> the kit in src/contract/, which knows nobody, and
// main -> service -> handlers -> store. What stands behind the contract is known to service.ts alone.
// What a file may not import:
const validator = ['express-openapi-validator', 'express-openapi-validator/**'];
const contract = ['**/generated/**', ...validator];
const handlers = ['**/handlers', '**/handlers/**'];
const store = ['**/store/**'];
const service = ['**/service', '**/service-interface'];
const process = [...service, '../main', '../app', '../config', '../settings', '../token-settings', '../log'];
const layers = {
  'src/*.ts': [...contract, ...handlers, ...store, './service'],
  'src/main.ts': [...validator, ...handlers, ...store],
  'src/service.ts': validator,
  'src/contract/**': [...process, ...contract, ...handlers, ...store, '../docs/**', '../auth/**'],
  'src/contract/eov/**': ['../../**'],
  'src/handlers/**': [...process, ...validator, '../auth/**'],
  'src/store/**': [...process, ...contract, ...handlers, '../contract/**', '../auth/**'],
  'src/admin/**': [...process, ...contract, ...handlers, ...store, '../auth/**'],
  'src/docs/**': [...process, ...contract, ...handlers, ...store, '../auth/**', '../admin/**'],
  'src/auth/**': [...process, ...contract, ...handlers, ...store, '../contract/**'],
};

export default defineConfig(
  { ignores: ['dist/', 'coverage/', 'reports/', '.stryker-tmp/', 'generated/', 'scripts/bench/'] },
  // They have packages of their own: the commands that install these lint them.
  { ignores: ['tests/browser/', 'tests/deploy/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      // What a contract has none of, such as security schemes, is an empty type.
      '@typescript-eslint/no-generated-empty-object-type': 'off',
      'max-params': ['error', 4],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only config.ts reads the environment.' },
        { object: 'process', property: 'exit', message: 'Only main.ts ends the process.' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'CallExpression[callee.object.name=/^(res|socket)$/][callee.property.name=/^(writeHead|json|send|sendStatus|end|write)$/]',
          message: 'Only src/contract/write.ts writes.',
        },
        { selector: 'CallExpression[callee.property.name="listen"]', message: 'Only listen.ts listens.' },
      ],
      'no-console': 'error',
      'max-lines': ['error', 130],
    },
  },
  ...Object.entries(layers).map(([files, group]) => ({
    files: [files],
    rules: { 'no-restricted-imports': ['error', { patterns: [{ group }] }] },
  })),
  // The admin port has nothing to do with the contract.
  { files: ['src/contract/write.ts', 'src/admin/admin-server.ts'], rules: { 'no-restricted-syntax': 'off' } },
  { files: ['src/config.ts'], rules: { 'no-restricted-properties': 'off' } },
  {
    files: ['src/main.ts', 'src/listen.ts', 'src/node-version.ts'],
    rules: { 'no-restricted-properties': 'off', 'no-restricted-syntax': 'off', 'no-console': 'off' },
  },
  {
    files: ['tests/conformance/**', 'scripts/new/**'],
    rules: {
      // It overflows the stack on types that hold themselves, as JSON does.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  {
    files: ['tests/**/*.test.ts', 'tests/{browser,deploy}/*.proof.ts'],
    extends: [jest.configs['flat/recommended'], jest.configs['flat/style']],
    rules: {
      'jest/expect-expect': [
        'error',
        {
          assertFunctionNames: [
            ...['expect', 'expectRefusal', 'expectSeen', 'expectNoFailure', 'post*.expect', 'request.**.expect'],
          ],
        },
      ],
    },
  },
);
