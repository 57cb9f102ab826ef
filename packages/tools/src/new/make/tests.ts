// The tests of a new project.
import type { NewContract } from '../read-contract';
import { listSchemes, toKey } from './service';

// For a contract with scopes: credentials that have all of them, and others that have none.
const SCOPED_CREDENTIALS = `const SCHEMES = Object.keys(SECRETS);
const withoutScopes = (scheme: string): string => \`\${String(SECRETS[scheme])}-without-scopes\`;
/** What the service accepts: credentials that are granted all scopes, and others that are granted none. */
const ACCEPTED = Object.fromEntries(
  SCHEMES.map((scheme) => [scheme, { [String(SECRETS[scheme])]: '*' as const, [withoutScopes(scheme)]: [] }]),
);
/** What the suite sends. */
const SENT = {
  ...SECRETS,
  ...Object.fromEntries(SCHEMES.map((scheme) => [unscopedNameOf(scheme), withoutScopes(scheme)])),
};

`;

// Constants that the team may adjust.
const SETTINGS = `/** Headers that middleware of src/app.ts adds to replies, and openapi.yaml does not list. */
const HEADERS: readonly string[] = [];

/** What openapi.yaml declares, and no case can bring about. */
const ACCEPTED_GAPS = 'tests/accepted-gaps.yaml';

// What standards say; 'strict' has house rules, too.
const LEVEL = 'contract';

`;

// A test for each operation, and one for what the contract declares and no reply has shown.
const TESTS = `afterAll(async () => {
  // Where it did not start, each test has the reason.
  if (!started) return;
  await started[Symbol.asyncDispose]();
  const { unbuilt = new Set() } = target;
  process.stdout.write(\`\\n\${String(results.length)} cases. \${describeUnbuilt(suite, unbuilt)}\\n\`);
});

test.each(suite.model.operations)('$method $path', ({ id }) => {
  const text = describeOperation(results, id, target);
  // An error rather than an expectation, so that nothing else is printed.
  if (text !== undefined) throw new Error(text);
});

test(\`all that openapi.yaml declares is produced, or in \${ACCEPTED_GAPS}\`, () => {
  const isAccepting = process.env['ACCEPT_GAPS'] === '1';
  const gaps = checkGaps(suite, { file: ACCEPTED_GAPS, isAccepting, unbuilt: target.unbuilt });
  const hint = \`Build what they need, or write a test of its own for each; then ACCEPT_GAPS=1 npm test writes \${ACCEPTED_GAPS}.\`;
  if (gaps.groups.length > 0) throw new Error(\`\${describeGaps(gaps)}\\n\${hint}\`);
  process.stdout.write(\`\\n\${describeGaps(gaps)}\\n\`);
});
`;

/** tests/conformance.test.ts sends the service requests that are made of its contract, and judges each reply by it. */
export function makeConformanceTest({ operations }: Pick<NewContract, 'operations'>): string {
  // A line for each security scheme. The credentials of Basic are `name:password`, all others are a token.
  const secrets = listSchemes(operations).map(
    ({ name, isBasic }, index) =>
      `  ${toKey(name)}: '${isBasic ? 'tests:' : ''}a-secret-for-the-tests-${String(index + 1)}',\n`,
  );
  const hasScopes = operations.some(({ security }) => security.flat().some(({ scopes }) => scopes.length > 0));
  return `${writeImports(hasScopes)}
/** What counts in the tests, by security scheme. */
const SECRETS: Readonly<Record<string, string>> = {
${secrets.join('')}};

${hasScopes ? SCOPED_CREDENTIALS : ''}${SETTINGS}${writeSetup(hasScopes)}${TESTS}`;
}

function writeImports(hasScopes: boolean): string {
  return `import { readFileSync } from 'node:fs';
import {
  checkGaps,
  createSuite,
  describeGaps,
  describeOperation,
  describeUnbuilt,
  findUnbuilt,
  runSuite,${hasScopes ? '\n  unscopedNameOf,' : ''}
  type CaseResult,
  type Target,
} from '@contract-kit/conformance';
import { startService, type StartedService } from '@contract-kit/server/testing';
import { errors, file, sha256 } from '../generated/contract';
import { service } from '../src/service';
`;
}

// With scopes, it sends credentials without them, too, to see that the service refuses them.
function writeSetup(hasScopes: boolean): string {
  const [accepted, sent] = hasScopes ? ['ACCEPTED', 'SENT'] : ['SECRETS', 'SECRETS'];
  const unscopedOption = hasScopes ? ', hasUnscoped: () => true' : '';
  return `const suite = createSuite(readFileSync(file, 'utf8'), { bodyLimit: 1024 ** 2, mark: 'made-by-the-suite', level: LEVEL, headers: HEADERS${unscopedOption} });
const results: CaseResult[] = [];
let started: StartedService | undefined;
let target: Target;

beforeAll(async () => {
  started = await startService(service, { file, sha256, errors }, ${accepted});
  const whole = { base: started.base, situations: started.situations, secrets: ${sent}, timeout: 10_000 };
  target = { ...whole, unbuilt: await findUnbuilt(suite, whole) };
  const random = { seed: 1, runs: 100, isMarked: false };
  const options = { random, isWanted: () => true, workers: 4 };
  for await (const result of runSuite(suite, target, options)) results.push(result);
}, 600_000);

`;
}
