// Reads the command line of `conformance`.
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ALL_CLASSES } from '../generators/case';
import { LEVELS, type Level } from '../contract/standards';
import type { CaseKind } from '../runner/run-suite';
import type { Header } from '../wire/request';

export const USAGE = `conformance --url URL [options]
  --url URL             where the service is deployed; its path comes before every path of the contract
  --token-env NAME      the environment variable with the token; SCHEME=NAME for one of several schemes
  --unscoped-token-env NAME
                        the same for credentials that are granted no scope, so that scopes are tried
  --other-token-env NAME
                        the same for another caller, who must not have success where 403 is declared for what the first
                        created
  --contract FILE       the contract, one document (generated/openapi.yaml where there is one, or else openapi.yaml)
  --level LEVEL         what the server is held to: contract, what standards say, which is the default; robust, malformed
                        messages and sizes too; strict, house rules too.
  --verbose             show every cause and every case that failed, not the worst alone
  --junit FILE          write the results for CI, too
  --coverage FILE       fail if something that the contract declares was produced by no case, and FILE does not accept it
  --accept              write into the FILE of --coverage what was produced by no case, by patterns, with reasons to fill in
  --header 'NAME: VALUE'
                        a header of each request, such as for a gateway; may come again
  --allow-header NAME   a header that replies may have undeclared, since middleware adds it; may come again
  --baseline FILE       findings that are known: they do not fail the run; with --accept, those of this run are written
  --workers N           how many cases are under way at once (4)
  --tag TEXT            the marker of what is created (conformance)
  --fixtures FILE       values for what cannot be guessed: formats, patterns, media types, places; see the README
  --body-limit BYTES    the largest body that the service takes (1048576)
  --timeout MS          how long one reply may take (10000)
  --destructive         also send right PUT, PATCH and DELETE requests: to what the run itself made, and to what has no
                        id and is there once
  --only CLASS,...      send cases of these classes only
  --skip CLASS,...      send none of these
  --seed N, --runs N    of the random layer (1, 100)
The classes: ${ALL_CLASSES.join(', ')}`;

export type Options = NonNullable<ReturnType<typeof readOptions>>;

// `generated/openapi.yaml` is the bundle of a contract that is written in several files.
const DEFAULT_CONTRACTS = ['generated/openapi.yaml', 'openapi.yaml'];

// Their changes to data that the suite did not create cannot be undone.
const DESTRUCTIVE_METHODS = new Set(['PUT', 'PATCH', 'DELETE']);

/** An option is missing or wrong. */
export class UsageError extends Error {
  readonly code = 'INVALID_USAGE';
}

/**
 * @returns undefined when only the usage is requested
 * @throws UsageError when an option is missing or wrong
 */
export function readOptions(args: readonly string[]) {
  const values = parseArguments(args);
  if (values.help === true) return undefined;
  const url = readUrl(values.url);
  const only = readClasses('only', values.only);
  const skip = readClasses('skip', values.skip);
  const sendsAllCases = only.length === 0 && skip.length === 0;
  if (values.accept === true && values.coverage === undefined && values.baseline === undefined)
    throw new UsageError('--accept needs the file of --coverage or --baseline');
  if (values.coverage !== undefined && !sendsAllCases) {
    throw new UsageError('--coverage needs all cases: it goes with neither --only nor --skip');
  }
  return {
    url,
    // The environment variables with credentials, by security scheme; the one under '' is for all without one of their own.
    variables: readVariables(values['token-env']),
    variablesWithoutScopes: readVariables(values['unscoped-token-env']),
    variablesOfOther: readVariables(values['other-token-env']),
    headers: (values.header ?? []).map(readHeader),
    allowedHeaders: values['allow-header'] ?? [],
    baseline: values.baseline,
    contract: values.contract ?? DEFAULT_CONTRACTS.find((file) => existsSync(file)) ?? 'openapi.yaml',
    level: readLevel(values.level ?? 'contract'),
    isVerbose: values.verbose === true,
    junit: values.junit,
    coverage: values.coverage,
    isAccepting: values.accept === true,
    // Only then can coverage be judged.
    sendsAllCases,
    workers: readCount('workers', values.workers ?? '4'),
    fixtures: values.fixtures,
    tag: values.tag ?? 'conformance',
    bodyLimit: readCount('body-limit', values['body-limit'] ?? String(1024 ** 2)),
    timeout: readCount('timeout', values.timeout ?? '10000'),
    isWanted: (kind: CaseKind) =>
      (only.length === 0 || only.includes(kind.class)) &&
      !skip.includes(kind.class) &&
      (values.destructive === true ? !mayHitForeignData(kind) : !isDestructive(kind)),
    seed: readCount('seed', values.seed ?? '1'),
    runs: readCount('runs', values.runs ?? '100'),
  };
}

// Whether the request of a case may change or delete data; a refused request changes nothing.
function isDestructive({ expect, operation }: CaseKind): boolean {
  return DESTRUCTIVE_METHODS.has(operation.method) && ['accepted', 'answered'].includes(expect);
}

// Whether a request may change or delete data that this run did not create: an id in its path may be a guess.
function mayHitForeignData(kind: CaseKind): boolean {
  return isDestructive(kind) && kind.isOnCreatedResource !== true && kind.operation.path.includes('{');
}

function parseArguments(args: readonly string[]): ReturnType<typeof parseArgs<typeof CONFIG>>['values'] {
  try {
    return parseArgs({ ...CONFIG, args: [...args] }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

const CONFIG = {
  options: {
    url: { type: 'string' },
    'token-env': { type: 'string', multiple: true },
    'unscoped-token-env': { type: 'string', multiple: true },
    'other-token-env': { type: 'string', multiple: true },
    header: { type: 'string', multiple: true },
    'allow-header': { type: 'string', multiple: true },
    baseline: { type: 'string' },
    contract: { type: 'string' },
    level: { type: 'string' },
    verbose: { type: 'boolean' },
    junit: { type: 'string' },
    coverage: { type: 'string' },
    accept: { type: 'boolean' },
    workers: { type: 'string' },
    fixtures: { type: 'string' },
    tag: { type: 'string' },
    'body-limit': { type: 'string' },
    timeout: { type: 'string' },
    destructive: { type: 'boolean' },
    only: { type: 'string' },
    skip: { type: 'string' },
    seed: { type: 'string' },
    runs: { type: 'string' },
    help: { type: 'boolean' },
  },
} as const;

function readUrl(text: string | undefined): URL {
  const url = text === undefined ? null : URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.username !== '') {
    throw new UsageError('--url must be the http or https address of the service, without a query or credentials');
  }
  return url;
}

// `SCHEME=NAME` is the environment variable of one security scheme, `NAME` that of all others, under the key ''.
function readVariables(texts: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map(
    texts.map((text) => {
      const [schemeOrVariable = '', variable] = text.split('=', 2);
      return variable === undefined ? ['', schemeOrVariable] : [schemeOrVariable, variable];
    }),
  );
}

// RFC 9110 section 5.1: a name is a token.
function readHeader(text: string): Header {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([ -~]+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new UsageError(`--header ${text} is not as in 'Name: value'`);
  return [name, value];
}

function readLevel(text: string): Level {
  const level = LEVELS.find((known) => known === text);
  if (level === undefined) throw new UsageError(`--level ${text} is not one of ${LEVELS.join(', ')}`);
  return level;
}

function readClasses(option: string, text = ''): string[] {
  const names = text.split(',').filter((name) => name !== '');
  const known: readonly string[] = ALL_CLASSES;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UsageError(`--${option} names ${unknown}, which is no class of cases`);
  return names;
}

// With 15 digits at most, a whole number is exact in a double.
function readCount(option: string, text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`--${option} must be a whole number from 1 on`);
  return Number(text);
}
