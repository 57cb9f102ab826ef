import { BlockList, isIP } from 'node:net';
import {
  parseBaseUrl,
  parseBytes,
  parseDatabaseUrl,
  parseDuration,
  parseHost,
  parseLogLevel,
  parsePort,
  parseSwitch,
  parseTokens,
  readTokensFile,
} from './settings';
import type { StoreLocation } from './store/open-store';

/** The settings of the service; the README says what each of them means. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** The path of BASE_URL, without a slash at the end. */
  readonly prefix: string;
  readonly database: StoreLocation;
  /** The settings that tokens come from. */
  readonly tokenSources: readonly string[];
  /** The accepted tokens; empty when there is no source of them. */
  readonly tokens: readonly string[];
  /** In bytes. */
  readonly bodyLimit: number;
  readonly adminHost: string;
  readonly adminPort: number;
  /** In milliseconds. */
  readonly shutdownTimeout: number;
  readonly logLevel: string;
  /** Whether the contract is served as a page too. */
  readonly docs: boolean;
}

/** Settings that cannot be used. The message lists them all. */
export class ConfigError extends Error {}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * The settings in an environment. An empty one counts as not set, but for a source of tokens, where it is a mistake.
 *
 * @throws ConfigError
 */
export function parseConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const problems: string[] = [];
  function setting<T>(name: string, fallback: T, parse: (text: string) => T): T {
    const text = env[name];
    if (text === undefined || (text === '' && !name.startsWith('API_TOKENS'))) return fallback;
    try {
      return parse(text);
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`);
      return fallback;
    }
  }
  const tokenSources = ['API_TOKENS', 'API_TOKENS_FILE'].filter((name) => env[name] !== undefined);
  const config = {
    host: setting('HOST', '127.0.0.1', parseHost),
    port: setting('PORT', 3000, parsePort),
    prefix: setting('BASE_URL', '', parseBaseUrl),
    database: setting('DATABASE_URL', parseDatabaseUrl('file:data/plants.db'), parseDatabaseUrl),
    tokenSources,
    tokens: [...setting('API_TOKENS', [], parseTokens), ...setting('API_TOKENS_FILE', [], readTokensFile)],
    adminHost: setting('ADMIN_HOST', '127.0.0.1', parseHost),
    adminPort: setting('ADMIN_PORT', 3001, parsePort),
    bodyLimit: setting('BODY_LIMIT', parseBytes('1mb'), parseBytes),
    shutdownTimeout: setting('SHUTDOWN_TIMEOUT', parseDuration('10s'), parseDuration),
    logLevel: setting('LOG_LEVEL', 'info', parseLogLevel),
    docs: setting('DOCS', true, parseSwitch),
  };
  if (tokenSources.length === 0 && !isLoopback(config.host)) {
    problems.push(`HOST ${config.host} can be reached from elsewhere: set API_TOKENS or API_TOKENS_FILE too`);
  }
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `- ${problem}`).join('\n'));
  return Object.freeze(config);
}

function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host === 'localhost';
  return LOOPBACK.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}
