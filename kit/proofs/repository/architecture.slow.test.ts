import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { IConfiguration, ICruiseResult } from 'dependency-cruiser';
import { useFolder } from '@contract-kit/test-support/use-folder';

const { options, forbidden = [] } = jest.requireActual<IConfiguration>('../../.dependency-cruiser.cjs');

const KIT = 'packages/server/src';
const CONTRACT = 'packages/contract/src';
const APP = 'examples/nursery/src';

/** One import that each boundary refuses. */
const WRONG: readonly (readonly [file: string, imported: string, rule: string])[] = [
  [`${KIT}/pipeline/pipeline.ts`, `${APP}/app.ts`, 'server-is-a-package'],
  [`${CONTRACT}/text/uri.ts`, `${CONTRACT}/2-resolve/document.ts`, 'below-text-of-contract'],
  [`${CONTRACT}/2-resolve/schema.ts`, `${CONTRACT}/4-shape/shape.ts`, 'below-resolve-of-contract'],
  [`${CONTRACT}/4-shape/shape.ts`, `${CONTRACT}/json/exact-json.ts`, 'below-shape-of-contract'],
  [`${CONTRACT}/json/exact-json.ts`, `${KIT}/errors.ts`, 'contract-is-a-package'],
  [`${CONTRACT}/5-messages/operation.ts`, `${CONTRACT}/advice.ts`, 'below-messages-of-contract'],
  [`${CONTRACT}/5-messages/operation.ts`, 'node_modules/express/index.ts', 'the-contract-knows-no-http'],
  [`${KIT}/validate/eov/eov.ts`, `${KIT}/http/write.ts`, 'validate-of-server'],
  [`${KIT}/http/server.ts`, `${KIT}/request/receive-body.ts`, 'http-of-server'],
  [`${KIT}/request/parameters.ts`, `${KIT}/pipeline/pipeline.ts`, 'request-of-server'],
  [`${KIT}/pipeline/serve-contract.ts`, `${KIT}/docs/create-docs.ts`, 'pipeline-of-server'],
  [`${KIT}/pipeline/pipeline.ts`, 'node_modules/express-openapi-validator/index.ts', 'one-folder-knows-the-validator'],
  [`${KIT}/auth/tokens.ts`, `${KIT}/runtime/log.ts`, 'auth-of-server'],
  [`${KIT}/admin/metrics.ts`, `${KIT}/auth/tokens.ts`, 'admin-of-server'],
  [`${KIT}/docs/create-docs.ts`, `${KIT}/runtime/log.ts`, 'docs-of-server'],
  [`${KIT}/runtime/log.ts`, `${KIT}/validate/eov/eov.ts`, 'runtime-of-server'],
  ['examples/nursery/tests/a.test.ts', `${KIT}/runtime/log.ts`, 'the-inside-of-a-package-is-private'],
  ['packages/store/tests/a.test.ts', `${KIT}/runtime/log.ts`, 'tests-of-store-use-public-names'],
  ['packages/tools/tests/a.test.ts', 'packages/server/tests/a.ts', 'tests-of-tools-use-public-names'],
  ['packages/test-support/helpers/a.ts', `${CONTRACT}/text/uri.ts`, 'tests-of-test-support-use-public-names'],
  ['scripts/one.ts', 'scripts/other.ts', 'no-circles'],
  ['packages/conformance/src/suite.ts', `${KIT}/index.ts`, 'conformance-is-a-package'],
  ['packages/tools/src/run-command.ts', `${CONTRACT}/5-messages/operation.ts`, 'tools-is-a-package'],
  ['packages/tools/src/lint/lint-contract.ts', 'packages/tools/src/check/released.ts', 'below-lint-of-tools'],
  ['packages/store/src/open-store.ts', 'packages/test-support/helpers/a.ts', 'store-is-a-package'],
  ['scripts/one.ts', 'proofs/attack/target.ts', 'nothing-rests-on-its-proof'],
];

describe('an import that leads the wrong way fails lint', () => {
  const folder = useFolder();
  let violations: readonly string[];

  beforeAll(async () => {
    const imports = new Map<string, string[]>();
    for (const [file, imported] of [...WRONG, ['scripts/other.ts', 'scripts/one.ts'] as const]) {
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
    const { output } = await cruise(['scripts', 'proofs', 'packages', 'examples'], {
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
});

describe('lint fails when', () => {
  const folder = useFolder();
  const CASES = [
    [
      'the page writes itself',
      `${KIT}/docs/create-docs.ts`,
      `export const a = (res: R) => res.send();`,
      "'res.send' is restricted",
    ],
    [
      'the environment is read elsewhere',
      `${APP}/app.ts`,
      `export const a = process.env;`,
      "'process.env' is restricted",
    ],
    ['the process is ended elsewhere', `${APP}/service.ts`, `process.exit(1);`, "'process.exit' is restricted"],
    [
      'something else writes',
      `${KIT}/pipeline/pipeline.ts`,
      `export const a = (res: R) => res.end();`,
      "'res.end' is restricted",
    ],
    ['something else listens', `${APP}/a.ts`, `export const a = (b: Server) => b.listen(1);`, "'listen' is restricted"],
    ['something writes to the console', `${APP}/b.ts`, `console.log(1);`, 'no-console'],
    ['nothing waits for a promise', 'scripts/a.ts', `fetch('http://localhost');`, 'no-floating-promises'],
    ['a value that may be anything is used', 'packages/store/tests/a.ts', `JSON.parse('1').a();`, 'no-unsafe-call'],
    ['a test expects nothing', 'packages/store/tests/a.test.ts', `test('a', () => {});`, 'expect-expect'],
  ] as const;
  let output: string;

  beforeAll(() => {
    cpSync('.oxlintrc.json', join(folder, '.oxlintrc.json'));
    for (const [, file, text] of CASES) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), `${text}\nexport type R = unknown;\n`);
    }
    const oxlint = resolve('node_modules/.bin/oxlint');
    output = spawnSync(oxlint, ['--format', 'unix'], { cwd: folder, encoding: 'utf8' }).stdout;
  });

  test.each(CASES)('%s', (_, file, _text, reason) => {
    const lines = output.split('\n').filter((line) => line.startsWith(`${file}:`));
    expect(lines).toContainEqual(expect.stringContaining(reason));
  });
});
