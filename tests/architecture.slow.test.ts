import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { IConfiguration, ICruiseResult } from 'dependency-cruiser';
import { ESLint } from 'eslint';

const { options, forbidden = [] } = jest.requireActual<IConfiguration>('../.dependency-cruiser.cjs');

const WRONG: readonly (readonly [file: string, imported: string, rule: string])[] = [
  ['src/contract/chain.ts', 'generated/contract.ts', 'the-kit-knows-nobody'],
  ['src/contract/chain.ts', 'src/service.ts', 'the-kit-knows-nobody'],
  ['src/contract/serve-contract.ts', 'src/docs/create-docs.ts', 'the-kit-knows-nobody'],
  ['src/contract/serve-contract.ts', 'src/process/log.ts', 'the-kit-knows-nobody'],
  ['src/contract/text/cookies.ts', 'src/contract/document/mistake.ts', 'below-text'],
  ['src/contract/document/shape.ts', 'src/contract/operation/message.ts', 'below-document'],
  ['src/contract/eov/eov.ts', 'src/contract/http/write.ts', 'below-eov'],
  ['src/contract/http/server.ts', 'src/contract/request/gather.ts', 'below-http'],
  ['src/contract/request/query.ts', 'src/contract/chain.ts', 'below-request'],
  ['src/contract/chain.ts', 'node_modules/express-openapi-validator/index.ts', 'one-folder-knows-the-validator'],
  ['src/service.ts', 'node_modules/express-openapi-validator/index.ts', 'one-folder-knows-the-validator'],
  ['src/handlers/index.ts', 'src/app.ts', 'handlers-imports'],
  ['src/handlers/index.ts', 'src/service.ts', 'handlers-imports'],
  ['src/app.ts', 'src/handlers/create-thing.ts', 'app-imports'],
  ['src/app.ts', 'src/store/things.ts', 'app-imports'],
  ['src/app.ts', 'src/service.ts', 'app-imports'],
  ['src/main.ts', 'src/handlers/index.ts', 'main-imports'],
  ['src/main.ts', 'src/store/things.ts', 'main-imports'],
  ['src/store/things.ts', 'src/contract/refusal/refusal.ts', 'store-imports'],
  ['src/store/things.ts', 'src/process/log.ts', 'store-imports'],
  ['src/auth/token-verifier.ts', 'src/store/things.ts', 'auth-imports'],
  ['src/admin/metrics.ts', 'src/store/things.ts', 'admin-imports'],
  ['src/docs/create-docs.ts', 'src/store/things.ts', 'docs-imports'],
  ['src/process/log.ts', 'src/admin/metrics.ts', 'process-imports'],
  ['scripts/one.ts', 'scripts/other.ts', 'no-circles'],
  ['packages/conformance/src/suite.ts', 'src/contract/chain.ts', 'the-suite-knows-no-server'],
  ['packages/store/src/open-store.ts', 'src/store/things.ts', 'the-store-knows-no-service'],
  ['packages/store/src/open-store.ts', 'packages/conformance/src/suite.ts', 'the-store-knows-no-service'],
];

const RIGHT: readonly (readonly [file: string, imported: string])[] = [
  ['src/handlers/get-thing.ts', 'src/contract/handler/handler.ts'],
  ['src/contract/eov/compile.ts', 'node_modules/express-openapi-validator/index.ts'],
  ['src/contract/eov/compile.ts', 'src/contract/operation/message.ts'],
  ['src/contract/routes.ts', 'src/contract/enforcement/enforcement.ts'],
  ['src/handlers/get-thing.ts', 'src/store/things.ts'],
  ['src/service.ts', 'src/handlers/get-thing.ts'],
];

describe('an import that leads the wrong way fails lint', () => {
  const folder = mkdtempSync(join(tmpdir(), 'architecture-'));
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
    const { output } = await cruise(['src', 'generated', 'scripts', 'packages'], {
      ...options,
      tsConfig: {},
      baseDir: folder,
      validate: true,
      ruleSet: { forbidden },
    });
    violations = (output as ICruiseResult).summary.violations.map(({ from, to, rule }) => `${from} ${to} ${rule.name}`);
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test.each(WRONG)('%s imports %s', (file, imported, rule) => {
    expect(violations).toContain(`${file} ${imported} ${rule}`);
  });

  test.each(RIGHT)('but %s may import %s', (file, imported) => {
    expect(violations.filter((violation) => violation.startsWith(`${file} ${imported} `))).toEqual([]);
  });
});

const eslint = new ESLint();

test.each([
  [
    'the page writes itself',
    'src/docs/send-file.ts',
    `export const a = (res: R) => res.send();`,
    'no-restricted-syntax',
  ],
  ['the environment is read elsewhere', 'src/app.ts', `export const a = process.env;`, 'no-restricted-properties'],
  ['the process is ended elsewhere', 'src/app.ts', `process.exit(1);`, 'no-restricted-properties'],
  [
    'something else writes',
    'src/contract/chain.ts',
    `export const a = (res: Response) => res.end();`,
    'no-restricted-syntax',
  ],
  ['something else listens', 'src/app.ts', `export const a = (b: Server) => b.listen(1);`, 'no-restricted-syntax'],
  ['something writes to the console', 'src/app.ts', `console.log(1);`, 'no-console'],
])('lint fails when %s', async (_, filePath, text, rule) => {
  const [result] = await eslint.lintText(text, { filePath });
  expect(result?.messages.map(({ ruleId }) => ruleId)).toContain(rule);
});
