// Parses all settings from the environment. The package's README describes them.
import { isIP, isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import { levels } from 'pino';
import { decodeUnreserved } from '@contract-kit/contract';
import { isLoopback } from '../auth/loopback';
import { readPlainFile } from '../auth/tokens';
import { BODY_LIMIT } from '../pipeline/serve-contract';
import { MAX_PARSED_BYTES } from '../request/body-limit';
import { assertFolder } from '../request/temporary-files';
import {
  parseAudience,
  parseIssuer,
  parseScopes,
  parseTokens,
  parseTokensFile,
  type ConfiguredTokens,
} from './token-settings';

/** All settings, with the service's own settings in `own`. Sizes are in bytes and times in milliseconds. */
export type Config<Own> = ReturnType<typeof parseConfig<Own>>;

/**
 * Parses a setting, or the content of the file that `NAME_FILE` names. If neither is set, it returns the fallback. All errors are
 * reported together. For a value that can change while the service runs, `readAgain` rereads the file.
 */
export type ReadSetting = <T, F>(
  name: string,
  fallback: F,
  parse: (text: string, readAgain?: () => string) => T,
) => T | F;

/** Thrown if settings are invalid. The message lists all mistakes. */
export class ConfigError extends Error {
  readonly code = 'INVALID_SETTINGS';
}

/** Most load balancers have an idle timeout of 60 s. This one is longer, because load balancers should close idle connections first. */
export const KEEP_ALIVE_TIMEOUT_MS = 65_000;

const TOKEN_SOURCES = ['API_TOKENS', 'API_TOKENS_FILE', 'JWT_ISSUER'];
// Settings for which an empty value is a mistake.
const NON_EMPTY_SETTINGS = new Set([...TOKEN_SOURCES, 'JWT_AUDIENCE']);

/**
 * Parses all settings. An empty value is treated as unset, except for sources of tokens, where it is a mistake.
 *
 * @param needsTokens whether the service uses tokens from the settings; called only if there are none
 * @throws ConfigError if a setting is invalid
 */
export function parseConfig<Own>(
  readOwn: (setting: ReadSetting) => Own,
  env: Readonly<Record<string, string | undefined>> = process.env,
  needsTokens: (own: Own) => boolean = () => true,
) {
  const problems: string[] = [];
  // If the text is invalid, this adds a problem and returns the fallback.
  function readSetting<T, F>(name: string, fallback: F, parse: (text: string) => T, text = env[name]): T | F {
    if (text === undefined || (text === '' && !NON_EMPTY_SETTINGS.has(name))) return fallback;
    try {
      return parse(text);
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`);
      return fallback;
    }
  }
  // Containers get secrets as files, so `NAME_FILE` can name a file with the value of one of the service's own settings.
  const readOwnSetting: ReadSetting = (name, fallback, parse) => {
    const readFile = (path = String(env[`${name}_FILE`])): string => readPlainFile(path).text.trim();
    const text = readSetting(`${name}_FILE`, undefined, readFile);
    if (text !== undefined && env[name]) problems.push(`${name} and ${name}_FILE must not be set together`);
    return readSetting(name, fallback, (value) => parse(value, text === undefined ? undefined : readFile), text);
  };
  function readJwtSettings(): ConfiguredTokens['identity']['jwt'] {
    const issuer = readSetting('JWT_ISSUER', undefined, parseIssuer);
    const audience = readSetting('JWT_AUDIENCE', undefined, parseAudience);
    if ((env['JWT_ISSUER'] === undefined) !== (env['JWT_AUDIENCE'] === undefined)) {
      problems.push('JWT_ISSUER and JWT_AUDIENCE must be set together');
    }
    return issuer === undefined || audience === undefined ? undefined : { issuer, audience };
  }
  const tokenSources = TOKEN_SOURCES.filter((name) => env[name] !== undefined);
  const config = {
    host: readSetting('HOST', '127.0.0.1', parseHost),
    port: readSetting('PORT', 3000, parsePort),
    workers: readSetting('WORKERS', 1, createIntegerParser(1, 64)),
    // The primary of a cluster passes this to its workers. It is not a setting for users.
    isWorker: env['CONTRACT_KIT_WORKER'] !== undefined && process.send !== undefined,
    prefix: readSetting('BASE_URL', undefined, parseBaseUrl),
    own: readOwn(readOwnSetting),
    tokenSources,
    // `contract-kit dev` passes these two to its servers. A server that replaces another does not log its start again.
    devToken: env['DEV_TOKEN'],
    devReplaces: env['DEV_REPLACES'],
    identity: {
      tokens: readSetting('API_TOKENS', [], parseTokens),
      tokensFile: readSetting('API_TOKENS_FILE', undefined, parseTokensFile),
      jwt: readJwtSettings(),
    },
    tokenScopes: readSetting('API_TOKENS_SCOPES', [], parseScopes),
    corsOrigins: readSetting('CORS_ORIGINS', [], parseOrigins),
    adminHost: readSetting('ADMIN_HOST', '127.0.0.1', parseHost),
    adminPort: readSetting('ADMIN_PORT', 3001, parsePort),
    bodyLimit: readSetting('BODY_LIMIT', BODY_LIMIT, parseBytes),
    uploadFolder: readSetting('UPLOAD_FOLDER', undefined, parseFolder),
    uploadBudget: readSetting('UPLOAD_LIMIT', undefined, parseUploadBytes),
    shutdownTimeout: readSetting('SHUTDOWN_TIMEOUT', parseDuration('10s'), parseDuration),
    drainDelay: readSetting('DRAIN_DELAY', 0, parseDuration),
    handlerTimeout: readSetting('HANDLER_TIMEOUT', parseDuration('30s'), parseDuration),
    keepAliveTimeout: readSetting('KEEP_ALIVE_TIMEOUT', KEEP_ALIVE_TIMEOUT_MS, parseDuration),
    trustProxy: readSetting('TRUST_PROXY', undefined, parseProxies),
    logLevel: readSetting('LOG_LEVEL', 'info', createChoiceParser(...Object.keys(levels.values), 'silent')),
    logFormat: readSetting('LOG_FORMAT', undefined, createChoiceParser('text', 'json')),
    logCaller: readSetting('LOG_CALLER', 'on', createChoiceParser('on', 'off')) === 'on',
    // Any value except the empty string disables colors (https://no-color.org).
    logColors: readSetting('NO_COLOR', true, () => false),
    docs: readSetting('DOCS', 'on', createChoiceParser('on', 'off')) === 'on',
  };
  // Without a source of tokens, the service generates a token, but only if HOST is loopback. If a setting is invalid,
  // needsTokens is not called, because a verifier might depend on that setting.
  if (tokenSources.length === 0 && !isLoopback(config.host) && (problems.length > 0 || needsTokens(config.own))) {
    problems.push(
      `HOST ${config.host} can be reached from other machines: set API_TOKENS, API_TOKENS_FILE or JWT_ISSUER, too`,
    );
  }
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `- ${problem}`).join('\n'));
  return Object.freeze(config);
}

// Each of these functions parses one kind of setting. It throws an Error whose message follows the setting's name.

type Units = Readonly<Record<string, number>>;
const BYTES_BY_UNIT: Units = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };
const MILLISECONDS_BY_UNIT: Units = { ms: 1, s: 1000, m: 60_000 };
const MAX_DURATION_MS = 60 * 60_000;
const PROXY_NAMES = new Set(['loopback', 'linklocal', 'uniquelocal']);
const BITS_BY_VERSION: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/** @returns the host, without the brackets that an IPv6 address has in a URL */
function parseHost(text: string): string {
  const [, textInBrackets = ''] = /^\[(.*)\]$/.exec(text) ?? [];
  if (isIPv6(textInBrackets)) return textInBrackets;
  const isAddress = isIP(text) !== 0;
  if (!isAddress && !/^[A-Za-z0-9.-]+$/.test(text)) throw new Error('must be an address or a host name');
  return text;
}

// 0 selects any free port.
const parsePort = createIntegerParser(0, 65_535);

function createIntegerParser(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text) && Number(text) >= minimum && Number(text) <= maximum) return Number(text);
    throw new Error(`must be a whole number from ${String(minimum)} to ${String(maximum)}`);
  };
}

/** @returns the URL's path without a trailing slash, with unreserved characters decoded as in request paths */
function parseBaseUrl(text: string): string {
  const url = URL.parse(text);
  const isOriginAndPath = url?.protocol.startsWith('http') === true && url.origin + url.pathname === url.href;
  if (!isOriginAndPath) throw new Error('must be a URL such as https://api.example/v1, without a query or a password');
  return decodeUnreserved(url.pathname.replace(/\/$/, ''));
}

function parseOrigins(text: string): string[] | '*' {
  const origins = text.split(',').map((origin) => origin.trim());
  if (origins.join() === '*') return '*';
  if (!origins.every(isOrigin)) {
    throw new Error('must be * or origins as browsers send them, such as https://app.example or http://localhost:5173');
  }
  return origins;
}

/** @returns the number of bytes, such as 65,536 for `64kb` */
function parseBytes(text: string): number {
  const bytes = parseQuantity(text, BYTES_BY_UNIT);
  // The comparison is negated, so that NaN is also rejected.
  if (!(bytes > 0)) throw new Error('must be a size from 1b to 4mb, such as 1mb or 64kb');
  if (bytes > MAX_PARSED_BYTES)
    throw new Error('must be at most 4mb, because other requests would wait too long while a larger JSON body is read');
  return bytes;
}

function parseUploadBytes(text: string): number {
  const bytes = parseQuantity(text, BYTES_BY_UNIT);
  if (!(bytes > 0 && Number.isSafeInteger(bytes))) throw new Error('must be a size such as 500mb or 10gb');
  return bytes;
}

/** @returns the absolute path of a writable folder */
function parseFolder(text: string): string {
  assertFolder(text);
  return resolve(text);
}

/** @returns milliseconds, such as 10,000 for `10s` */
function parseDuration(text: string): number {
  const milliseconds = parseQuantity(text, MILLISECONDS_BY_UNIT);
  if (!(milliseconds <= MAX_DURATION_MS)) throw new Error('must be a time up to 60m, such as 10s or 500ms');
  return milliseconds;
}

/** @returns the value for Express's `trust proxy`: the number of proxies, or their addresses */
function parseProxies(text: string): number | string[] {
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  const proxies = text.split(',').map((proxy) => proxy.trim());
  if (!proxies.every((proxy) => PROXY_NAMES.has(proxy) || isSubnet(proxy))) {
    throw new Error(
      'must be a number of proxies from 1 to 99, or their addresses, such as 10.0.0.0/8, loopback or uniquelocal',
    );
  }
  return proxies;
}

const CHOICE_FORMAT = new Intl.ListFormat('en-GB', { type: 'disjunction' });

function createChoiceParser<Choice extends string>(...choices: readonly Choice[]): (text: string) => Choice {
  return (text) => {
    const choice = choices.find((possible) => possible === text);
    if (choice === undefined) throw new Error(`must be ${CHOICE_FORMAT.format(choices)}`);
    return choice;
  };
}

/** Whether the text is an address, optionally with a prefix length greater than 0. */
function isSubnet(text: string): boolean {
  const [, address = '', bits] = /^([^/]+)(?:\/([1-9]\d*))?$/.exec(text) ?? [];
  const { [isIP(address)]: length } = BITS_BY_VERSION;
  return length !== undefined && Number(bits ?? length) <= length;
}

// Browsers send origins in lowercase ASCII without the default port. `url.origin` is not used, because it is `null` for extensions.
function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.host !== '' && `${url.protocol}//${url.host}` === text && !text.includes('*');
}

/** Parses a number with a unit, such as `64kb`, and multiplies both. Returns NaN for any other text. */
function parseQuantity(text: string, units: Units): number {
  const [, digits, unit = ''] = /^(\d+)([a-z]+)$/i.exec(text) ?? [];
  return Number(digits) * Number(units[unit.toLowerCase()]);
}
