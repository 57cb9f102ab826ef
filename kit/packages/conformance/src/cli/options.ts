import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { ALL_CLASSES, isHarmless, mayBeValid, type CaseKind } from '../generators/case';
import { DEFAULT_MAX_CASES } from '../generators/derive-cases';
import { LEVELS, type Level } from '../contract/standards';
import type { Operation } from '../contract/model';
import { readArguments, UsageError } from '../terminal';
import { isJsonObject, toText } from '../wire/json';
import type { Header } from '../wire/request';

export const USAGE = `conformance --url URL [options]
  --config FILE         a YAML file of these options by their names (default: conformance.yaml if it exists); the command line comes after it
  --url URL             the address of the service; its path is put before every path of the contract; if it is the path of the contract's first server, the servers of operations count too
  --token-env NAME      the environment variable with the token, or SCHEME=NAME for one of several security schemes; may be repeated
  --unscoped-token-env NAME  the variable with a token that has no scopes, to test that the server requires them
  --other-token-env NAME  the variable with another caller's token, to test that the server protects the first caller's resources where the contract declares 403
  --contract FILE       the contract, as one document (default: generated/openapi.yaml if it exists, or else openapi.yaml)
  --level LEVEL         how strictly to judge (default: contract): contract checks what the standards require; robust adds what they recommend, malformed messages, and common expectations
  --verbose             show every cause with its whole request and reply, instead of at most five
  --junit FILE          also write the results as JUnit XML
  --markdown FILE       also write the causes as Markdown, for the summary of a job or a pull request
  --coverage FILE       fail if no case produced a declared part of the contract that FILE does not accept
  --accept              write the uncovered parts to the FILE of --coverage, with reasons to fill in, and the findings to the FILE of --baseline
  --header 'NAME: VALUE'  send this header with each request, for example for a gateway; may be repeated
  --baseline FILE       do not fail for the findings that FILE lists
  --workers N           how many cases to send at the same time (default: 4)
  --rate N              how many requests to send a second at most
  --restart COMMAND     how to start the server again after it has ended: the requests under way are then sent one by one
  --tag TEXT            the text that marks created data (default: conformance)
  --fixtures FILE       values that cannot be derived from the contract; the README has an example
  --timeout MS          how long to wait for a response (default: 10000)
  --destructive         send all valid PUT, PATCH, DELETE and additional requests: to resources that the run created, and to paths without parameters; without it, only a few to what the run created
  --max-cases N         how many cases to derive (default: ${String(DEFAULT_MAX_CASES)}): each rule of each operation comes first once, and deeply nested parts of a body come last
  --exclude-operation ID  send nothing to this operation; may be repeated
  --operation ID, --path PATH  test only this operation, and those of this path as it is in the contract; may be repeated
  --only CLASS,...      send only cases of these classes
  --skip CLASS,...      do not send cases of these classes
  --help                print this text
Classes of cases: ${ALL_CLASSES.join(', ')}`;

export type Options = NonNullable<ReturnType<typeof readOptions>>;

// The default contract is the first of these that exists. The kit bundles a multi-file contract into `generated`.
const DEFAULT_CONTRACTS = ['generated/openapi.yaml', 'openapi.yaml'];

/**
 * @returns undefined for --help
 * @throws UsageError if an option is missing or invalid
 */
export function readOptions(args: readonly string[]) {
  const config = readArguments(USAGE, args).text('config') ?? (existsSync(DEFAULT_CONFIG) ? DEFAULT_CONFIG : undefined);
  const { has, list, text, positionals } = readArguments(USAGE, [
    ...(config === undefined ? [] : loadConfig(config)),
    ...args,
  ]);
  if (has('help')) return undefined;
  if (positionals.length > 0) throw new UsageError(`unexpected argument: ${positionals.join(' ')}`);
  const url = readUrl(text('url'));
  const onlyClasses = readClasses('only', text('only'));
  const skippedClasses = readClasses('skip', text('skip'));
  const [operations, paths, excludedIds] = [list('operation'), list('path'), list('exclude-operation')];
  const isChosen = ({ id, path }: Operation): boolean => operations.includes(id) || paths.includes(path);
  const isExcluded = ({ id }: Operation): boolean => excludedIds.includes(id);
  const choosesOperations = operations.length + paths.length > 0;
  const sendsAllCases = onlyClasses.length === 0 && skippedClasses.length === 0 && !choosesOperations;
  if (has('accept') && text('coverage') === undefined && text('baseline') === undefined)
    throw new UsageError('--accept needs --coverage FILE or --baseline FILE');
  if (text('coverage') !== undefined && !sendsAllCases) {
    throw new UsageError(
      '--coverage needs all cases, so it cannot be combined with --only, --skip, --operation or --path',
    );
  }
  return {
    url,
    // Environment variables with credentials, keyed by security scheme. The key '' is for schemes without an entry.
    variables: readVariables(list('token-env')),
    variablesWithoutScopes: readVariables(list('unscoped-token-env')),
    variablesOfOther: readVariables(list('other-token-env')),
    headers: list('header').map(readHeader),
    baseline: text('baseline'),
    contract: text('contract') ?? DEFAULT_CONTRACTS.find((file) => existsSync(file)) ?? 'openapi.yaml',
    level: readLevel(text('level') ?? 'contract'),
    isVerbose: has('verbose'),
    junit: text('junit'),
    markdown: text('markdown'),
    coverage: text('coverage'),
    isAccepting: has('accept'),
    sendsAllCases,
    workers: readCount('workers', text('workers') ?? '4'),
    fixtures: text('fixtures'),
    tag: text('tag') ?? 'conformance',
    timeout: readCount('timeout', text('timeout') ?? '10000'),
    operations: [...operations, ...excludedIds],
    paths,
    rate: text('rate') === undefined ? undefined : readCount('rate', String(text('rate'))),
    restart: text('restart'),
    isTried: (operation: Operation) => !isExcluded(operation) && (!choosesOperations || isChosen(operation)),
    maxCases: readCount('max-cases', text('max-cases') ?? String(DEFAULT_MAX_CASES)),
    isWanted: (kind: CaseKind) =>
      !isExcluded(kind.operation) &&
      (!choosesOperations || isChosen(kind.operation) || mayFindIds(kind)) &&
      (onlyClasses.length === 0 || onlyClasses.includes(kind.class) || kind.class === 'control') &&
      !skippedClasses.includes(kind.expect === 'no credentials' ? 'auth' : kind.class) &&
      (isHarmless(kind.operation) || !mayBeValid(kind) || mayChange(kind, has('destructive'))),
  };
}

// Whether a request may find ids that the chosen operations need, even if its own operation is not chosen.
function mayFindIds({ class: name, operation }: CaseKind): boolean {
  return name === 'control' && operation.method === 'GET';
}

// An id in a path may belong to someone else's data, so only resources that this run created are changed; without
// --destructive, only by controls and by requests that should not succeed.
function mayChange({ class: name, expect, isOnCreatedResource, operation }: CaseKind, isDestructive: boolean): boolean {
  const isControlOrRefusal = name === 'control' || !['accepted', 'answered'].includes(expect);
  return operation.path.includes('{')
    ? isOnCreatedResource === true && (isDestructive || isControlOrRefusal)
    : isDestructive;
}

const DEFAULT_CONFIG = 'conformance.yaml';

// Turns a file such as `{ url: 'http://a', token-env: { bearerAuth: TOKEN }, destructive: true }` into arguments.
function loadConfig(file: string): string[] {
  const root: unknown = parse(readFileSync(file, 'utf8'));
  if (!isJsonObject(root)) throw new UsageError(`${file} must be an object with the names of options`);
  return Object.entries(root).flatMap(([name, value]) => {
    if (typeof value === 'boolean') return value ? [`--${name}`] : [];
    const entries = isJsonObject(value)
      ? Object.entries(value).map(([key, text]) => `${key}=${toText(text)}`)
      : [value];
    return entries.flat().map((entry) => `--${name}=${toText(entry)}`);
  });
}

function readUrl(text: string | undefined): URL {
  const url = text === undefined ? null : URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.username !== '') {
    throw new UsageError('--url must be the http or https address of the service, without a query or credentials');
  }
  return url;
}

// `SCHEME=NAME` names the variable of one security scheme. `NAME` alone, for all other schemes, gets the key ''.
function readVariables(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    texts.map((text) => {
      const [schemeOrVariable = '', variable] = text.split('=', 2);
      return variable === undefined ? ['', schemeOrVariable] : [schemeOrVariable, variable];
    }),
  );
}

// Parses `Name: value`, in which the name is a token (RFC 9110 section 5.1).
function readHeader(text: string): Header {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([ -~]+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`--header ${text} must have the form 'Name: value'`);
  return [name, value];
}

function readLevel(text: string): Level {
  const level = LEVELS.find((name) => name === text);
  if (level === undefined) throw new UsageError(`--level must be one of ${LEVELS.join(', ')}, not ${text}`);
  return level;
}

function readClasses(option: string, text = ''): string[] {
  const names = text.split(',').filter((name) => name !== '');
  const classes: readonly string[] = ALL_CLASSES;
  const unknownClass = names.find((name) => !classes.includes(name));
  if (unknownClass !== undefined)
    throw new UsageError(`--${option} ${unknownClass}: the classes of cases are ${ALL_CLASSES.join(', ')}`);
  return names;
}

// Parses a count of up to 15 digits, which a double represents exactly.
function readCount(option: string, text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`--${option} must be a whole number of at least 1`);
  return Number(text);
}
