// The files of a new project, made of packages/tools/templates/.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { format } from 'prettier';
import type { Operation } from '@contract-kit/server/contract';
import { createStub, toHandlerFile } from '../generate/stubs';
import { makeExample } from './example';
import { KIT_REPOSITORY, readKitFile, toSpecifier, type Kit } from './kit';
import type { NewContract } from './read-contract';
import { makeRenderError } from './render-error';

const TEMPLATES = join(KIT_REPOSITORY, 'packages/tools/templates');
// With these, the compiler checks the templates.
const STAND_INS = 'stand-ins/';
// Copied from this repository.
const COPIED = ['.npmrc', 'src/main.ts', 'src/app.ts'];
const DEV_TOOLS = [
  ...['@types/express', '@types/jest', '@types/node', 'eslint', 'jest', 'node', 'prettier', 'ts-jest', 'typescript'],
  'typescript-eslint',
];

/** Versions, or specifiers, by the name of the package. */
export type Versions = Readonly<Record<string, string>>;

/** A package.json, as far as this package reads it. */
export interface Manifest {
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly [key: string]: unknown;
}

/** Makes all files of a project, by path, except its contract, generated/, vendor/ and package-lock.json. */
export async function makeProjectFiles(
  name: string,
  contract: NewContract,
  kit: Kit,
): Promise<Readonly<Record<string, string>>> {
  const files = readTemplates();
  const { title, operations } = contract;
  const schemes = listSchemes(operations);
  const tokenScheme = chooseTokenScheme(schemes);
  const { purpose, path, options } = makeExample(contract, tokenScheme?.name);
  const renderError = makeRenderError(contract);
  const service = String(files['src/service.ts']);
  // Templates compile, so they have sample code where the contract's stands later: `account` and `till` are the schemes of the
  // sample contract in stand-ins/. Without a renderer of its own, a service has no line that names renderError. Prettier formats
  // these files, since lines with names of the contract may be long.
  const unformatted = {
    'README.md': fill(files['README.md'], readmeValues(contract)),
    'src/service.ts': fill(renderError === undefined ? service.replace(/^.*renderError.*\n/gm, '') : service, {
      "'{{title}}'": JSON.stringify(title),
      "'{{purpose}}'": JSON.stringify(purpose),
      "'{{path}}'": JSON.stringify(path),
      "'{{options}}'": JSON.stringify(options),
      // The team decides whose credentials the other schemes accept; until then nobody's.
      'account: bearer, till: () => undefined': schemes
        .map((scheme) => `${JSON.stringify(scheme.name)}: ${scheme === tokenScheme ? 'bearer' : '() => undefined'}`)
        .join(),
    }),
    ...(renderError !== undefined && { 'src/render-error.ts': renderError.code }),
    'tests/conformance.test.ts': fill(files['tests/conformance.test.ts'], {
      // The credentials of Basic are a user's name and a password.
      "account: 'a-secret', till: 'a-secret'": schemes
        .map(
          ({ name, challenge }, index) =>
            `${JSON.stringify(name)}: '${challenge === 'Basic' ? 'tests:' : ''}a-secret-for-the-tests-${String(index + 1)}'`,
        )
        .join(),
    }),
    'src/handlers/index.ts': makeTable(operations),
  };
  const formatted = Object.entries(unformatted).map(
    async ([file, text]) => [file, await format(text, { filepath: file, singleQuote: true, printWidth: 120 })] as const,
  );
  const stubs = operations.map(async (operation) => {
    const file = `src/handlers/${toHandlerFile(operation)}`;
    return [file, await createStub(operation, file)] as const;
  });
  return {
    ...files,
    ...Object.fromEntries(await Promise.all([...formatted, ...stubs])),
    ...Object.fromEntries(COPIED.map((file) => [file, readKitFile(file)])),
    'package.json': `${JSON.stringify(makePackage(name, contract, kit, String(files['package.json'])), null, 2)}\n`,
  };
}

function readTemplates(): Record<string, string> {
  const entries = readdirSync(TEMPLATES, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => relative(TEMPLATES, join(parentPath, name)).split(sep).join('/'));
  const wanted = paths.filter((path) => !path.startsWith(STAND_INS));
  // By its own name, a configuration would count for the templates, too.
  return Object.fromEntries(
    wanted.map((path) => [path.replace('.template.', '.'), readFileSync(join(TEMPLATES, path), 'utf8')]),
  );
}

/** Replaces texts of a template by others. @throws Error when the template does not have one of them */
function fill(template: string | undefined, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`a template lacks ${from}`);
    return text.replaceAll(from, () => to);
  }, String(template));
}

function readmeValues({ title, description, operations }: NewContract): Record<string, string> {
  const rows = operations.map(
    ({ id, method, path }) => `| \`${id}\` | \`${method} ${path}\` | \`src/handlers/${toHandlerFile({ id })}\` |`,
  );
  return {
    '{{title}}': title,
    '{{description}}': description,
    '{{operations}}': ['| operation | request | handler |', '| --- | --- | --- |', ...rows].join('\n'),
    '{{settings}}': readSection('packages/server/README.md', 'Settings'),
    '{{tokens}}': readSection('docs/tokens.md', 'Accepted tokens'),
  };
}

function readSection(file: string, heading: string): string {
  const [, section = ''] = readKitFile(file).split(`\n## ${heading}\n`);
  return section.split('\n## ', 1).join('').trim();
}

interface Scheme {
  readonly name: string;
  readonly challenge: 'Bearer' | 'Basic' | 'ApiKey';
}

/** The security schemes that operations ask for. */
function listSchemes(operations: readonly Operation[]): Scheme[] {
  const used = operations.flatMap(({ security }) => security.flat());
  const challenges = new Map(used.map(({ scheme, challenge }) => [scheme, challenge]));
  return [...challenges].map(([name, challenge]) => ({ name, challenge }));
}

// The tokens of the settings are accepted for one scheme only. Basic takes a name and a password.
function chooseTokenScheme(schemes: readonly Scheme[]): Scheme | undefined {
  return (
    schemes.find(({ challenge }) => challenge === 'Bearer') ?? schemes.find(({ challenge }) => challenge === 'ApiKey')
  );
}

function makeTable(operations: NewContract['operations']): string {
  const imports = operations.map(
    ({ id }) => `import { ${id} } from './${toHandlerFile({ id }).replace(/\.ts$/, '')}';\n`,
  );
  return `import type { Handlers } from '../../generated/handlers';
${imports.join('')}
/** The table of handlers. It does not compile when an operation of the contract is missing, or is one too many. */
export const handlers: Handlers = {
${operations.map(({ id }) => `  ${id},\n`).join('')}};
`;
}

/** The versions are those that the kit is tested with, of this repository. */
function makePackage(
  name: string,
  { title, version }: Pick<NewContract, 'title' | 'version'>,
  { packages }: Kit,
  template: string,
): Manifest {
  const { devDependencies: testedVersions = {} } = JSON.parse(readKitFile('package.json')) as Manifest;
  const made = JSON.parse(template) as Manifest;
  // A package of the kit, and its peer dependencies, which it needs the project to install.
  const dependenciesFor = (kitPackage: string): Versions => {
    const found = packages.find((one) => one.name === `@contract-kit/${kitPackage}`);
    return found ? { ...found.peers, [found.name]: toSpecifier(found) } : {};
  };
  const dependencies = dependenciesFor('server');
  const tested = Object.fromEntries(DEV_TOOLS.map((tool) => [tool, String(testedVersions[tool])]));
  const tools = Object.entries({ ...dependenciesFor('tools'), ...dependenciesFor('conformance'), ...tested });
  return {
    ...made,
    name,
    version,
    description: `${title}: ${String(made['description'])}`,
    dependencies: sort(Object.entries(dependencies)),
    devDependencies: sort(tools.filter(([tool]) => !(tool in dependencies))),
  };
}

function sort(versions: readonly [string, string][]): Versions {
  return Object.fromEntries(versions.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
