// Creates a new project's files from packages/tools/templates/.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { dump } from 'js-yaml';
import { format } from 'prettier';
import type { DeclaredReply, Operation } from '@contract-kit/contract';
import { toLiteral, toMarkdown, toMembers, toRequestText } from '../generate/contract-text';
import { makeTable } from '../generate/handler-table';
import { toModule } from '../generate/package-type';
import { createStub, toHandlerFile } from '../generate/stubs';
import { makeExample, makeExampleTest } from './example';
import { KIT_REPOSITORY, readKitFile, type Kit } from './kit';
import type { NewContract } from './read-contract';

const TEMPLATES = join(KIT_REPOSITORY, 'packages/tools/templates');
// Files that only let the compiler check the templates.
const STAND_INS_FOLDER = 'stand-ins/';
// Files for a project with a store. They replace files of the same name.
const STORE_FOLDER = 'store/';
// Matches parts of files that only a project with a store has.
const STORE_PART = /^ *(?:#|\/\/) if store\n([^]*?)^ *(?:#|\/\/) end\n/gm;
// Matches `my-service`, which stands for the name of a project's processes, images and metrics in templates and their file names.
const SERVICE_NAME = /my-service/g;

/** Creates a project's files, keyed by path, except the contract, generated/, vendor/ and package-lock.json. */
export async function makeProjectFiles(
  name: string,
  contract: NewContract,
  kit: Kit,
  form: ProjectForm = { isModule: false, hasStore: false },
): Promise<Readonly<Record<string, string>>> {
  const files = readTemplates(form, toServiceName(name));
  const { title, operations, errorSamples } = contract;
  const { code: renderError } = errorSamples;
  const schemes = listSchemes(operations);
  const tokenScheme = chooseTokenScheme(schemes);
  // Basic credentials are a user name and a password.
  const secrets = schemes.map(
    ({ name: scheme, challenge }, index) =>
      [scheme, `${challenge === 'Basic' ? 'tests:' : ''}a-secret-for-the-tests-${String(index + 1)}`] as const,
  );
  const { purpose, path, options, credentials } = makeExample(contract, tokenScheme?.name);
  const service = String(files['src/service.ts']);
  // Templates must compile, so they contain code for a sample contract with the schemes `account` and `till`. Lines that name
  // renderError are left out if a service does not need it. Prettier formats these files, since the contract's names may be long.
  const unformattedFiles = {
    'README.md': fillTemplate(files['README.md'], readmeValues(contract, form)),
    'src/service.ts': fillTemplate(renderError === undefined ? service.replace(/^.*renderError.*\n/gm, '') : service, {
      "'{{title}}'": toLiteral(title),
      "'{{purpose}}'": toLiteral(purpose),
      "'{{path}}'": toLiteral(path),
      "'{{options}}'": `${toLiteral(options)}${credentials === undefined ? '' : `, credentials: ${toLiteral(credentials)}`}`,
      // All schemes but tokenScheme accept nobody until the team writes their verifiers.
      'account: bearer, till: () => undefined': toMembers(
        schemes.map((scheme) => [scheme.name, scheme === tokenScheme ? 'bearer' : '() => undefined']),
      ),
    }),
    ...(renderError !== undefined && { 'src/render-error.ts': renderError }),
    'tests/start-service.ts': fillTemplate(files['tests/start-service.ts'], {
      "account: 'a-secret', till: 'a-secret'": toMembers(
        secrets.map(([scheme, secret]) => [scheme, toLiteral(secret)]),
      ),
    }),
    ...makeExampleTest(contract, Object.fromEntries(secrets)),
    'src/handlers/index.ts': makeTable(
      operations.map(({ id }) => id),
      form.hasStore,
    ),
  };
  const formattedFiles = Object.entries(unformattedFiles).map(
    async ([file, text]) => [file, await format(text, { filepath: file, singleQuote: true, printWidth: 120 })] as const,
  );
  const stubs = operations.map(async (operation) => {
    const file = `src/handlers/${toHandlerFile(operation)}`;
    return [file, await createStub(operation, file)] as const;
  });
  const gaps = contract.untried.map(({ request, reason }) => ({
    pattern: `${request} **`,
    reason: `The conformance suite cannot make a valid request, because it makes no cases for ${reason}.`,
  }));
  const [rules, dashboard] = ['deploy/alert-rules.yaml', 'deploy/grafana-dashboard.json'] as const;
  const streamExclusions = listStreams(operations).map((id) => `,operation!=${JSON.stringify(id)}`);
  const escapedExclusions = JSON.stringify(streamExclusions.join('')).slice(1, -1);
  const projectFiles = {
    ...files,
    [rules]: fillTemplate(files[rules], { 'status!~"4.."': ['status!~"4.."', ...streamExclusions].join('') }),
    [dashboard]: fillTemplate(files[dashboard], { 'status!~\\"4..\\"': `status!~\\"4..\\"${escapedExclusions}` }),
    ...Object.fromEntries(await Promise.all([...formattedFiles, ...stubs])),
    ...(gaps.length > 0 && { 'tests/accepted-gaps.yaml': dump(gaps, { lineWidth: -1 }) }),
    'package.json': `${JSON.stringify(makeManifest(name, contract, kit, form), null, 2)}\n`,
  };
  if (!form.isModule) return projectFiles;
  return Object.fromEntries(
    Object.entries(projectFiles).map(([file, text]) => [file, file.endsWith('.ts') ? toModule(text) : text]),
  );
}

/** Lists operations that reply with a stream. Their requests take long without being slow. */
function listStreams(operations: readonly Operation[]): string[] {
  const isStream = ({ media }: DeclaredReply): boolean =>
    [...media].some(([type, { item }]) => item !== undefined || type === 'text/event-stream');
  return operations.filter(({ replies }) => [...replies.values()].some(isStream)).map(({ id }) => id);
}

/** Converts a package name to a name that DNS, systemd and Linux users allow. */
function toServiceName(name: string): string {
  const words = name.replace(/^@.*\//, '').match(/[a-z0-9]+/g) ?? [];
  const label = words.join('-').replace(/^(?![a-z])/, 'service-');
  return label.slice(0, 31).replace(/-$/, '');
}

function readTemplates({ isModule, hasStore }: ProjectForm, serviceName: string): Record<string, string> {
  const entries = readdirSync(TEMPLATES, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => relative(TEMPLATES, join(parentPath, name)).split(sep).join('/'));
  const [storePaths, basicPaths] = [true, false].map((isForStore) =>
    paths.filter((path) => !path.startsWith(STAND_INS_FOLDER) && path.startsWith(STORE_FOLDER) === isForStore),
  ) as [string[], string[]];
  // `.template` in the name of a configuration file stops it from applying to the templates.
  const toPath = (path: string): string =>
    path.replace('.template.', '.').replace(STORE_FOLDER, '').replace(SERVICE_NAME, serviceName);
  const templates = [...basicPaths, ...(hasStore ? storePaths : [])].map((path) => [
    toPath(path),
    readFileSync(join(TEMPLATES, path), 'utf8')
      .replace(STORE_PART, hasStore ? '$1' : '')
      .replace(SERVICE_NAME, serviceName),
  ]);
  const files = Object.fromEntries(templates) as Record<string, string>;
  const main = String(files['src/main.ts']);
  return isModule ? { ...files, 'src/main.ts': main.replace('__dirname', 'import.meta.dirname') } : files;
}

/**
 * Replaces placeholders in a template with values, which are not searched again, since they can contain text from the contract.
 *
 * @throws Error if the template does not contain a placeholder
 */
function fillTemplate(template = '', values: Readonly<Record<string, string>>): string {
  const missingText = Object.keys(values).find((text) => !template.includes(text));
  if (missingText !== undefined) throw new Error(`a template does not contain ${missingText}`);
  return fillPart(template, Object.entries(values));
}

function fillPart(text: string, [first, ...rest]: readonly (readonly [from: string, to: string])[]): string {
  if (!first) return text;
  const [from, to] = first;
  return text
    .split(from)
    .map((part) => fillPart(part, rest))
    .join(to);
}

function readmeValues(
  { title, description, operations }: NewContract,
  { isModule, hasStore }: ProjectForm,
): Record<string, string> {
  const rows = operations.map(
    ({ id, method, path }) =>
      `| \`${id}\` | \`${method} ${toRequestText(path)}\` | \`src/handlers/${toHandlerFile({ id })}\` |`,
  );
  return {
    '{{title}}': toMarkdown(title),
    '{{description}}': toMarkdown(description),
    '{{operations}}': ['| operation | request | handler |', '| --- | --- | --- |', ...rows].join('\n'),
    '{{settings}}': readSection('packages/server/README.md', 'Settings'),
    '{{tokens}}': readSection('docs/tokens.md', 'Accepted tokens'),
    '{{health}}': ['Health', 'Stop it'].map((heading) => readSection('docs/operating.md', heading)).join('\n\n'),
    '{{modules}}': isModule ? " The project uses ES modules, so tests import `jest` from '@jest/globals'." : '',
    '{{store}}': hasStore ? WITH_STORE_TEXT : WITHOUT_STORE_TEXT,
    '{{volume}}': hasStore ? ' --volume data:/data' : '',
  };
}

// Removes the links to other pages, which a project does not have.
function readSection(file: string, heading: string): string {
  const [, section = ''] = readKitFile(file).split(`\n## ${heading}\n`);
  return section.replace(/\n## [^]*/, '').replace(/\[([^\]]*)\]\((?!https:|#)[^)]*\)/g, '$1');
}

interface Scheme {
  readonly name: string;
  /** ApiKey, or the HTTP authentication scheme, such as Bearer. */
  readonly challenge: string;
}

/** Lists the schemes that accept nobody until the team writes their verifiers. */
export function listUnwrittenSchemes(operations: readonly Operation[]): string[] {
  const schemes = listSchemes(operations);
  return schemes.filter((scheme) => scheme !== chooseTokenScheme(schemes)).map(({ name }) => name);
}

function listSchemes(operations: readonly Operation[]): Scheme[] {
  const requirements = operations.flatMap(({ security }) => security.flat());
  const challenges = new Map(requirements.map(({ scheme, challenge }) => [scheme, challenge]));
  return [...challenges].map(([name, challenge]) => ({ name, challenge }));
}

// Chooses the only scheme that accepts the tokens from the settings. It cannot be Basic, which needs a name and a password.
function chooseTokenScheme(schemes: readonly Scheme[]): Scheme | undefined {
  return (
    schemes.find(({ challenge }) => challenge === 'Bearer') ?? schemes.find(({ challenge }) => challenge === 'ApiKey')
  );
}

const WITH_STORE_TEXT =
  '`src/store.ts` defines the tables of the store. `DATABASE_URL` says where the store is: `file:data/store.db` by default, or\n' +
  '`postgres://...`. The README of `@contract-kit/store` shows how to use it.';
const WITHOUT_STORE_TEXT =
  'For a store in SQLite or PostgreSQL, run `npm install ./vendor/contract-kit-store-*.tgz`; its README shows how to use it.';

const DEV_TOOLS = [
  '@types/express',
  '@types/jest',
  '@types/node',
  'jest',
  'node',
  'oxlint',
  'oxlint-tsgolint',
  'prettier',
  'ts-jest',
  'ts-node',
  'typescript',
];

// Jest's options for ES modules (https://kulshekhar.github.io/ts-jest/docs/guides/esm-support).
const ESM_JEST_OPTIONS = {
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '\\.ts$': ['ts-jest', { useESM: true }] },
};

/** The options of a project. By default, it is CommonJS, and its handlers have no store. */
export interface ProjectForm {
  readonly isModule: boolean;
  readonly hasStore: boolean;
}

/** The option in a project's scripts that leaves out operations with errors. */
const KEEP_GOING = '--keep-going';

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly dependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

/** Creates a project's package.json, with the versions that the kit is tested with. */
function makeManifest(
  name: string,
  { title, version, isPartial }: Pick<NewContract, 'title' | 'version' | 'isPartial'>,
  { packages }: Kit,
  { isModule, hasStore }: ProjectForm,
): Manifest {
  const { devDependencies: testedVersions = {} } = JSON.parse(readKitFile('package.json')) as Manifest;
  const template = JSON.parse(readKitFile('packages/tools/templates/package.json')) as Manifest &
    Record<'jest' | 'scripts', object>;
  // A project must also install the peer dependencies of the kit's packages.
  const dependenciesFor = (kitPackage: string): Versions => {
    const packedPackage = packages.find(({ name }) => name === `@contract-kit/${kitPackage}`);
    return packedPackage ? { ...packedPackage.peers, [packedPackage.name]: packedPackage.specifier } : {};
  };
  const dependencies = {
    ...dependenciesFor('contract'),
    ...dependenciesFor('server'),
    ...(hasStore && dependenciesFor('store')),
  };
  // ts-node does not support ES modules in this version of Node, which can run them itself.
  const scripts = isModule ? withoutTsNode(template.scripts) : template.scripts;
  const toolVersions = Object.fromEntries(
    DEV_TOOLS.filter((tool) => !(isModule && tool === 'ts-node')).map((tool) => [tool, String(testedVersions[tool])]),
  );
  const tools = Object.entries({ ...dependenciesFor('tools'), ...dependenciesFor('conformance'), ...toolVersions });
  return {
    ...template,
    name,
    version,
    scripts: isPartial ? addKeepGoingFlag(scripts) : scripts,
    description: `${title}: ${String(template['description'])}`,
    ...(isModule && { type: 'module', jest: { ...template.jest, ...ESM_JEST_OPTIONS } }),
    dependencies: sortVersions(Object.entries(dependencies)),
    devDependencies: sortVersions(tools.filter(([tool]) => !(tool in dependencies))),
  };
}

function withoutTsNode(scripts: object): Versions {
  const text = JSON.stringify(scripts).replaceAll(' --require ts-node/register/transpile-only', '');
  return JSON.parse(text) as Versions;
}

// The team can see the option in the scripts, and remove it.
function addKeepGoingFlag(scripts: object): Versions {
  const texts = Object.entries(scripts as Versions);
  const command = /contract-kit (?:check|dev)\b|scripts\/generate\.ts/g;
  return Object.fromEntries(texts.map(([name, text]) => [name, text.replace(command, `$& ${KEEP_GOING}`)]));
}

function sortVersions(versions: readonly [string, string][]): Versions {
  return Object.fromEntries(versions.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
