import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { IConfiguration, ICruiseResult } from 'dependency-cruiser';
import { ESLint } from 'eslint';
import { useFolder } from '../../tests/support/use-folder';

const { options, forbidden = [] } = jest.requireActual<IConfiguration>('../../.dependency-cruiser.cjs');

const KIT = 'packages/server/src';
const CONTRACT = 'packages/contract/src';

const WRONG: readonly (readonly [file: string, imported: string, rule: string])[] = [
  [`${KIT}/pipeline/pipeline.ts`, 'generated/contract.ts', 'server-is-a-package'],
  [`${KIT}/pipeline/pipeline.ts`, 'src/service.ts', 'server-is-a-package'],
  [`${KIT}/runtime/run-service.ts`, 'packages/conformance/src/index.ts', 'server-is-a-package'],
  [`${CONTRACT}/text/uri.ts`, `${CONTRACT}/2-resolve/document.ts`, 'below-text-of-contract'],
  [`${CONTRACT}/2-resolve/schema.ts`, `${CONTRACT}/4-shape/shape.ts`, 'below-resolve-of-contract'],
  [`${CONTRACT}/4-shape/shape.ts`, `${CONTRACT}/json/exact-json.ts`, 'below-shape-of-contract'],
  [`${CONTRACT}/json/exact-json.ts`, `${KIT}/errors.ts`, 'contract-is-a-package'],
  [`${CONTRACT}/5-messages/operation.ts`, `${CONTRACT}/advice.ts`, 'below-messages-of-contract'],
  [`${CONTRACT}/5-messages/operation.ts`, `${KIT}/request/parameters.ts`, 'contract-is-a-package'],
  [`${CONTRACT}/5-messages/operation.ts`, 'node_modules/express/index.ts', 'the-contract-knows-no-http'],
  [`${KIT}/validate/eov/eov.ts`, `${CONTRACT}/5-messages/message.ts`, 'server-is-a-package'],
  [`${KIT}/validate/eov/eov.ts`, `${KIT}/http/write.ts`, 'validate-of-server'],
  [`${KIT}/http/server.ts`, `${KIT}/request/receive-body.ts`, 'http-of-server'],
  [`${KIT}/request/parameters.ts`, `${KIT}/pipeline/pipeline.ts`, 'request-of-server'],
  [`${KIT}/pipeline/serve-contract.ts`, `${KIT}/docs/create-docs.ts`, 'pipeline-of-server'],
  [`${KIT}/pipeline/serve-contract.ts`, `${KIT}/runtime/log.ts`, 'pipeline-of-server'],
  [`${KIT}/pipeline/pipeline.ts`, 'node_modules/express-openapi-validator/index.ts', 'one-folder-knows-the-validator'],
  [`${KIT}/validate/tag-first.ts`, 'node_modules/express-openapi-validator/index.ts', 'one-folder-knows-the-validator'],
  [`${KIT}/auth/tokens.ts`, `${KIT}/runtime/log.ts`, 'auth-of-server'],
  [`${KIT}/admin/metrics.ts`, `${KIT}/auth/tokens.ts`, 'admin-of-server'],
  [`${KIT}/docs/create-docs.ts`, `${KIT}/runtime/log.ts`, 'docs-of-server'],
  [`${KIT}/runtime/log.ts`, `${KIT}/validate/eov/eov.ts`, 'runtime-of-server'],
  ['src/handlers/index.ts', 'src/app.ts', 'handlers-imports'],
  ['src/handlers/index.ts', 'src/service.ts', 'handlers-imports'],
  ['src/app.ts', 'src/handlers/create-thing.ts', 'app-imports'],
  ['src/app.ts', 'src/store/things.ts', 'app-imports'],
  ['src/app.ts', 'src/service.ts', 'app-imports'],
  ['src/store/open.ts', 'src/service.ts', 'store-imports'],
  ['src/service.ts', `${KIT}/runtime/log.ts`, 'the-inside-of-a-package-is-private'],
  ['scripts/one.ts', 'packages/tools/src/generate/generate.ts', 'the-inside-of-a-package-is-private'],
  ['scripts/one.ts', 'scripts/other.ts', 'no-circles'],
  ['packages/conformance/src/suite.ts', `${KIT}/index.ts`, 'conformance-is-a-package'],
  ['packages/conformance/src/suite.ts', `${CONTRACT}/index.ts`, 'conformance-is-a-package'],
  ['packages/tools/src/run-command.ts', `${CONTRACT}/5-messages/operation.ts`, 'tools-is-a-package'],
  ['packages/tools/src/lint/lint-contract.ts', 'packages/tools/src/check/released.ts', 'below-lint-of-tools'],
  ['packages/store/src/open-store.ts', 'src/store/things.ts', 'store-is-a-package'],
  ['scripts/one.ts', 'proofs/attack/target.ts', 'nothing-rests-on-its-proof'],
  ['packages/store/src/open-store.ts', 'packages/conformance/src/suite.ts', 'store-is-a-package'],
];

const RIGHT: readonly (readonly [file: string, imported: string])[] = [
  [`${KIT}/validate/eov/eov.ts`, 'node_modules/express-openapi-validator/index.ts'],
  [`${KIT}/validate/eov/eov.ts`, `${CONTRACT}/index.ts`],
  [`${KIT}/pipeline/routes.ts`, `${KIT}/pipeline/validators.ts`],
  [`${CONTRACT}/5-messages/operation.ts`, `${CONTRACT}/4-shape/shape.ts`],
  [`${KIT}/index.ts`, `${KIT}/runtime/run-service.ts`],
  ['src/app.ts', 'node_modules/express-openapi-validator/index.ts'],
  ['src/handlers/get-thing.ts', 'src/store/things.ts'],
  ['src/service.ts', 'src/handlers/get-thing.ts'],
  ['src/service.ts', `${KIT}/index.ts`],
  ['packages/tools/src/run-command.ts', `${CONTRACT}/index.ts`],
  ['packages/tools/src/run-command.ts', `${KIT}/errors.ts`],
];

describe('an import that leads the wrong way fails lint', () => {
  const folder = useFolder();
  let violations: readonly string[];

  beforeAll(async () => {
    const imports = new Map<string, string[]>();
    for (const [file, imported] of [...WRONG, ...RIGHT, ['scripts/other.ts', 'scripts/one.ts'] as const]) {
      imports.set(file, [...(imports.get(file) ?? []), imported]);
      imports.set(imported, imports.get(imported) ?? []);
    }
    for (const [file, all] of imports) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      const up = '../'.repeat(file.split('/').length - 1);
      // A type import counts like any other.
      const lines = all.map((imported, index) => `import type { T as T${String(index)} } from '${up}${imported}';`);
      writeFileSync(join(folder, file), `${lines.join('\n')}\nexport type T = string;\n`);
    }
    const { cruise } = await import('dependency-cruiser');
    const { output } = await cruise(['src', 'generated', 'scripts', 'proofs', 'packages'], {
      ...options,
      tsConfig: {},
      baseDir: folder,
      validate: true,
      ruleSet: { forbidden },
    });
    violations = (output as ICruiseResult).summary.violations.map(({ from, to, rule }) => `${from} ${to} ${rule.name}`);
  });

  test.each(WRONG)('%s imports %s', (file, imported, rule) => {
    expect(violations).toContain(`${file} ${imported} ${rule}`);
  });

  test.each(RIGHT)('but %s may import %s', (file, imported) => {
    expect(violations.filter((violation) => violation.startsWith(`${file} ${imported} `))).toEqual([]);
  });
});

// With CI=true the parser reads the files on disk, not the texts of these tests.
const eslint = new ESLint({
  overrideConfig: { languageOptions: { parserOptions: { disallowAutomaticSingleRunInference: true } } },
});

test.each([
  [
    'the page writes itself',
    `${KIT}/docs/create-docs.ts`,
    `export const a = (res: R) => res.send();`,
    'no-restricted-syntax',
  ],
  ['the environment is read elsewhere', 'src/app.ts', `export const a = process.env;`, 'no-restricted-properties'],
  ['the process is ended elsewhere', 'src/app.ts', `process.exit(1);`, 'no-restricted-properties'],
  [
    'something else writes',
    `${KIT}/pipeline/pipeline.ts`,
    `export const a = (res: Response) => res.end();`,
    'no-restricted-syntax',
  ],
  ['something else listens', 'src/app.ts', `export const a = (b: Server) => b.listen(1);`, 'no-restricted-syntax'],
  ['something writes to the console', 'src/app.ts', `console.log(1);`, 'no-console'],
])('lint fails when %s', async (_, filePath, text, rule) => {
  const [result] = await eslint.lintText(text, { filePath });
  expect(result?.messages.map(({ ruleId }) => ruleId)).toContain(rule);
});
