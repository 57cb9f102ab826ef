import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import * as prettier from 'prettier';
import ts from 'typescript';
import { makeProjectFiles, type ProjectForm } from '../src/new/project-files';
import { type NewContract, readContract } from '../src/new/read-contract';
import { makeExample } from '../src/new/example';
import { toHandlerFile } from '../src/generate/stubs';
import { useFolder } from '@contract-kit/test-support/use-folder';

// What a contract says is data in a project. Each of its strings has all that means something in some file of a project;
// the syntax of each file has to be that of a contract whose strings are the same words, without any of it.

const folder = useFolder();
const KIT = { packages: [], changelog: '', modules: '' };
const TEMPLATES = 'packages/tools/templates';

const templates = readdirSync(TEMPLATES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
const PLACEHOLDERS = [
  ...new Set(templates.flatMap((text) => text.match(/'?\{\{\w+\}\}'?/g) ?? [])),
  'account: bearer, till: () => undefined',
  "account: 'a-secret', till: 'a-secret'",
];
const HOSTILE = [
  ...PLACEHOLDERS,
  ...['\'"`', '\\', "\\'", '\\u0027\\x22', '${kind}', '/*', '//', '*/', '</script>', '<!--', '-->', '|', '[a](b)'],
  ...[
    "\nimport './handlers';\nimport { a } from './b';\n} from './b';\n",
    '__dirname',
    '\n```\n',
    '\r\n---\r',
    '\t# a',
  ],
  ...[
    '\u2028import { a } from "./b";\u2029',
    '\u001b',
    '$(id)',
    '$&',
    '; id;',
    '%0A',
    ' hasOwnProperty message status',
  ],
].join(' ');
// What the name of a header and a media type may have (RFC 9110, section 5.6.2).
const HOSTILE_TOKEN = "!#$%&'*+-.^_`|~TOKEN${kind}'".replaceAll(/[{}]/g, '');

interface Strings {
  /** A string for a place of the contract, other than those of other places. */
  readonly text: (place: string) => string;
  /** Like `text`, where only a token may be. */
  readonly token: (place: string) => string;
}
const HARMLESS = (text: string): string => text.replaceAll(/\W+/g, '');
const KINDS: Readonly<Record<'hostile' | 'inert', Strings>> = {
  hostile: { text: (place) => `${HOSTILE} ${place}`, token: (place) => HOSTILE_TOKEN + place },
  inert: { text: (place) => HARMLESS(HOSTILE) + place, token: (place) => HARMLESS(HOSTILE_TOKEN) + place },
};

/** A contract with a string at each place where OpenAPI has one. @param hasProblems or else errors of another form */
function contractWith({ text, token }: Strings, hasProblems: boolean): object {
  const schema = (place: string, more: object): object => ({
    ...{ title: text(`${place}Title`), description: text(`${place}Description`), $comment: text(`${place}Comment`) },
    ...more,
  });
  const string = (place: string): object =>
    schema(place, { type: 'string', enum: [text(`${place}A`), text(`${place}B`)], default: text(`${place}A`) });
  const refer = (name: string): object => ({
    $ref: `#/components/schemas/${encodeURIComponent(text(name).replaceAll('/', '~1'))}`,
  });
  const content = (entry: object): object => ({
    [`application/${token('media').replaceAll('*', '')}+json`]: entry,
    'application/json': entry,
  });
  const about = (place: string): object => ({
    ...{ summary: text(`${place}Summary`), description: text(`${place}Description`) },
    externalDocs: { url: 'https://docs.example', description: text(`${place}Docs`) },
    tags: [text('tag')],
  });
  const thing = { [text('b')]: text('bA'), [text('c')]: text('cA') };
  const error = hasProblems ? refer('problem') : refer('error');
  const responses = {
    '200': {
      description: text('done'),
      headers: { [token('Reply')]: { description: text('reply'), required: true, schema: string('reply') } },
      content: content({
        schema: refer('thing'),
        examples: { [text('example')]: { summary: text('it'), value: thing } },
      }),
      links: { [text('link')]: { operationId: 'getA', description: text('link') } },
    },
    default: {
      description: text('failed'),
      headers: hasProblems
        ? {}
        : { [token('Reason')]: { required: true, schema: { type: 'string', const: text('no') } } },
      content: { 'application/json': { schema: error } },
    },
  };
  const security = [{ [text('bearer')]: [text('scope')], [text('key')]: [] }, { [text('basic')]: [] }];
  const path = `/${text('path')}`.replaceAll(/[{}?#%]/g, '');
  return {
    openapi: '3.1.0',
    info: { title: text('title'), version: '1.0.0', summary: text('summary'), description: text('description') },
    servers: [
      { url: 'https://{host}/v1', description: text('server'), variables: { host: { default: text('host') } } },
    ],
    tags: [{ name: text('tag'), description: text('tag') }],
    paths: {
      [`${path}/{id}`]: {
        summary: text('item'),
        parameters: [{ name: 'id', in: 'path', required: true, description: text('id'), schema: string('id') }],
        get: {
          ...about('getA'),
          operationId: 'getA',
          security,
          parameters: [
            { name: text('query'), in: 'query', required: true, description: text('query'), schema: string('query') },
            { name: token('Header'), in: 'header', required: true, schema: string('header'), example: text('headerB') },
            { name: token('cookie'), in: 'cookie', schema: { type: 'string', pattern: text('^').slice(-1) } },
          ],
          responses,
          callbacks: { [text('callback')]: {} },
        },
      },
      [`${path}x`]: {
        post: {
          ...about('postA'),
          operationId: text('post'),
          security: [{ [text('apiKey')]: [] }],
          requestBody: {
            required: true,
            description: text('body'),
            content: content({ schema: refer('thing'), example: thing }),
          },
          responses,
        },
      },
      [`${path}y`]: {
        put: {
          requestBody: { required: true, content: { [`image/${token('png').replaceAll('*', '')}`]: {} } },
          security,
          responses,
        },
      },
    },
    components: {
      schemas: {
        [text('thing')]: schema('thing', {
          type: 'object',
          required: [text('b')],
          properties: { [text('b')]: string('b'), [text('c')]: { ...string('c'), deprecated: true } },
          patternProperties: { '^x-': { const: text('x') } },
          example: thing,
        }),
        [text('error')]: schema('error', {
          type: 'object',
          required: [text('fixed'), text('other')],
          properties: {
            [text('fixed')]: { const: text('fixed') },
            [text('other')]: { type: 'string', enum: [text('otherA'), text('otherB')] },
          },
        }),
        [text('problem')]: schema('problem', {
          type: 'object',
          required: ['title', 'status'],
          properties: { title: { type: 'string' }, status: { type: 'integer' } },
        }),
      },
      securitySchemes: {
        [text('bearer')]: { type: 'http', scheme: 'bearer', description: text('bearer') },
        [text('key')]: { type: 'apiKey', in: 'header', name: token('Key') },
        [text('apiKey')]: { type: 'apiKey', in: 'query', name: text('apiKey') },
        [text('basic')]: { type: 'http', scheme: 'basic' },
      },
    },
  };
}

let count = 0;

async function read(strings: Strings, hasProblems: boolean, isModule: boolean): Promise<NewContract> {
  const file = join(folder, `${String((count += 1))}.yaml`);
  writeFileSync(file, JSON.stringify(contractWith(strings, hasProblems)));
  const contract = await readContract(file, isModule);
  expect(contract.isPartial).toBe(false);
  return contract;
}

/** The syntax of each file of a project, in generated/ too, by path; handlers, which have names of operations, by number. */
async function make(
  strings: Strings,
  hasProblems: boolean,
  form: ProjectForm,
): Promise<Readonly<Record<string, unknown>>> {
  const contract = await read(strings, hasProblems, form.isModule);
  const operations = contract.operations.map(({ id }) => id);
  const files = Object.entries(await makeProjectFiles('project', contract, KIT, form));
  const handlers = operations.map((id) => `src/handlers/${toHandlerFile({ id })}`);
  const generated = Object.entries(contract.generated).map(([name, text]) => [`generated/${name}`, text] as const);
  const syntaxes = [...files, ...generated].map(async ([file, text]) => {
    const index = handlers.indexOf(file);
    return [index === -1 ? file : `handler ${String(index)}`, await syntaxOf(file, text, operations)] as const;
  });
  return Object.fromEntries(await Promise.all(syntaxes));
}

/** The syntax of a file: without comments, literals, and names that may be those of the contract. */
function syntaxOf(file: string, text: string, operations: readonly string[]): unknown {
  if (/\.(?:ts|js|mjs)$/.test(file)) return syntaxOfCode(file, text, operations);
  if (/\.(?:json|yaml)$/.test(file)) return syntaxOfData(loadAll(text));
  if (file === 'README.md') return syntaxOfMarkdown(text);
  return text;
}

function syntaxOfCode(fileName: string, text: string, operations: readonly string[]): readonly string[] {
  const { diagnostics = [] } = ts.transpileModule(text, { reportDiagnostics: true });
  if (diagnostics.length > 0) throw new Error(`${fileName} is not code`);
  const lines: string[] = [];
  visit(ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true), '');
  return lines;

  function visit(node: ts.Node, indent: string): void {
    lines.push(indent + describe(node));
    ts.forEachChild(node, (child) => {
      visit(child, `${indent} `);
    });
  }

  function describe(node: ts.Node): string {
    const { parent, kind } = node as Partial<ts.Node>;
    const isNamed = parent && (ts.isPropertySignature(parent) || ts.isPropertyAssignment(parent));
    // Prettier writes quotes around names that need them.
    if (isNamed && parent.name === node) return 'name';
    if (!ts.isIdentifier(node)) return ts.SyntaxKind[Number(kind)] ?? '';
    const isType =
      parent && (ts.isTypeReferenceNode(parent) || ts.isQualifiedName(parent) || ts.isTypeAliasDeclaration(parent));
    return isType ? 'type' : operations.includes(node.text) ? 'operation' : node.text;
  }
}

/** Data whose texts, except for names of members, count for nothing. */
function syntaxOfData(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data, (_, value: unknown) => (typeof value === 'string' ? '' : value)));
}

async function syntaxOfMarkdown(text: string): Promise<unknown> {
  const { __debug: debug } = prettier as unknown as {
    readonly __debug: { parse: (text: string, options: object) => Promise<{ ast: object }> };
  };
  const { ast } = await debug.parse(text, { parser: 'markdown' });
  return JSON.parse(
    JSON.stringify(ast, (key, value: unknown) => (['value', 'position'].includes(key) ? undefined : value)),
  );
}

test.each([
  { isModule: false, hasStore: false, hasProblems: false },
  { isModule: false, hasStore: true, hasProblems: true },
  { isModule: true, hasStore: false, hasProblems: true },
  { isModule: true, hasStore: true, hasProblems: false },
])('each file of a project has the same syntax whatever the contract says: %j', async ({ hasProblems, ...form }) => {
  const [hostile, inert] = [await make(KINDS.hostile, hasProblems, form), await make(KINDS.inert, hasProblems, form)];
  // There is no test of a handler whose request `fetch` would change.
  for (const file of Object.keys(inert)) if (file.startsWith('tests/handlers/')) Reflect.deleteProperty(inert, file);
  expect(Object.keys(hostile)).toEqual(Object.keys(inert));
  expect(Object.keys(hostile)).toContain(hasProblems ? 'tests/accepted-gaps.yaml' : 'src/render-error.ts');
  for (const [file, syntax] of Object.entries(inert)) expect([file, hostile[file]]).toEqual([file, syntax]);
});

test.each(['bearer', 'key', 'apiKey'])(
  'the curl line of a project has the same words for a shell, with %s',
  async (scheme) => {
    const [hostile, inert] = await Promise.all(
      [KINDS.hostile, KINDS.inert].map(async (strings) => {
        const contract = await read(strings, true, false);
        const { path, options, credentials = '' } = makeExample(contract, strings.text(scheme));
        const line = `printf '%s\\0' ${path} ${credentials} ${options}`;
        const { stdout, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
        return { stderr, words: stdout.split('\0').filter((word) => word !== '-g').length };
      }),
    );
    expect(hostile).toEqual(inert);
    expect(hostile?.stderr).toBe('');
  },
);
